// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.mely.sws.RawClient.Response;
import io.mely.sws.files.Fallback;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is sent in the place of nothing: a fallback, or a list of a folder, as the client has it. */
class FallbackServerTest extends SwsServerHarness {
    private static final String BROWSER = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private static Response get(RawClient client, String path, String fields) throws IOException {
        return client.send("GET " + path + " HTTP/1.1\r\n" + HOST + fields + "\r\n")
                .response();
    }

    // Navigation gets the page, with 200; what is there is sent as it is; programs, assets and hidden names get 404.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/route | text/html | 200 | index",
                "/route/7?x=1 | */* | 200 | index",
                "/r%6Fute | | 200 | index",
                "/a.html | text/html | 200 | hello",
                "/dir/ | text/html | 200 | index",
                "/route | application/json | 404 |",
                "/route | image/avif,image/* | 404 |",
                "/route.js | */* | 404 |",
                "/.hidden | text/html | 404 |",
            })
    void missing_isThePage(String path, String accept, int status, String body) throws IOException {
        start(builder -> builder.set(SwsSettings.FALLBACKS, List.of(new Fallback("/", "/dir/index.html"))));
        RawClient client = connect();
        String fields = accept == null ? "" : "Accept: " + accept + "\r\n";
        for (int i = 0; i < 2; i++) {
            Response response = get(client, path, fields);
            assertThat(response.status()).isEqualTo(status);
            if (status == 200) {
                assertThat(response.text()).isEqualTo(body);
            }
        }
    }

    // The page is a file like any other: HEAD, conditions, ranges; caches are told that it depends on Accept. Other
    // methods never see it.
    @Test
    void page_isAFile() throws IOException {
        start(builder -> builder.set(SwsSettings.FALLBACKS, List.of(new Fallback("/", "/dir/index.html"))));
        RawClient client = connect();
        Response page = get(client, "/route", BROWSER);
        assertThat(page.field("Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(page.field("Vary")).isEqualTo("Accept");
        String tag = page.field("ETag");
        assertThat(get(client, "/other", BROWSER + "If-None-Match: " + tag + "\r\n")
                        .status())
                .isEqualTo(304);
        assertThat(get(client, "/other", BROWSER + "Range: bytes=1-2\r\n").text())
                .isEqualTo("nd");
        Response head = client.send("HEAD /route HTTP/1.1\r\n" + HOST + BROWSER + "\r\n")
                .response(true);
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.field("Content-Length")).isEqualTo("5");
        assertThat(client.send("POST /route HTTP/1.1\r\n" + HOST + BROWSER + "Content-Length: 0\r\n\r\n")
                        .response()
                        .status())
                .isEqualTo(405);
        assertThat(get(client, "/a.html", BROWSER).field("Vary")).isNull();
    }

    // A page that is not there is 404, as often as it is asked for; when it comes it is sent.
    @Test
    void page_missing_is404() throws IOException {
        start(builder -> builder.set(SwsSettings.FALLBACKS, List.of(new Fallback("/", "/app.html"))));
        RawClient client = connect();
        assertThat(get(client, "/route", BROWSER).status()).isEqualTo(404);
        Files.writeString(root.resolve("app.html"), "app");
        await(() -> {
            try {
                return get(client, "/route", BROWSER).status() == 200;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    // JSON for those who ask for it by name, a page for all others; both hold hostile names, escaped, and nothing
    // hidden.
    @Test
    void listing_byAccept() throws IOException {
        String hostile = "<img src=x onerror=alert(1)>\"'&.txt";
        Files.createDirectories(root.resolve("list/sub"));
        Files.writeString(root.resolve("list").resolve(hostile), "12345");
        Files.writeString(root.resolve("list/.secret"), "");
        start(builder -> builder.set(SwsSettings.LISTING, true));
        RawClient client = connect();
        Response json = get(client, "/list/", "Accept: application/json\r\n");
        assertThat(json.field("Content-Type")).isEqualTo("application/json");
        assertThat(json.field("Vary")).isEqualTo("Accept");
        assertThat(json.text()).doesNotContain("<", ">");
        List<? extends Config> names =
                ConfigFactory.parseString("list = " + json.text()).getConfigList("list");
        assertThat(names).hasSize(2);
        assertThat(names.get(0).getString("name")).isEqualTo("sub");
        assertThat(names.get(0).getString("type")).isEqualTo("directory");
        assertThat(names.get(0).hasPath("size")).isFalse();
        assertThat(names.get(1).getString("name")).isEqualTo(hostile);
        assertThat(names.get(1).getString("type")).isEqualTo("file");
        assertThat(names.get(1).getInt("size")).isEqualTo(5);
        assertThat(names.get(1).getString("mtime")).endsWith(" GMT");
        for (String fields : List.of("", BROWSER, "Accept: */*\r\n", "Accept: application/json;q=0.1, text/html\r\n")) {
            Response page = get(client, "/list/", fields);
            assertThat(page.field("Content-Type")).isEqualTo("text/html; charset=utf-8");
            assertThat(page.field("Vary")).isEqualTo("Accept");
            assertThat(page.text()).doesNotContain("<img", ".secret").contains("&lt;img", "<style>");
        }
        assertThat(get(client, "/dir/", "Accept: application/json\r\n").text()).isEqualTo("index");
    }

    @Test
    void listing_empty_isAnEmptyArray() throws IOException {
        Files.createDirectories(root.resolve("empty"));
        start(builder -> builder.set(SwsSettings.LISTING, true));
        String json = get(connect(), "/empty/", "Accept: application/json\r\n").text();
        assertThat(ConfigFactory.parseString("list = " + json).getList("list")).isEmpty();
    }
}
