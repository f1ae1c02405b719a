// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Await;
import io.mely.Mely;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// The same load on real threads, more cores than CPUs: no buffer is lost, none overlaps another, the books close.
class StingyStressTest {
    private static final int TOKENS = 200;
    private static final int STAGES = 3;

    @Test
    void events_closeTheBooks() {
        run(600_000);
    }

    @Test
    @Tag("slow")
    void hundredMillionEvents_closeTheBooks() {
        run(100_000_000);
    }

    private static void run(long events) {
        long requests = events / STAGES;
        Mely mely = Mely.builder().cores(4).pinned(false).build();
        StingyLoad load = new StingyLoad(
                mely, 64, requests, bound -> ThreadLocalRandom.current().nextInt(bound));
        mely.start();
        for (int i = 0; i < TOKENS; i++) {
            assertThat(load.begin()).isTrue();
        }
        while (load.done.get() < requests) {
            long before = load.done.get();
            Await.until("requests go on", () -> {
                load.freeRest();
                load.check();
                return load.done.get() != before;
            });
        }
        assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).isDrained()).isTrue();
        load.freeRest();
        load.checkBooks();
        assertThat(load.done).hasValue(requests);
        assertThat(mely.stats().run()).isEqualTo(STAGES * requests);
        assertThat(load.stingy.stats().site("large").refused())
                .as("events have waited")
                .isPositive();
        System.out.println("StingyStressTest: " + load.stingy.stats());
    }
}
