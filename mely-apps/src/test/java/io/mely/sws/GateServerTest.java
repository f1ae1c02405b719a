// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import io.mely.cli.Setting;
import io.mely.sws.RawClient.Response;
import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.proxy.AddressRange;
import io.mely.sws.rules.AccessRule;
import io.mely.sws.rules.LoginRule;
import io.mely.sws.rules.Redirect;
import io.mely.sws.rules.Rewrite;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Redirects, rewrites, access, passwords, rates and further hosts, on real sockets. */
class GateServerTest extends SwsServerHarness {
    private static final int COST = 4;

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private static List<Redirect> redirects(String... rules) {
        return List.of(rules).stream().map(Redirect::parse).toList();
    }

    private <T> void startWith(Setting<T> setting, T rules) throws IOException {
        start(builder -> builder.set(setting, rules));
    }

    private static String get(String target, String fields) {
        return "GET " + target + " HTTP/1.1\r\n" + HOST + fields + "\r\n";
    }

    // Redirects and rewrites.

    // By status, with the query, on a connection that goes on; pipelined, too.
    @Test
    void redirects_sendElsewhere() throws IOException {
        startWith(
                SwsSettings.REDIRECTS,
                redirects("308 /old/** /new/$1", "302 /away https://example.org/x", "301 /go** /$1"));
        RawClient client = connect();
        Response moved = client.fetch("/old/%C3%BC/b?q=1");
        assertThat(moved.status()).isEqualTo(308);
        assertThat(moved.field("Location")).isEqualTo("/new/%C3%BC/b?q=1");
        assertThat(client.fetch("/away").field("Location")).isEqualTo("https://example.org/x");
        for (String target :
                List.of("/go//evil.example", "/go/%2Fevil.example", "/x/../go///evil.example/..//evil.example")) {
            assertThat(client.fetch(target).field("Location")).as(target).isEqualTo("/evil.example");
        }
        client.send(get("/away", "") + get("/a.html", "") + get("/away", ""));
        assertThat(client.response().status()).isEqualTo(302);
        assertThat(client.response().text()).isEqualTo("hello");
        assertThat(client.response().status()).isEqualTo(302);
        assertThat(client.send("HEAD /away HTTP/1.1\r\n" + HOST + "\r\n")
                        .response(true)
                        .status())
                .isEqualTo(302);
        assertThat(client.fetch("/go/%0d%0aSet-Cookie:x").status()).isEqualTo(400);
    }

    // A query as long as a request line may be.
    @Test
    void redirects_longTargetsFit() throws IOException {
        startWith(SwsSettings.REDIRECTS, redirects("301 /old /new"));
        String query = "?" + "q".repeat(8_000);
        assertThat(connect().fetch("/old" + query).field("Location")).isEqualTo("/new" + query);
    }

    @Test
    void rewrites_answerWithAnotherPath() throws IOException {
        startWith(
                SwsSettings.REWRITES,
                List.of(Rewrite.parse("/v*/** /$2"), Rewrite.parse("/x/** /dir"), Rewrite.parse("/a%20 /c.txt")));
        RawClient client = connect();
        assertThat(client.fetch("/v7/a.html").text()).isEqualTo("hello");
        assertThat(client.fetch("/v7/dir/").text()).isEqualTo("index");
        assertThat(client.fetch("/v7/large.bin").body()).isEqualTo(LARGE_CONTENT);
        assertThat(client.fetch("/v7/none").status()).isEqualTo(404);
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
        assertThat(client.fetch("/x/y").field("Location")).isEqualTo("/dir/");
        assertThat(client.send(get("/v7/b.txt", "Range: bytes=0-1\r\n"))
                        .response()
                        .text())
                .isEqualTo("bb");
        assertThat(client.fetch("/v7/%2e%2e/%2e%2e/secret.txt").status()).isEqualTo(400);
    }

    // Access.

