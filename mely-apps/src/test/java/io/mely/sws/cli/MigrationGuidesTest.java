// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.cli.ConfigFile;
import io.mely.cli.Values;
import io.mely.sws.RawClient;
import io.mely.sws.RawClient.Response;
import io.mely.sws.SwsServer;
import io.mely.sws.TlsFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of the guides for those who come from another server are started as they stand there, but for ports and folders, and do what the guides say. */
@Timeout(60)
class MigrationGuidesTest {
    private static final Path GUIDES = Path.of("..", "docs", "guides");
    private static final Pattern EXAMPLE = Pattern.compile("`/etc/sws/sws.conf`:\n\n((    .*\n)+)");
    private static final Pattern USERS = Pattern.compile("\n    (ada:\\S+)\n");
    private static final Pattern ROW = Pattern.compile("\\| .* \\| (.*) \\|\n");
    private static final Pattern SETTING = Pattern.compile("`([a-z][a-z0-9-]*)`");
    private static final FileTime WRITTEN = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));
    private static final String LOGIN =
            Base64.getEncoder().encodeToString("ada:secret".getBytes(StandardCharsets.US_ASCII));

    @TempDir
    Path folder;

    private SwsServer server;
    private RawClient client;

    @BeforeEach
    void writeSite() throws IOException {
        Map<String, String> files = Map.of(
                "index.html", "home",
                "about.html", "about",
                "404.html", "nothing here",
                "app/index.html", "app",
                "assets/a.css", "css",
                "assets/a.css.gz", "packed",
                "admin/index.html", "admin",
                "team/index.html", "team",
                "f.woff2", "font");
        for (Map.Entry<String, String> each : files.entrySet()) {
            Path file = folder.resolve("www").resolve(each.getKey());
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.writeString(file, each.getValue());
            // A map has no order, and a packed file older than its plain one is not sent.
            Files.setLastModifiedTime(file, WRITTEN);
        }
        Files.writeString(
                folder.resolve("htpasswd"),
                USERS.matcher(guide("from-caddy.md"))
                        .results()
                        .findFirst()
                        .orElseThrow()
                        .group(1));
    }

    @AfterEach
    void close() throws IOException {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            assertThat(server.close(Duration.ofSeconds(30))).isTrue();
        }
    }

    private static String guide(String name) throws IOException {
        return Files.readString(GUIDES.resolve(name));
    }

    private void start(String guide) throws Exception {
        String text = EXAMPLE.matcher(guide(guide))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        String here = text.replace("/srv/www", folder + "/www")
                .replace("/etc/sws/htpasswd", folder + "/htpasswd")
                .replace("/var/log/sws", folder.toString())
                .replace("/etc/ssl/site/fullchain.pem", TlsFiles.file("ec.pem").toString())
                .replace(
                        "/etc/ssl/site/privkey.pem", TlsFiles.file("ec-key.pem").toString())
                .replace("0.0.0.0", "127.0.0.1")
                .replace("port = 443", "port = 0");
        Values values = ConfigFile.readText(Settings.TABLE, "sws.conf", here);
        server = SwsServer.start(Invocation.of(values).config());
        client = new RawClient(server.localAddress(), 0, TlsFiles.clients());
    }

    private Response ask(String target, String... fields) throws IOException {
        return ask(client, "www.example.org", target, fields);
    }

    private static Response ask(RawClient client, String host, String target, String... fields) throws IOException {
        String lines = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return client.send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + lines + "\r\n")
                .response();
    }

    private static String text(Response response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    /** What both examples have. */
    private void checkSite(String guarded) throws IOException {
        InetSocketAddress plain = Objects.requireNonNull(server.redirectAddress());
        try (RawClient visitor = new RawClient(plain)) {
            Response moved = ask(visitor, "example.org", "/a?b=c");
            assertThat(moved.status()).isEqualTo(301);
            assertThat(moved.field("Location"))
                    .isEqualTo("https://example.org:" + server.localAddress().getPort() + "/a?b=c");
        }
        assertThat(ask(client, "other.example", "/").status()).isEqualTo(421);
        Response home = ask("/");
        assertThat(text(home)).isEqualTo("home");
        assertThat(home.field("Cache-Control")).isEqualTo("no-cache");
        assertThat(text(ask("/about"))).isEqualTo("about");
        Response missing = ask("/none");
        assertThat(missing.status()).isEqualTo(404);
        assertThat(text(missing)).isEqualTo("nothing here");
        assertThat(text(ask("/app/deep/link"))).isEqualTo("app");
        Response asset = ask("/assets/a.css", "Accept-Encoding: gzip");
        assertThat(text(asset)).isEqualTo("packed");
        assertThat(asset.field("Content-Encoding")).isEqualTo("gzip");
        assertThat(asset.field("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(ask(guarded).status()).isEqualTo(401);
        assertThat(ask(guarded, "Authorization: Basic " + LOGIN).status()).isEqualTo(200);
        assertThat(folder.resolve("access.log")).exists();
    }

    @Test
    void fromNginx_theExampleDoesWhatItSays() throws Exception {
        start("from-nginx.md");
        checkSite("/admin/");
        Response moved = ask("/old/a/b?c=d");
        assertThat(moved.status()).isEqualTo(301);
        assertThat(moved.field("Location")).isEqualTo("/new/a/b?c=d");
        assertThat(ask("/f.woff2").field("Access-Control-Allow-Origin")).isEqualTo("*");
        assertThat(ask("/").field("Access-Control-Allow-Origin")).isNull();
    }

    @Test
    void fromCaddy_theExampleDoesWhatItSays() throws Exception {
        start("from-caddy.md");
        checkSite("/team/");
        assertThat(ask("/moved").field("Location")).isEqualTo("/new/");
    }

    // The tables name settings that there are.
    @ParameterizedTest
    @ValueSource(strings = {"from-nginx.md", "from-caddy.md"})
    void tables_nameSettings(String guide) throws IOException {
        List<String> named = ROW.matcher(guide(guide))
                .results()
                .flatMap(row -> SETTING.matcher(row.group(1)).results())
                .map((MatchResult setting) -> setting.group(1))
                .toList();
        assertThat(named).hasSizeGreaterThan(30);
        assertThat(named)
                .allSatisfy(key -> assertThat(Settings.TABLE.byKey(key)).as(key).isNotNull());
    }
}
