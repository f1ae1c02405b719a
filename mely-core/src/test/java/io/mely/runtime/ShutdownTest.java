// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.Await;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.StageOptions;
import io.mely.ThreadsGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// A close that nobody waits for, and what a close says of handlers that do not end.
@Timeout(60)
class ShutdownTest {
    private static final Duration PATIENCE = Duration.ofSeconds(Await.PATIENCE_S);

    @Test
    void shutdown_byAHandler_drains() throws Exception {
        Mely mely = Mely.builder().cores(1).build();
        AtomicInteger ran = new AtomicInteger();
        CompletableFuture<Mely.CloseReport> report = new CompletableFuture<>();
        mely.colorAt(1).execute(() -> mely.shutdown(PATIENCE).whenComplete((done, error) -> report.complete(done)));
        for (int i = 0; i < 100; i++) {
            mely.colorAt(2).execute(ran::incrementAndGet);
        }
        mely.start();
        assertThat(report.get(Await.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
        assertThat(ran).hasValue(100);
    }

    @Test
    void shutdown_negative_isRefused() {
        try (Mely mely = Mely.builder().cores(1).build()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> mely.shutdown(Duration.ofNanos(-1)))
                    .withMessage("drain must be >= 0: drain=PT-0.000000001S");
        }
    }

    // Those of a group's own threads, too.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void close_namesTheHandlersThatRunOn(boolean isOfAGroup) throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch isInside = new CountDownLatch(1);
        Mely mely = Mely.builder()
                .name("stuck")
                .cores(1)
                .policy("threads", Policy.of("threads", ThreadsGroup::new))
                .build()
                .start();
        StageOptions options = StageOptions.defaults();
        mely.stage("forever", isOfAGroup ? options.withGroup("threads") : options, event -> {
                    isInside.countDown();
                    assertThat(mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
                })
                .offer(mely.colorAt(3), "x");
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        try (Logged logged = new Logged("io.mely")) {
            assertThat(mely.close(Duration.ZERO).isDrained()).isFalse();
            assertThat(logged.messages())
                    .anySatisfy(message -> assertThat(message)
                            .contains(
                                    "coresStopped=false",
                                    "stage=forever",
                                    "color=3",
                                    isOfAGroup ? "thread=stuck-threads-" : "thread=stuck-0",
                                    "ShutdownTest"));
        }
        mayEnd.countDown();
    }
}
