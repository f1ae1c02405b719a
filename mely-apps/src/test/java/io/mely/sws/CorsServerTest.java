// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.sws.RawClient.Response;
import io.mely.sws.http.Coding;
import io.mely.sws.http.CorsRule;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.rules.LoginRule;
import io.mely.sws.rules.Redirect;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What pages of other origins may read. */
class CorsServerTest extends SwsServerHarness {
    private static final String APP = "https://app.example";
    private static final String ALLOW = "Access-Control-Allow-Origin";
    private static final String EXPOSE = "Access-Control-Expose-Headers";

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private static List<CorsRule> cors(String... rules) {
        return Stream.of(rules).map(CorsRule::parse).toList();
    }

    private void startWith(UnaryOperator<SwsConfig.Builder> more, String... rules) throws IOException {
        start(builder -> more.apply(builder.set(SwsSettings.CORS, cors(rules))));
    }

    private static String request(String method, String target, String... fields) {
        String lines = String.join("\r\n", fields) + (fields.length == 0 ? "" : "\r\n");
        return method + " " + target + " HTTP/1.1\r\n" + HOST + lines + "\r\n";
    }

    private static String get(String target, String origin, String... fields) {
        return request(
                "GET",
                target,
                Stream.concat(Stream.of("Origin: " + origin), Stream.of(fields)).toArray(String[]::new));
    }

    private static String preflight(String target, String origin, String... fields) {
        return get(
                        target,
                        origin,
                        Stream.concat(Stream.of("Access-Control-Request-Method: GET"), Stream.of(fields))
                                .toArray(String[]::new))
                .replace("GET /", "OPTIONS /");
    }

    // Any origin: the same for all, so nothing varies, and never with credentials.
    @Test
    void any_isSaidInEveryAnswer() throws IOException {
        startWith(
                builder -> builder.set(SwsSettings.LISTING, true)
                        .set(SwsSettings.REDIRECTS, List.of(Redirect.parse("301 /old /new"))),
                "/** *");
        Files.createDirectories(root.resolve("list"));
        RawClient client = connect();
        String tag = client.fetch("/a.html").field("ETag");
        for (String each : List.of(
                get("/a.html", APP),
                request("GET", "/a.html"),
                get("/a.html", "null"),
                get("/c.txt", APP, "Range: bytes=1-2"),
                get("/c.txt", APP, "Range: bytes=1-2,500-600"),
                get("/c.txt", APP, "Range: bytes=99999-"),
                get("/a.html", APP, "If-None-Match: " + tag),
                get("/large.bin", APP),
                get("/none", APP),
                get("/dir", APP),
                get("/old", APP),
                get("/list/", APP),
                request("POST", "/a.html", "Origin: " + APP))) {
            Response answer = client.send(each).response();
            assertThat(answer.field(ALLOW)).as(each).isEqualTo("*");
            assertThat(answer.field(EXPOSE)).as(each).isEqualTo("*");
            assertThat(answer.field("Access-Control-Allow-Credentials"))
                    .as(each)
                    .isNull();
            assertThat(String.valueOf(answer.field("Vary"))).as(each).doesNotContain("Origin");
        }
    }

    // Named origins: those are named back, the others are told nothing, and caches keep both apart.
    @Test
    void named_isSaidToThose_andVaries() throws IOException {
        Files.writeString(root.resolve("b.txt.gz"), "no gzip");
        Files.createDirectories(root.resolve("list"));
        startWith(
                builder -> builder.set(SwsSettings.LISTING, true).set(SwsSettings.PRECOMPRESSED, List.of(Coding.GZIP)),
                "/** https://other.example " + APP);
        RawClient client = connect();
        for (String target : List.of("/a.html", "/b.txt", "/large.bin", "/none", "/dir", "/list/")) {
            for (int i = 0; i < 2; i++) { // loaded, and from the cache
                Response allowed = client.send(get(target, APP)).response();
                assertThat(allowed.field(ALLOW)).as(target).isEqualTo(APP);
                assertThat(allowed.field(EXPOSE)).as(target).isEqualTo("*");
                assertThat(allowed.field("Access-Control-Allow-Credentials")).isNull();
                Response evil = client.send(get(target, "https://evil.example")).response();
                Response none = client.fetch(target);
                for (Response each : List.of(allowed, evil, none)) {
                    assertThat(each.field("Vary").split(", ")).as(target).contains("Origin");
                    assertThat(each.status()).as(target).isEqualTo(allowed.status());
                    assertThat(each.body()).as(target).isEqualTo(allowed.body());
                }
                assertThat(evil.field(ALLOW)).isNull();
                assertThat(none.field(ALLOW)).isNull();
            }
        }
        assertThat(client.fetch("/b.txt").field("Vary")).isEqualTo("Accept-Encoding, Origin");
        for (String range : List.of("bytes=1-2", "bytes=1-2,500-600", "bytes=99999999-")) {
            for (String target : List.of("/c.txt", "/large.bin")) {
                Response part = client.send(get(target, APP, "Range: " + range)).response();
                assertThat(part.status()).isIn(206, 416);
                assertThat(part.field(ALLOW)).isEqualTo(APP);
                assertThat(part.field("Vary")).isEqualTo("Origin");
            }
        }
        assertThat(client.send(get("/a.html", APP, "If-None-Match: *"))
                        .response()
                        .field(ALLOW))
                .isEqualTo(APP);
        client.send(get("/a.html", APP) + get("/none", APP) + request("GET", "/a.html") + get("/c.txt", APP));
        assertThat(client.response().field(ALLOW)).isEqualTo(APP);
        assertThat(client.response().field(ALLOW)).isEqualTo(APP);
        assertThat(client.response().field(ALLOW)).isNull();
        assertThat(client.response().text()).isEqualTo("c".repeat(20_000));
    }

