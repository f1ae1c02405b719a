// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// The runtime's threads are as the program has set them up, whatever handlers leave behind.
@Timeout(60)
class ThreadSetupTest {
    @Test
    void setup_isDoneBeforeTheStart() {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        try (Mely mely = Mely.builder()
                .cores(2)
                .threadSetup(thread -> {
                    assertThat(thread.getState()).isEqualTo(Thread.State.NEW);
                    thread.setDaemon(true);
                    threads.add(thread);
                })
                .build()
                .start()) {
            List<Boolean> daemons = new CopyOnWriteArrayList<>();
            for (int slot = 0; slot < 2; slot++) {
                mely.colorAt(slot)
                        .execute(() -> daemons.add(Thread.currentThread().isDaemon()));
            }
            Await.until("both have run", () -> daemons.size() == 2);
            assertThat(daemons).containsOnly(true);
        }
        assertThat(threads)
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(thread -> assertThat(thread.isDaemon()).isTrue());
    }

    @Test
    void whatAHandlerChanges_isNotTheNextColors() {
        ClassLoader strange = new ClassLoader(null) {};
        List<String> seen = new CopyOnWriteArrayList<>();
        try (Mely mely = Mely.builder()
                .name("kept")
                .cores(1)
                .policy(Policy.colored().withThreadsPerCore(1))
                .build()) {
            for (int slot = 1; slot <= 3; slot++) {
                mely.colorAt(slot).execute(() -> {
                    Thread thread = Thread.currentThread();
                    seen.add(thread.getName() + " " + thread.getPriority() + " "
                            + (thread.getContextClassLoader() == strange));
                    thread.setName("changed");
                    thread.setPriority(Thread.MIN_PRIORITY);
                    thread.setContextClassLoader(strange);
                });
            }
            mely.start();
            Await.until("all have run", () -> seen.size() == 3);
        }
        assertThat(seen).containsOnly("kept-0 " + Thread.NORM_PRIORITY + " false");
    }
}