    // The address is the client's, not the proxy's.
    @Test
    void access_isByTheClientsAddress() throws IOException {
        start(builder -> builder.set(SwsSettings.TRUSTED_PROXIES, List.of(AddressRange.parse("127.0.0.1")))
                .set(
                        SwsSettings.ACCESS,
                        List.of(
                                AccessRule.parse("/dir/** allow 203.0.113.0/24"),
                                AccessRule.parse("/dir/** deny all"))));
        RawClient proxy = connect();
        assertThat(proxy.send(get("/dir/", "X-Forwarded-For: 203.0.113.9\r\n"))
                        .response()
                        .text())
                .isEqualTo("index");
        assertThat(proxy.send(get("/dir/", "X-Forwarded-For: 198.51.100.1\r\n"))
                        .response()
                        .status())
                .isEqualTo(403);
        for (String target : List.of("/dir/", "/dir/index.html", "/%64ir/", "//dir/", "/x/../dir/", "/dir/none")) {
            assertThat(proxy.fetch(target).status()).as(target).isEqualTo(403);
        }
        assertThat(proxy.fetch("/a.html").status()).isEqualTo(200);
    }

    // Rules go by names, and a link is one: whoever makes it opens, or closes, what it leads to.
    @Test
    void access_links_areNamesOfTheirOwn() throws IOException {
        Files.createSymbolicLink(root.resolve("open.html"), Path.of("dir/index.html"));
        Files.createLink(root.resolve("hard.html"), root.resolve("dir/index.html"));
        Files.createSymbolicLink(root.resolve("dir/closed.html"), Path.of("../a.html"));
        Files.createSymbolicLink(root.resolve("alias"), Path.of("dir"));
        startWith(
                SwsSettings.ACCESS,
                List.of(AccessRule.parse("/dir/** deny all"), AccessRule.parse("/alias/index.html deny all")));
        RawClient client = connect();
        assertThat(client.fetch("/open.html").text()).isEqualTo("index");
        assertThat(client.fetch("/hard.html").text()).isEqualTo("index");
        assertThat(client.fetch("/a.html").status()).isEqualTo(200);
        assertThat(client.fetch("/alias/closed.html").text()).isEqualTo("hello");
        for (String closed : List.of("/dir/closed.html", "/dir/index.html", "/alias/index.html", "/alias/")) {
            assertThat(client.fetch(closed).status()).as(closed).isEqualTo(403);
        }
    }

    // Of two names of one file the closed one counts, whichever is asked for.
    @Test
    void access_oneNameOpenOneClosed_isClosed() throws IOException {
        start(builder -> builder.set(SwsSettings.TRY_SUFFIXES, List.of(".html"))
                .set(
                        SwsSettings.ACCESS,
                        List.of(AccessRule.parse("/a.html allow all"), AccessRule.parse("/a deny all"))));
        assertThat(connect().fetch("/a").status()).isEqualTo(403);
        assertThat(connect().fetch("/a.html").status()).isEqualTo(403);
    }

    // Passwords.

