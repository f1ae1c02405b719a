// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

// A handler that recurses too far while it asks for blocking work overflows before anything is begun: half-way the pool
// would keep its lock, so that no later call returns, or run a call that was said to have failed. In a JVM of its own,
// as a class whose first use overflows is lost to the others.
class BlockingOverflowTest {
    private static final int WARM = 500;
    private static final int ROUNDS = 64;

    @Test
    void blocking_overflows_beforeAnythingIsBegun() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-ea",
                        "-XX:-StackTraceInThrowable", // else the test takes a minute
                        "-cp",
                        System.getProperty("java.class.path"),
                        BlockingOverflowTest.class.getName())
                .redirectErrorStream(true)
                .start();
        boolean hasEnded = process.waitFor(2 * Await.PATIENCE_S, TimeUnit.SECONDS);
        if (!hasEnded) {
            process.destroyForcibly();
        }
        assertThat(hasEnded).isTrue();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output.lines().filter(line -> !line.contains("warning")))
                .contains(WARM + ROUNDS + " answered, " + new Mely.CloseReport(true, 0, 0, 0));
    }

    /** Recurses to the end of the stack, and asks at the first of some depths, from below, at which that does not overflow. */
    @SuppressWarnings("InfiniteRecursion") // that is the point
    private static void askDeep(Runnable ask, int depth) {
        try {
            askDeep(ask, depth + 1);
        } catch (StackOverflowError e) {
            if (depth % 32 != 0) {
                throw e;
            }
            ask.run();
        }
    }

    /** Prints how many calls were answered, and what the close said. */
    public static void main(String[] args) {
        Mely mely = Mely.builder()
                .name("overflow")
                .cores(1)
                .pinned(false)
                .blockingLimit(1 << 20)
                .errorHandler(failure -> {})
                .build()
                .start();
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Runnable ask = () -> mely.blocking(() -> "result").thenAccept(result -> answered.incrementAndGet());
        for (int i = 1; i <= WARM; i++) { // what is linked or loaded under an overflow fails for good
            int asked = i;
            mely.color(1).execute(ask);
            Await.until("answered", () -> answered.get() == asked);
        }
        for (int i = 1; i <= ROUNDS; i++) {
            int round = i;
            mely.color(1).execute(() -> {
                askDeep(ask, round);
                ended.incrementAndGet();
            });
            Await.until("it has ended", () -> ended.get() == round);
        }
        Mely.CloseReport report = mely.close(Duration.ofSeconds(5));
        System.out.println(answered + " answered, " + report);
        System.exit(0);
    }
}
