// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.mely.search.corpus.Page;
import io.mely.search.index.DamagedIndexException;
import io.mely.search.index.IndexFolder;
import io.mely.search.index.Indexer;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Over HTTP, as a browser asks.
@Timeout(120)
class SearchServerTest {
    @TempDir
    Path temp;

    private final HttpClient client = HttpClient.newHttpClient();
    private IndexFolder folder;
    private SearchServer server;

    @BeforeEach
    void setUp() throws IOException {
        folder = new IndexFolder(temp.resolve("index"));
        Files.createDirectories(temp.resolve("site"));
        Files.writeString(temp.resolve("site/cat.html"), "a file");
        index(new Page("Cat & dog", "/cat.html", "Cats chase <mice>"), new Page("The house", "", "of a cat"));
    }

    @AfterEach
    void close() {
        if (server != null) {
            assertThat(server.close(Duration.ofSeconds(30))).isTrue();
        }
    }

    private void index(Page... pages) throws IOException {
        Indexer.index(
                sink -> {
                    for (Page page : pages) {
                        sink.take(() -> page);
                    }
                },
                folder,
                1,
                count -> {});
    }

    private void start(boolean isSiteServed) throws IOException {
        SwsConfig http = SwsConfig.builder(temp.resolve("site"))
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .set(SwsSettings.CORES, 2)
                .build();
        server = SearchServer.start(new SearchServer.Config(http, folder, 1 << 20, isSiteServed, Duration.ZERO));
    }

    private HttpRequest.Builder request(String target) {
        InetSocketAddress at = server.localAddress();
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + at.getPort() + target));
    }

    private HttpResponse<String> get(String target) throws Exception {
        return client.send(request(target).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void results_areAPage_withWordsMarked_andEverythingEscaped() throws Exception {
        start(true);
        HttpResponse<String> page = get("/search?x=1&q=cat+mice");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("content-type")).hasValue("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("content-security-policy")).isPresent();
        assertThat(page.body())
                .contains("value=\"cat mice\"")
                .contains("1 page")
                .contains("<a href=\"/cat.html\"><mark>Cat</mark> &amp; dog</a>")
                .contains("<mark>Cats</mark> chase &lt;<mark>mice</mark>&gt;");
        assertThat(get("/cat.html").body()).isEqualTo("a file");
        assertThat(get("/wiki/The%20House").body()).contains("The <mark>house</mark>");
        assertThat(get("/search").body()).contains("autofocus");
    }

    @Test
    void misspeltWords_areSaid() throws Exception {
        start(true);
        assertThat(get("/search?q=howse").body())
                .contains("Results for <a href=\"/search?q=house\"><em>house</em></a>");
    }

    @Test
    void json_suggestionsAndFiles_areThere() throws Exception {
        start(true);
        assertThat(get("/search.json?q=cat").body()).contains("\"total\":2").contains("\"title\":\"Cat & dog\"");
        assertThat(get("/suggest?q=ho").body()).isEqualTo("[\"The house\"]\n");
        assertThat(get("/suggest").body()).isEqualTo("[]\n");
        assertThat(get("/search.css").headers().firstValue("content-type")).hasValue("text/css; charset=utf-8");
        assertThat(get("/search.js").body()).contains("keydown");
    }

    @Test
    void withoutASite_theRootIsTheSearchPage() throws Exception {
        start(false);
        assertThat(get("/").body()).contains("role=\"search\"");
    }

    @Test
    void compressedPages_areTheSame() throws Exception {
        start(true);
        HttpResponse<byte[]> page = client.send(
                request("/search?q=cat").header("Accept-Encoding", "gzip").build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertThat(page.headers().firstValue("content-encoding")).hasValue("gzip");
        assertThat(page.headers().firstValue("vary")).hasValue("Accept-Encoding");
        assertThat(new String(
                        new GZIPInputStream(new ByteArrayInputStream(page.body())).readAllBytes(),
                        StandardCharsets.UTF_8))
                .isEqualTo(get("/search?q=cat").body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/search?q=%zz", "/search.json?q=%", "/suggest?q=%e"})
    void malformedQueries_areRefused(String target) throws Exception {
        start(true);
        HttpRequest asked = HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                        + server.localAddress().getPort() + target.substring(0, target.indexOf('?'))))
                .build();
        assertThat(client.send(asked, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        try (var raw = new io.mely.sws.RawClient(server.localAddress())) {
            raw.send("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(raw.response().status()).isEqualTo(400);
        }
    }

    // Queries go on while the index is replaced; each is answered from one of the two.
    @Test
    void newIndex_isUsed_whileQueriesGoOn() throws Exception {
        start(true);
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            answers.add(client.sendAsync(request("/search.json?q=cat").build(), HttpResponse.BodyHandlers.ofString()));
            if (i == 100) {
                index(new Page("Another cat", "", ""));
                assertThat(server.look()).isTrue();
                assertThat(server.look()).isFalse();
            }
        }
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            assertThat(answer.get().body()).containsAnyOf("\"total\":2", "\"total\":1");
        }
        assertThat(server.pages()).isEqualTo(1);
        assertThat(get("/search.json?q=another+cat").body()).contains("\"total\":1");
    }

    @Test
    void damagedNewIndex_isLeftAlone() throws Exception {
        start(true);
        index(new Page("x", "", ""));
        Files.delete(folder.current().resolve("manifest"));
        assertThat(server.look()).isFalse();
        assertThat(get("/search.json?q=cat").body()).contains("\"total\":2");
        index(new Page("cat", "", ""));
        assertThat(server.look()).isTrue();
    }

    @Test
    void damagedIndex_isNotServed() throws Exception {
        Files.delete(folder.current().resolve("manifest"));
        assertThatExceptionOfType(DamagedIndexException.class).isThrownBy(() -> start(true));
    }
}