    private Path users(String... namesAndPasswords) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String each : namesAndPasswords) {
            String[] parts = each.split(":");
            lines.add(parts[0] + ":" + BCrypt.withDefaults().hashToString(COST, parts[1].toCharArray()));
        }
        return Files.write(temp.resolve("htpasswd"), lines);
    }

    private static String login(String nameAndPassword) {
        byte[] bytes = nameAndPassword.getBytes(StandardCharsets.UTF_8);
        return "Authorization: Basic " + Base64.getEncoder().encodeToString(bytes) + "\r\n";
    }

    private void startWithUsers(String... namesAndPasswords) throws IOException {
        List<LoginRule> rules = List.of(LoginRule.parse("/dir/** " + users(namesAndPasswords) + " Our people"));
        start(builder -> builder.set(SwsSettings.LOGINS, rules)
                .set(SwsSettings.ERROR_PAGES, List.of(new ErrorPage(401, root.resolve("b.txt"))))
                .set(SwsSettings.HEADERS_ALWAYS, List.of(HeaderRule.parse("** X-Always: yes"))));
    }

    // Who is right passes, and who is not is asked again; with the configured page, and the fields of every answer.
    @Test
    void logins_askForAPassword() throws IOException {
        startWithUsers("ada:secret", "björn:ü");
        RawClient client = connect();
        for (String fields : List.of("", login("ada:wrong"), login("eve:secret"), "Authorization: Bearer x\r\n")) {
            Response refused = client.send(get("/dir/", fields)).response();
            assertThat(refused.status()).as(fields).isEqualTo(401);
            assertThat(refused.field("WWW-Authenticate")).isEqualTo("Basic realm=\"Our people\", charset=\"UTF-8\"");
            assertThat(refused.field("X-Always")).isEqualTo("yes");
            assertThat(refused.body()).hasSize(3000);
        }
        Response page = client.send(get("/dir/", login("ada:secret"))).response();
        assertThat(page.text()).isEqualTo("index");
        assertThat(page.field("WWW-Authenticate")).isNull();
        assertThat(client.send(get("/dir/", login("björn:ü"))).response().status())
                .isEqualTo(200);
        assertThat(client.send(get("/dir/", login("ada:secret") + login("ada:secret")))
                        .response()
                        .status())
                .isEqualTo(401);
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
        client.send(get("/dir/", login("ada:secret")) + get("/a.html", "") + get("/dir/", login("ada:secret")));
        assertThat(client.response().text()).isEqualTo("index");
        assertThat(client.response().text()).isEqualTo("hello");
        assertThat(client.response().text()).isEqualTo("index");
    }

    // The file of passwords is not served, though it lies in the folder.
    @Test
    void logins_theFileIsNotServed() throws IOException {
        Path file = Files.copy(users("ada:secret"), root.resolve("users.txt"));
        startWith(SwsSettings.LOGINS, List.of(LoginRule.parse("/dir/** " + file)));
        assertThat(connect().fetch("/users.txt").status()).isEqualTo(404);
    }

    // Wrong passwords are limited for each address; those who are known pass all the same, and who is right takes none.
    @Test
    void logins_guessesAreLimited() throws IOException {
        List<LoginRule> rules = List.of(LoginRule.parse("/dir/** " + users("ada:secret")));
        start(builder -> builder.set(SwsSettings.LOGINS, rules).set(SwsSettings.LOGIN_TRIES, 3));
        RawClient client = connect();
        for (int i = 0; i < 10; i++) {
            assertThat(client.send(get("/dir/", login("ada:secret"))).response().status())
                    .isEqualTo(200);
        }
        int limited = 0;
        for (int i = 0; i < 20; i++) {
            int status = client.send(get("/dir/", login("ada:" + i))).response().status();
            assertThat(status).isIn(401, 429);
            limited += status == 429 ? 1 : 0;
        }
        assertThat(limited).isPositive();
        assertThat(client.send(get("/dir/", login("ada:secret"))).response().status())
                .isEqualTo(200);
    }

    // More than are checked at once: each waits its turn, and those who need none are served meanwhile.
    @Test
    void logins_manyAtOnce_areAllAnswered() throws IOException {
        List<LoginRule> rules = List.of(LoginRule.parse("/dir/** " + users("ada:secret")));
        start(builder -> builder.set(SwsSettings.LOGINS, rules).set(SwsSettings.LOGIN_TRIES, 1_000));
        List<RawClient> many = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            many.add(connect().send(get("/a.html", "") + get("/dir/", login("ada:" + (i % 4 == 0 ? "secret" : i)))));
        }
        assertThat(connect().fetch("/a.html").status()).isEqualTo(200);
        for (int i = 0; i < many.size(); i++) {
            assertThat(many.get(i).response().text()).isEqualTo("hello");
            assertThat(many.get(i).response().status()).isEqualTo(i % 4 == 0 ? 200 : 401);
        }
    }

    // Who has gone before the answer leaves nothing behind, which the harness looks at.
    @Test
    void logins_clientThatGoes_isForgotten() throws IOException {
        startWithUsers("ada:secret");
        for (int i = 0; i < 20; i++) {
            try (RawClient client = dial()) {
                client.send(get("/dir/", login("ada:" + i)));
            }
        }
        assertThat(connect().fetch("/a.html").status()).isEqualTo(200);
    }

    // A reload takes rules and passwords over; if a file is wrong, all stays as it was.
    @Test
    void reload_takesPasswordsOver() throws IOException {
        startWithUsers("ada:secret");
        RawClient client = connect();
        assertThat(client.send(get("/dir/", login("ada:secret"))).response().status())
                .isEqualTo(200);
        Path file = users("ada:other");
        server.reload();
        assertThat(client.send(get("/dir/", login("ada:secret"))).response().status())
                .isEqualTo(401);
        assertThat(client.send(get("/dir/", login("ada:other"))).response().status())
                .isEqualTo(200);
        Files.writeString(file, "nonsense");
        assertThatThrownBy(() -> server.reload()).hasMessageStartingWith(file + ":1: not a name");
        assertThat(client.send(get("/dir/", login("ada:other"))).response().status())
                .isEqualTo(200);
    }

    // Rates.

    // What is sent twice takes the time of the first: no less, however fast the machine is.
    @Test
    void connectionRateMax_isKept() throws IOException {
        int rate = 30_000;
        start(builder -> builder.set(SwsSettings.LOGIN_TRIES, 1).set(SwsSettings.CONNECTION_RATE_MAX, rate));
        RawClient client = connect();
        long fromNs = System.nanoTime();
        assertThat(client.fetch("/b.txt").body()).hasSize(3000);
        assertThat(client.fetch("/b.txt").body()).hasSize(3000);
        long tookNs = System.nanoTime() - fromNs;
        assertThat(tookNs).isGreaterThanOrEqualTo(3000 * 1_000_000_000L / rate);
    }

    // Files, parts and memory, by TLS too: what arrives is right.
    @Test
    void connectionRateMax_contentIsWhole() throws IOException {
        start(builder -> builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, TlsEngine.AUTO)
                .set(SwsSettings.LOGIN_TRIES, 1)
                .set(SwsSettings.CONNECTION_RATE_MAX, 1 << 26));
        RawClient client = new RawClient(server.localAddress(), 0, TlsFiles.clients());
        clients.add(client);
        assertThat(client.fetch("/large.bin").body()).isEqualTo(LARGE_CONTENT);
        assertThat(client.fetch("/c.txt").body()).hasSize(20_000);
        client.send(get("/large.bin", "Range: bytes=0-9,1000000-1999999\r\n"));
        assertThat(client.response().status()).isEqualTo(206);
    }

    // A slow rate is no slow client; one that goes while it waits is forgotten.
    @Test
    void connectionRateMax_waitingIsNoTimeOut() throws IOException {
        start(builder -> builder.set(SwsSettings.LOGIN_TRIES, 1)
                .set(SwsSettings.CONNECTION_RATE_MAX, 1 << 10)
                .set(SwsSettings.WRITE_TIMEOUT, Duration.ofSeconds(2)));
        RawClient client = connect();
        client.get("/b.txt").readHead();
        assertThat(client.readRest().body()).hasSize(3000);
        client.get("/b.txt");
        jump(Duration.ofSeconds(4));
        assertThat(client.response().body()).hasSize(3000);
        client.get("/b.txt");
        assertThat(server.requestStats().timeouts()).isZero();
    }

    // The same by HTTP/2: of two streams one waits for the other, and both for the rate.
    @Test
    void connectionRateMax_waitingIsNoTimeOut_byHttp2() throws IOException {
        start(builder -> builder.set(SwsSettings.LOGIN_TRIES, 1)
                .set(SwsSettings.CONNECTION_RATE_MAX, 1 << 10)
                .set(SwsSettings.WRITE_TIMEOUT, Duration.ofSeconds(2)));
        Http2Client client =
                Http2Client.dial(server.localAddress(), false, 0).begin(Http2Client.INITIAL_WINDOW_SIZE, 1 << 20);
        clients.add(client);
        client.window(0, 1 << 20);
        int first = client.get("/b.txt");
        client.expect(Http2Client.HEADERS);
        int second = client.get("/b.txt");
        client.flush();
        await(() -> server.requestStats().responses() == 2);
        jump(Duration.ofSeconds(4));
        assertThat(client.response(first).body()).hasSize(3000);
        assertThat(client.response(second).body()).hasSize(3000);
        assertThat(server.requestStats().timeouts()).isZero();
    }

    // Hosts.

    private SwsConfig other(String name, HeaderRule... always) throws IOException {
        Path folder = Files.createDirectories(temp.resolve(name));
        Files.writeString(folder.resolve("a.html"), name);
        Files.write(folder.resolve("large.bin"), LARGE_CONTENT);
        return SwsConfig.builder(folder)
                .set(SwsSettings.HEADERS_ALWAYS, List.of(always))
                .set(SwsSettings.CACHE_REVALIDATION, Duration.ofMillis(20))
                .build();
    }

    private static String getOf(String host, String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    // Each host has a root and rules of its own, on one connection; others have the main ones.
    @Test
    void sites_areByHost() throws IOException {
        HeaderRule always = HeaderRule.parse("** X-Site: one");
        SwsConfig one = other("one", always);
        SwsConfig two = other("two");
        start(builder -> builder.set(SwsSettings.HOSTS, List.of("main.example"))
                .sites(List.of(
                        new HostedSite(List.of("one.example", "www.one.example"), one),
                        new HostedSite(List.of("*.two.example"), two))));
        RawClient client = connect();
        for (int i = 0; i < 3; i++) {
            Response page = client.send(getOf("one.example:80", "/a.html")).response();
            assertThat(page.text()).isEqualTo("one");
            assertThat(page.field("X-Site")).isEqualTo("one");
            assertThat(client.send(getOf("WWW.one.example.", "/a.html"))
                            .response()
                            .text())
                    .isEqualTo("one");
            assertThat(client.send(getOf("a.two.example", "/a.html")).response().text())
                    .isEqualTo("two");
            assertThat(client.send(getOf("main.example", "/a.html")).response().text())
                    .isEqualTo("hello");
            assertThat(client.send(getOf("other.example", "/a.html")).response().status())
                    .isEqualTo(421);
        }
        Response missing = client.send(getOf("one.example", "/b.txt")).response();
        assertThat(missing.status()).isEqualTo(404);
        assertThat(missing.field("X-Site")).isEqualTo("one");
        client.send(getOf("one.example", "/a.html")
                + getOf("a.two.example", "/large.bin")
                + getOf("main.example", "/a.html"));
        assertThat(client.response().text()).isEqualTo("one");
        assertThat(client.response().body()).isEqualTo(LARGE_CONTENT);
        assertThat(client.response().text()).isEqualTo("hello");
    }

    // A reload brings a host and takes one away, while a large file is under way.
    @Test
    void sites_areReloaded() throws IOException {
        SwsConfig one = other("one");
        SwsConfig two = other("two");
        start(builder -> builder.sites(List.of(new HostedSite(List.of("one.example"), one))));
        RawClient download = connect(4_096);
        download.send(getOf("one.example", "/large.bin")).readHead();
        RawClient client = connect();
        assertThat(client.send(getOf("one.example", "/a.html")).response().text())
                .isEqualTo("one");
        server.reload(SwsConfig.builder(root)
                .sites(List.of(new HostedSite(List.of("two.example"), two)))
                .build());
        assertThat(client.send(getOf("two.example", "/a.html")).response().text())
                .isEqualTo("two");
        assertThat(client.send(getOf("one.example", "/a.html")).response().text())
                .isEqualTo("hello");
        assertThat(download.readRest().body()).isEqualTo(LARGE_CONTENT);
    }
}
