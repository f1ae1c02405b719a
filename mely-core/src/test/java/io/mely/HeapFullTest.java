// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

// A sender that finds the heap full is refused; everything else goes on, and nothing that was accepted is lost. In a
// JVM of its own, with a small heap.
class HeapFullTest {
    @Test
    void senderThatFindsNoMemory_isRefused_andTheRuntimeGoesOn() throws Exception {
        String output = ChildJvm.run(HeapFullTest.class, "-Xmx64m", "-XX:+UseSerialGC");
        assertThat(output)
                .contains(
                        "refused while the heap is full: true",
                        "timer refused: true",
                        "accepted again: true",
                        "drained: true",
                        "all ran: true");
    }

    /** Fills the heap while the inbox of the only core, which is not started yet, has to grow; then lets go of it. */
    public static void main(String[] args) throws Exception {
        AtomicLong ran = new AtomicLong();
        Mely mely = Mely.builder().cores(1).build();
        Stage<Object> stage = mely.stage("count", event -> ran.incrementAndGet());
        Object event = new Object();
        long accepted = 0;
        while (accepted < 1_000) {
            accepted += stage.offer(mely.color(accepted), event) ? 1 : 0;
        }
        List<byte[]> ballast = new ArrayList<>(1 << 16);
        long refused = 0;
        try {
            for (int size = 1 << 20; size >= 16; size /= 2) {
                fill(ballast, size);
            }
            for (int i = 0; i < 2_000_000 && refused == 0; i++) {
                if (stage.offer(i, event)) {
                    accepted++;
                } else {
                    refused++;
                }
            }
        } catch (OutOfMemoryError e) {
            refused++; // thrown by that send
        }
        boolean isTimerRefused = false;
        try {
            for (int i = 0; i < 2_000_000; i++) {
                mely.color(i).schedule(java.time.Duration.ofHours(1), stage, event);
            }
        } catch (OutOfMemoryError e) {
            isTimerRefused = true;
        }
        ballast = null;
        boolean isAcceptedAgain = mely.isAccepting() && stage.offer(1, event);
        accepted += isAcceptedAgain ? 1 : 0;
        mely.start();
        Mely.CloseReport report = mely.close(java.time.Duration.ofSeconds(Await.PATIENCE_S));
        System.out.println("refused while the heap is full: " + (refused != 0));
        System.out.println("timer refused: " + isTimerRefused);
        System.out.println("accepted again: " + isAcceptedAgain);
        System.out.println("drained: " + report.isDrained());
        System.out.println("all ran: " + (ran.get() == accepted));
    }

    private static void fill(List<byte[]> ballast, int size) {
        try {
            while (ballast.size() < 1 << 16) {
                ballast.add(new byte[size]);
            }
        } catch (OutOfMemoryError e) {
            return; // that was the aim
        }
    }
}