    // Before a request with fields of its own a browser asks; without a password, so it must be told without one.
    @Test
    void preflight_isAnswered() throws IOException {
        Path users = Files.writeString(temp.resolve("users"), "a:$2y$04$" + "a".repeat(53) + "\n");
        startWith(
                builder -> builder.set(SwsSettings.LOGINS, List.of(LoginRule.parse("/dir/** " + users))),
                "/** " + APP + " credentials",
                "fonts *");
        RawClient client = connect();
        Response allowed = client.send(preflight("/dir/", APP, "Access-Control-Request-Headers: authorization,x-own"))
                .response();
        assertThat(allowed.status()).isEqualTo(204);
        assertThat(allowed.field(ALLOW)).isEqualTo(APP);
        assertThat(allowed.field("Access-Control-Allow-Credentials")).isEqualTo("true");
        assertThat(allowed.field("Access-Control-Allow-Methods")).isEqualTo("GET, HEAD, OPTIONS");
        assertThat(allowed.field("Access-Control-Allow-Headers")).isEqualTo("authorization,x-own");
        assertThat(allowed.field("Access-Control-Max-Age")).isEqualTo("7200");
        assertThat(allowed.field("Vary")).isEqualTo("Origin");
        Response refused = client.send(get("/dir/", APP)).response();
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.field(ALLOW)).isEqualTo(APP);
        assertThat(refused.field(EXPOSE)).contains("Content-Range").doesNotContain("*");
        Response evil =
                client.send(preflight("/a.html", "https://evil.example")).response();
        assertThat(evil.status()).isEqualTo(204);
        assertThat(evil.fields()).doesNotContainKeys("access-control-allow-origin", "access-control-allow-methods");
        assertThat(evil.field("Vary")).isEqualTo("Origin");
        Response font = client.send(
                        preflight("/f.woff2", "https://evil.example", "Access-Control-Request-Headers: range"))
                .response();
        assertThat(font.field(ALLOW)).isEqualTo("*");
        assertThat(font.field("Access-Control-Allow-Headers")).isEqualTo("range");
        assertThat(font.field("Access-Control-Allow-Credentials")).isNull();
        Response odd = client.send(preflight("/f.woff2", APP, "Access-Control-Request-Headers: a b"))
                .response();
        assertThat(odd.field("Access-Control-Allow-Headers")).isNull();
        assertThat(client.send(request("OPTIONS", "/f.woff2", "Origin: " + APP))
                        .response()
                        .field("Access-Control-Allow-Methods"))
                .isNull();
    }

    // The last rule that matches counts; each site has its own, and a reload takes them over.
    @Test
    void rules_areBySiteAndPath() throws IOException {
        Path other = Files.createDirectories(temp.resolve("other"));
        Files.writeString(other.resolve("a.html"), "other");
        SwsConfig second = SwsConfig.builder(other)
                .set(SwsSettings.CORS, cors("/** " + APP))
                .build();
        startWith(
                builder -> builder.sites(List.of(new HostedSite(List.of("other.example"), second))),
                "/** *",
                "/dir/** none");
        RawClient client = connect();
        assertThat(client.send(get("/a.html", APP)).response().field(ALLOW)).isEqualTo("*");
        assertThat(client.send(get("/dir/", APP)).response().field(ALLOW)).isNull();
        assertThat(client.send(get("/a.html", APP).replace("Host: test", "Host: other.example"))
                        .response()
                        .field(ALLOW))
                .isEqualTo(APP);
        Http2Client byHttp2 = Http2Client.connect(server.localAddress(), false);
        clients.add(byHttp2);
        assertThat(byHttp2.fetch("/a.html", "origin", APP).field("access-control-allow-origin"))
                .isEqualTo("*");
        server.reload(SwsConfig.builder(root)
                .set(SwsSettings.CORS, cors("/** " + APP))
                .build());
        assertThat(byHttp2.fetch("/a.html", "origin", APP).field("access-control-allow-origin"))
                .isEqualTo(APP);
        assertThat(client.send(get("/dir/", APP)).response().field(ALLOW)).isEqualTo(APP);
    }

    // Two lines for one field would close the door to everybody.
    @Test
    void fieldsOfOnesOwn_thatSayTheSame_areRefused() {
        HeaderRule own = HeaderRule.parse("/** access-control-allow-origin: *");
        assertThatThrownBy(() -> startWith(builder -> builder.set(SwsSettings.HEADERS, List.of(own)), "/** *"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is set by cors");
        assertThatThrownBy(() -> startWith(builder -> builder.set(SwsSettings.HEADERS_ALWAYS, List.of(own)), "/** *"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
