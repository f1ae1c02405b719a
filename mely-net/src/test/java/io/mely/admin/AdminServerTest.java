// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.Stage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminServerTest {
    private final Mely mely = Mely.builder().cores(1).build();
    private AdminServer admin;

    @BeforeEach
    void start() throws IOException {
        admin = AdminServer.start(mely, 0);
        Stage<String> second = mely.stage("second \"<&>", event -> {});
        Stage<String> first = mely.stage("first", second::send);
        first.send("x");
        mely.start();
        mely.close(); // all has run
    }

    @AfterEach
    void close() {
        admin.close();
    }

    private HttpResponse<String> get(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + admin.port() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private String body(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get("GET", path);
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    /** Sends as it is; returns the lines of the answer's head. */
    private List<String> raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), admin.port())) {
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            return in.lines().takeWhile(line -> !line.isEmpty()).collect(Collectors.toList());
        }
    }

    @Test
    void json_hasStagesAndEdges() throws Exception {
        String json = body("/graph.json");
        assertThat(json)
                .contains("\"name\":\"first\"", "\"name\":\"second \\\"\\u003c&>\"", "\"group\":\"main\"")
                .contains("{\"from\":2,\"to\":1,\"events\":1}", "{\"from\":-1,\"to\":2,\"events\":1}")
                .contains("\"cores\":[{\"core\":0,", "\"warnings\":[]");
    }

    @Test
    void dot_quotesNames() throws Exception {
        assertThat(body("/graph.dot"))
                .startsWith("digraph stages {")
                .contains("s1 [label=\"second \\\"<&>\\nmain", "s2 -> s1 [label=\"1\"", "outside -> s2")
                .endsWith("}\n");
    }

    @Test
    void svg_isWellFormed_andShowsUsedStagesOnly() throws Exception {
        String svg = body("/graph.svg");
        javax.xml.parsers.DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new java.io.ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(svg)
                .contains(">first</text>", ">second &quot;&lt;&amp;></text>")
                .doesNotContain("execute");
    }

    @Test
    void page_needsNothingElse() throws Exception {
        HttpResponse<String> page = get("GET", "/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body().replace("http://www.w3.org/2000/svg", "a name, and no address"))
                .contains("<!doctype html>")
                .doesNotContain("http://", "https://", "innerHTML", "insertAdjacent", "document.write");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .startsWith("default-src 'none'; script-src 'sha256-")
                .contains("require-trusted-types-for 'script'")
                .doesNotContain("unsafe", "*");
        assertThat(page.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    }

    @Test
    void stream_sendsFigures_untilTheClose() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), admin.port())) {
            socket.getOutputStream()
                    .write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String line = in.readLine();
            while (line != null && !line.startsWith("data: ")) {
                line = in.readLine();
            }
            assertThat(line)
                    .startsWith("data: {\"nodes\":[")
                    .contains("\"activity\":{\"cores\":[{\"core\":0,\"handlerShare\":0", "\"stalls\":{\"told\":0,");
            admin.close();
            while (line != null) {
                line = in.readLine(); // it ends
            }
        }
    }

    @Test
    void streams_areFourAtMost() throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), admin.port());
                open.add(socket);
                socket.getOutputStream()
                        .write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
            assertThat(get("GET", "/events").statusCode()).isEqualTo(503);
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void otherHosts_methodsAndPaths_areRefused() throws Exception {
        assertThat(raw("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").get(0)).contains(" 421 ");
        assertThat(raw("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + admin.port() + "\r\n\r\n")
                        .get(0))
                .contains(" 200 ");
        assertThat(get("POST", "/").statusCode()).isEqualTo(405);
        assertThat(get("GET", "/etc/passwd").statusCode()).isEqualTo(404);
        assertThat(get("HEAD", "/graph.json").body()).isEmpty();
    }

    @Test
    void figures_haveThreeDigits() {
        assertThat(Figures.count(0)).isEqualTo("0");
        assertThat(Figures.count(1_234)).isEqualTo("1.23k");
        assertThat(Figures.count(999_600)).isEqualTo("1.00M");
        assertThat(Figures.time(12_345)).isEqualTo("12.3 us");
        assertThat(Figures.time(2_500_000_000.0)).isEqualTo("2.50 s");
    }
}
