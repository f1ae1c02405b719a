// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// What each call takes of the stack, interpreted, is less than half of what StackRoom.check makes sure of: the rest is
// for the poller or group that it calls. A call that outgrows this could break off half-way. Measured in a JVM in which
// the check does nothing.
class StackNeedTest {
    private static final String NO_CHECK = """
            package io.mely.runtime;
            final class StackRoom {
                static void check() {}
                static void check(int frames) {}
            }
            """;

    /** Half of the room that the check makes sure of. */
    private static final int BYTES_MAX = 4 << 10;

    /** An interpreted frame of {@link #descend}; 104 bytes were measured, so the need is overrated. */
    private static final int FRAME_BYTES = 112;

    /** More than any call takes. */
    private static final int FRAMES_MAX = 150;

    @Test
    void calls_needHalfOfTheRoom(@TempDir Path noCheck) throws Exception {
        Path source = Files.writeString(noCheck.resolve("StackRoom.java"), NO_CHECK);
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-nowarn", "-d", noCheck.toString(), source.toString()))
                .isZero();
        String output = ChildJvm.runWith(
                noCheck + File.pathSeparator + System.getProperty("java.class.path"),
                StackNeedTest.class,
                "-Xint",
                "-ea",
                "-Xss512k",
                "-XX:-StackTraceInThrowable");
        String[] needs = output.lines().filter(line -> line.startsWith("need ")).toArray(String[]::new);
        assertThat(needs).hasSize(2 * (deepCallCount() - 1));
        for (String need : needs) {
            int bytes = Integer.parseInt(need.split(" ")[1]);
            assertThat(bytes).as(need).isBetween(500, BYTES_MAX);
        }
    }

    private static int deepCallCount() {
        DeepCalls deep = new DeepCalls();
        deep.mely.close();
        return deep.calls.size();
    }

    private static int returned;

    /** Calls at a depth. */
    private static void descend(Runnable call, int frames) {
        if (frames == 0) {
            call.run();
        } else {
            descend(call, frames - 1);
            returned++; // no tail call
        }
    }

    private static int deepest() {
        int fits = 0;
        int overflows = 1 << 16;
        while (overflows - fits > 1) {
            int frames = (fits + overflows) / 2;
            try {
                descend(() -> {}, frames);
                fits = frames;
            } catch (StackOverflowError e) {
                overflows = frames;
            }
        }
        return fits;
    }

    /** How many frames above the end of the stack the call overflows for the first time. What that breaks is left to the end of the JVM. */
    private static void measure(DeepCalls deep, String name) {
        Predicate<DeepCalls.Cell> call = deep.calls.get(name);
        DeepCalls.Cell[] cells = new DeepCalls.Cell[FRAMES_MAX];
        for (int i = 0; i < FRAMES_MAX; i++) {
            cells[i] = deep.newCell(name);
        }
        int deepest = deepest();
        for (int left = FRAMES_MAX - 1; left >= 0; left--) {
            DeepCalls.Cell cell = cells[left];
            try {
                descend(() -> cell.isAccepted = call.test(cell), deepest - left);
            } catch (StackOverflowError e) {
                System.out.println("need " + left * FRAME_BYTES + " " + name);
                return;
            }
        }
        System.out.println("never overflows: " + name);
    }

    /** Prints what each call needs: blocking calls have a check of their own. */
    public static void main(String[] args) throws Exception {
        for (String name : new DeepCalls().calls.keySet()) {
            for (boolean isOutside : new boolean[] {true, false}) {
                if (name.equals("blocking")) {
                    continue;
                }
                DeepCalls deep = new DeepCalls();
                deep.warm(name);
                CountDownLatch done = new CountDownLatch(1);
                Runnable measuring = () -> {
                    measure(deep, name);
                    done.countDown();
                };
                if (isOutside) {
                    new Thread(measuring).start();
                } else {
                    deep.mely.colorAt(deep.slot).execute(measuring);
                }
                Await.until("measured", () -> done.getCount() == 0);
            }
        }
        System.exit(0);
    }
}
