// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.sws.RawClient.Response;
import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.HeaderRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Error pages and header fields of one's own. */
class ConfiguredResponseTest extends SwsServerHarness {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private void startWithPages(String... pages) throws IOException {
        start(builder -> builder.set(
                SwsSettings.ERROR_PAGES,
                List.of(pages).stream().map(ErrorPage::parse).toList()));
    }

    private void startWithHeaders(String... rules) throws IOException {
        start(builder -> builder.set(
                SwsSettings.HEADERS,
                List.of(rules).stream().map(HeaderRule::parse).toList()));
    }

    @Test
    void errorPage_isSent_withItsTypeAndLength() throws IOException {
        Files.writeString(root.resolve("404.txt"), "nothing here");
        Path elsewhere = Files.writeString(temp.resolve("405.html"), "<p>no");
        startWithPages("404 404.txt", "405 " + elsewhere);
        RawClient client = connect();
        Response missing = client.get("/missing").response();
        assertThat(missing.status()).isEqualTo(404);
        assertThat(missing.text()).isEqualTo("nothing here");
        assertThat(missing.field("Content-Type")).isEqualTo("text/plain; charset=utf-8");
        Response head =
                client.send("HEAD /missing HTTP/1.1\r\n" + HOST + "\r\n").response(true);
        assertThat(head.field("Content-Length")).isEqualTo("12");
        Response refused =
                client.send("DELETE /a.html HTTP/1.1\r\n" + HOST + "\r\n").response();
        assertThat(refused.text()).isEqualTo("<p>no");
        assertThat(refused.field("Content-Type")).startsWith("text/html");
        assertThat(refused.field("Allow")).contains("GET");
        assertThat(client.send("GET / HTTP/1.1\r\n\r\n").response().text()).contains("400 Bad Request");
    }

    /** Property: fields as long as is allowed fit wherever they come in a row of pipelined requests, with a body, without, and in parts. */
    @Test
    void fields_longest_pipelined() throws IOException {
        String policy = "p".repeat(HeaderRule.VALUE_CHARS_MAX);
        String rest = "r".repeat(HeaderRule.FIELDS_CHARS_MAX - policy.length() - "XY".length() - 8);
        startWithHeaders("/** X: " + policy, "/** Y: " + rest);
        RawClient client = connect();
        String requests = "GET /a.html HTTP/1.1\r\n" + HOST + "\r\nHEAD /b.txt HTTP/1.1\r\n" + HOST
                + "\r\nGET /b.txt HTTP/1.1\r\n" + HOST + "Range: bytes=1-2\r\n\r\nGET /b.txt HTTP/1.1\r\n" + HOST
                + "Range: bytes=1-2,5-6\r\n\r\nGET /c.txt HTTP/1.1\r\n" + HOST
                + "If-None-Match: *\r\n\r\nGET /missing HTTP/1.1\r\n" + HOST + "\r\n";
        client.send(requests.repeat(5));
        for (int i = 0; i < 5; i++) {
            assertThat(client.response().text()).isEqualTo("hello");
            for (int status : new int[] {200, 206, 206, 304, 404}) {
                Response response = client.response(status == 200);
                assertThat(response.status()).isEqualTo(status);
                assertThat(response.field("X")).isEqualTo(status == 404 ? null : policy);
                assertThat(response.field("Y")).isEqualTo(status == 404 ? null : rest);
            }
        }
        assertThatThrownBy(() -> startWithHeaders("/** X: " + policy, "/** Y: " + rest + "r"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("characters in one response: characters=" + (HeaderRule.FIELDS_CHARS_MAX + 1));
    }

    /** Property: the longest page fits wherever it comes in a row of pipelined requests. */
    @Test
    void errorPage_longest_pipelined() throws IOException {
        String page = "x".repeat(ErrorPage.BYTES_MAX);
        Files.writeString(root.resolve("long.html"), page);
        startWithPages("404 long.html", "400 long.html", "501 long.html");
        RawClient client = connect();
        String requests = "GET /a.html HTTP/1.1\r\n" + HOST + "\r\nGET /b.txt HTTP/1.1\r\n" + HOST
                + "\r\nGET /missing HTTP/1.1\r\n" + HOST + "\r\nBREW / HTTP/1.1\r\n" + HOST + "\r\n";
        client.send(requests.repeat(10) + "GET /%zz HTTP/1.1\r\n" + HOST + "\r\nbad\r\n\r\n");
        for (int i = 0; i < 10; i++) {
            assertThat(client.response().text()).isEqualTo("hello");
            assertThat(client.response().text()).isEqualTo("b".repeat(3000));
            assertThat(client.response().text()).isEqualTo(page);
            assertThat(client.response().text()).isEqualTo(page);
        }
        assertThat(client.response().text()).isEqualTo(page);
        assertThat(client.response().text()).isEqualTo(page);
        assertThat(client.isEnded()).isTrue();
    }

    // A page that can't be read is no reason not to serve: the built-in one is sent.
    @Test
    void errorPage_thatCantBeUsed_isTheBuiltInOne() throws IOException {
        Files.write(root.resolve("long.html"), new byte[ErrorPage.BYTES_MAX + 1]);
        for (String page : List.of("404 missing.html", "404 long.html", "404 dir")) {
            startWithPages(page);
            assertThat(connect().get("/missing").response().text()).as(page).contains("404 Not Found");
            server.close();
        }
        assertThatThrownBy(() -> startWithPages("404 a.html", "404 b.txt"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("error-pages=");
    }

    /** Property: the fields are those of the rules that match, in 200, 206 and 304, from memory and from the file, and nowhere else. */
    @Test
    void headers_byPath() throws IOException {
        startWithHeaders(
                "** Cache-Control: no-cache",
                "/*.txt Cache-Control: public, max-age=60",
                "/dir/** X-Where: below",
                "/large.bin X-Large: yes");
        RawClient client = connect();
        assertThat(client.get("/a.html").response().field("Cache-Control")).isEqualTo("no-cache");
        assertThat(client.get("/c.txt").response().field("Cache-Control")).isEqualTo("public, max-age=60");
        Response index = client.get("/dir/").response();
        assertThat(index.field("X-Where")).isEqualTo("below");
        assertThat(index.field("Cache-Control")).isEqualTo("no-cache");
        assertThat(client.get("/%64ir/./index.html").response().field("X-Where"))
                .isEqualTo("below");
        for (String fields :
                List.of("", "Range: bytes=0-0\r\n", "Range: bytes=0-0,5000-5000\r\n", "If-None-Match: *\r\n")) {
            Response large = client.send("GET /large.bin HTTP/1.1\r\n" + HOST + fields + "\r\n")
                    .response();
            assertThat(large.status()).isIn(200, 206, 304);
            assertThat(large.field("X-Large")).isEqualTo("yes");
            assertThat(large.field("Cache-Control")).isEqualTo("no-cache");
        }
        for (String other : List.of("/missing", "/dir", "/%zz")) {
            assertThat(client.get(other).response().field("Cache-Control"))
                    .as(other)
                    .isNull();
        }
    }
}
