// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.mely.cli.Program.Service;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsMeters;
import io.mely.sws.SwsServer;
import io.mely.sws.SwsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// What operators get on an address of their own.
@Timeout(120)
class AdminPortTest {
    @TempDir
    Path root;

    private final HttpClient client = HttpClient.newHttpClient();
    private SwsServer server;
    private boolean isServing = true;

    @BeforeEach
    void start() throws IOException {
        Files.writeString(root.resolve("a.txt"), "a");
        server = SwsServer.start(SwsConfig.builder(root)
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .set(SwsSettings.CORES, 1)
                .build());
    }

    @AfterEach
    void close() {
        assertThat(server.close(Duration.ofSeconds(30))).isTrue();
    }

    /** Of the server, whose state the test sets. */
    private final class Watched implements Service {
        @Override
        public Program.Monitored monitored() {
            return new Program.Monitored(server.mely(), new SwsMeters(server));
        }

        @Override
        public String readyLine() {
            return "";
        }

        @Override
        public boolean isServing() {
            return isServing;
        }

        @Override
        public void close() {}

        @Override
        public String statistics() {
            return "";
        }

        @Override
        public boolean rehearse() {
            return true;
        }
    }

    private AdminPort open(String setting) throws StartException {
        Values values = new Values();
        values.put(CommonSettings.ADMIN, setting, setting, Source.flag("--admin"));
        return AdminPort.open(values, new Watched());
    }

    private HttpResponse<String> get(InetSocketAddress at, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + at.getPort() + path);
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void probes_tellAliveFromReady() throws Exception {
        try (AdminPort admin = open("0")) {
            assertThat(get(admin.address(), "/livez").statusCode()).isEqualTo(200);
            assertThat(get(admin.address(), "/readyz").statusCode()).isEqualTo(200);
            admin.stopping();
            assertThat(get(admin.address(), "/livez").statusCode()).isEqualTo(200);
            assertThat(get(admin.address(), "/readyz").statusCode()).isEqualTo(503);
            assertThat(get(admin.address(), "/readyz").body()).isEqualTo("it is stopping\n");
            isServing = false;
            assertThat(get(admin.address(), "/livez").statusCode()).isEqualTo(503);
        }
    }

    @Test
    void metrics_countWhatClientsGot() throws Exception {
        try (AdminPort admin = open("127.0.0.1:0")) {
            assertThat(get(server.localAddress(), "/a.txt").statusCode()).isEqualTo(200);
            assertThat(get(server.localAddress(), "/b.txt").statusCode()).isEqualTo(404);
            HttpResponse<String> metrics = get(admin.address(), "/metrics");
            assertThat(metrics.headers().firstValue("Content-Type"))
                    .contains("text/plain; version=0.0.4; charset=utf-8");
            assertThat(metrics.body())
                    .contains("sws_responses_total{status=\"2xx\"} 1.0", "sws_responses_total{status=\"4xx\"} 1.0")
                    .contains("sws_http2_streams_opened_total ", "sws_http2_streams_open ")
                    .contains(
                            "mely_stage_pending{stage=\"ReadRequest\"}",
                            "jvm_memory_used_bytes{",
                            "process_uptime_seconds");
            assertThat(get(admin.address(), "/").body()).contains("<!doctype html>");
            assertThat(get(admin.address(), "/nothing").body()).contains("/livez, /metrics, /readyz");
        }
    }

    @Test
    void off_opensNothing() throws Exception {
        assertThat(open("off")).isNull();
    }

    @Test
    void portInUse_isSaid() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            String setting = "0.0.0.0:" + taken.getLocalPort();
            assertThatExceptionOfType(StartException.class)
                    .isThrownBy(() -> Objects.requireNonNull(open(setting)).close())
                    .withMessageContaining("--admin")
                    .withMessageContaining("in use");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "70000", "1.2.3:80", "host:", ":80", "127.0.0.1:-1", "on"})
    void wrongAddresses_areRefused(String text) {
        assertThat(AdminPort.isSetting(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "0", "9090", "127.0.0.1:9090", "[::1]:9090", "localhost:9090"})
    void addresses_areTaken(String text) {
        assertThat(AdminPort.isSetting(text)).isTrue();
    }
}
