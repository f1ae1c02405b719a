// SPDX-License-Identifier: Apache-2.0
package io.mely.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.admin.AdminServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

// What a registry reads are the runtime's own figures.
class MelyMetricsTest {
    private static double count(MeterRegistry registry, String name, String... tags) {
        return registry.get(name).tags(Tags.of(tags)).functionCounters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    @Test
    void meters_haveTheFiguresOfCoresAndStages() {
        Mely mely = Mely.builder().cores(2).errorHandler(failure -> {}).build();
        Stage<Boolean> stage = mely.stage("mine", StageOptions.defaults().withCapacity(5), isWrong -> {
            if (isWrong) {
                throw new IllegalStateException("on purpose");
            }
        });
        for (int i = 0; i < 7; i++) {
            boolean unused = stage.offer(mely.color(i), i == 0);
        }
        mely.start();
        assertThat(mely.close(Duration.ofMinutes(1)).isDrained()).isTrue();

        MeterRegistry registry = new SimpleMeterRegistry();
        new MelyMetrics(mely, Tags.of("runtime", "test")).bindTo(registry);
        assertThat(count(registry, "mely.stage.events", "stage", "mine", "outcome", "run"))
                .isEqualTo(5);
        assertThat(count(registry, "mely.stage.events", "stage", "mine", "outcome", "failed"))
                .isEqualTo(1);
        assertThat(count(registry, "mely.stage.events", "stage", "mine", "outcome", "refused"))
                .isEqualTo(2);
        assertThat(count(registry, "mely.core.events", "outcome", "run", "runtime", "test"))
                .isEqualTo(5);
        assertThat(count(registry, "mely.outside.events", "outcome", "sent")).isEqualTo(7);
        assertThat(registry.get("mely.pending").gauge().value()).isZero();
        assertThat(registry.get("mely.stage.sojourn")
                        .tags("stage", "mine", "quantile", "0.99")
                        .gauge()
                        .value())
                .isPositive();
    }

    @Test
    void pending_isReadAgain() {
        Mely mely = Mely.builder().cores(1).build();
        CountDownLatch goesOn = new CountDownLatch(1);
        mely.start();
        mely.color(1).execute(() -> {
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        MeterRegistry registry = new SimpleMeterRegistry();
        AtomicLong nowNs = new AtomicLong();
        new MelyMetrics(mely, Tags.empty(), nowNs::get).bindTo(registry);
        assertThat(registry.get("mely.pending").gauge().value()).isEqualTo(1);
        goesOn.countDown();
        assertThat(mely.close(Duration.ofMinutes(1)).isDrained()).isTrue();
        assertThat(registry.get("mely.pending").gauge().value())
                .as("the same second")
                .isEqualTo(1);
        nowNs.addAndGet(1_000_000_000);
        assertThat(registry.get("mely.pending").gauge().value()).isZero();
    }

    @Test
    void adminPort_servesThem_toPrometheus() throws Exception {
        Mely mely = Mely.builder().cores(1).build();
        Stage<String> unused = mely.stage("a \"quoted\" stage", event -> {});
        mely.start();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new MelyMetrics(mely).bindTo(registry);
        InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (AdminServer admin = AdminServer.start(
                mely,
                at,
                "localhost",
                Map.of("/metrics", () -> new AdminServer.Route.Answer(200, "text/plain", registry.scrape())))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + admin.port() + "/metrics"))
                    .build();
            HttpResponse<String> response =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body())
                    .contains("mely_stage_pending{stage=\"a \\\"quoted\\\" stage\"} 0.0")
                    .contains("mely_core_steals_total{core=\"0\"} 0.0")
                    .contains("mely_stage_service_seconds{");
        } finally {
            mely.close();
        }
    }
}
