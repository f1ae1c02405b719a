// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesSystemTest {
    @TempDir
    static Path root;

    private static List<SiteFiles.Page> pages;
    private static SwsProcess sws;

    @BeforeAll
    static void start() throws Exception {
        pages = SiteFiles.mixed(root);
        sws = SwsProcess.serving(root).startReady();
    }

    @AfterAll
    static void stop() {
        sws.close();
    }

    // A few hundred files of all sizes and odd names, over one connection, byte for byte; twice, so that the second
    // answer
    // comes from the cache.
    @Test
    void everyFile_isServedByteForByte() throws Exception {
        assertThat(pages).hasSizeGreaterThan(250);
        try (RawClient client = new RawClient(sws.address())) {
            for (int round = 0; round < 2; round++) {
                for (SiteFiles.Page page : pages) {
                    RawClient.Response response = client.fetch(page.path());
                    assertThat(response.status()).as(page.path()).isEqualTo(200);
                    assertThat(response.body()).as(page.path()).isEqualTo(page.content());
                }
            }
        }
        assertThat(sws.stderr()).isEmpty();
    }

    // The same with an HTTP client that other people wrote.
    @Test
    void everyFile_isServedToTheJdksClient() throws Exception {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (SiteFiles.Page page : pages) {
            URI uri = URI.create("http://127.0.0.1:" + sws.port() + page.path());
            HttpResponse<byte[]> response = client.send(
                    HttpRequest.newBuilder(uri).timeout(Await.TIMEOUT).build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            assertThat(response.statusCode()).as(page.path()).isEqualTo(200);
            assertThat(response.body()).as(page.path()).isEqualTo(page.content());
        }
    }

    // A folder is its index file.
    @Test
    void folder_isItsIndexFile() throws Exception {
        try (RawClient client = new RawClient(sws.address())) {
            int folders = 0;
            for (SiteFiles.Page page : pages) {
                if (page.path().endsWith("/index.html")) {
                    String folder = page.path().substring(0, page.path().length() - "index.html".length());
                    RawClient.Response response = client.fetch(folder);
                    assertThat(response.status()).as(folder).isEqualTo(200);
                    assertThat(response.body()).as(folder).isEqualTo(page.content());
                    folders++;
                }
            }
            assertThat(folders).isEqualTo(7);
            assertThat(client.fetch("/odd/").status()).isEqualTo(404);
        }
    }

    // All requests of a site in one go: answers come whole and in order.
    @Test
    void pipelinedRequests_areAnsweredInOrder() throws Exception {
        List<SiteFiles.Page> some = pages.subList(0, 50);
        try (RawClient client = new RawClient(sws.address())) {
            StringBuilder requests = new StringBuilder();
            some.forEach(page -> requests.append("GET ").append(page.path()).append(" HTTP/1.1\r\nHost: test\r\n\r\n"));
            Thread sender = new Thread(() -> send(client, requests.toString()));
            sender.start();
            for (SiteFiles.Page page : some) {
                RawClient.Response response = client.response();
                assertThat(response.status()).as(page.path()).isEqualTo(200);
                assertThat(response.body()).as(page.path()).isEqualTo(page.content());
            }
            sender.join();
        }
    }

    private static void send(RawClient client, String requests) {
        try {
            client.send(requests);
        } catch (java.io.IOException broken) {
            throw new java.io.UncheckedIOException(broken);
        }
    }
}
