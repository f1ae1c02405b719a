// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Invariant 8. At each depth near the end of a stack, from handlers, a thread outside and blocking work, each kind of
// call is made. A StackOverflowError is the caller's own, who may catch it and call again one frame higher: what it
// said no to never runs, what it accepted runs once, nothing hangs and the books close. In JVMs of their own, as a
// class whose first use overflows is lost to the others.
class StackEndTest {
    /** Calls that succeed, one frame above the other, before a dive ends. */
    private static final int SUCCESSES = 20;

    /** Dives of each kind, whose frames begin at other places. */
    private static final int DIVES = 2;

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", "-XX:+TieredCompilation"})
    void call_atTheEndOfTheStack_isTheCallersOwnFailure(String option) throws Exception {
        String output = ChildJvm.run(
                StackEndTest.class,
                option,
                "-ea",
                "-Xss256k",
                "-XX:-StackTraceInThrowable"); // else the test takes minutes
        assertThat(output)
                .contains(
                        "accepting: true",
                        "overflows seen: true",
                        "books: true",
                        "executor ended: true",
                        "drained: true")
                .doesNotContain("wrong:")
                .doesNotContain("half-way");
    }

    private final DeepCalls deep = new DeepCalls();
    private int successes;
    private long overflows;

    private interface Call {
        void make();
    }

    /** Recurses to the end of the stack, and on the way back makes the call in each frame, until it has succeeded in some. */
    @SuppressWarnings("InfiniteRecursion") // that is the point
    private void dive(Call call) {
        try {
            dive(call);
        } catch (StackOverflowError e) {
            overflows++;
            call.make();
            if (++successes < SUCCESSES) {
                throw e;
            }
        }
    }

    /** The same from a place so many small frames lower. */
    private void diveFrom(int frames, Call call) {
        if (frames == 0) {
            dive(call);
        } else {
            diveFrom(frames - 1, call);
        }
    }

    private void makeDives(String name) {
        for (int i = 0; i < DIVES; i++) {
            successes = 0;
            // plenty of them, made while there is stack; each overflow leaves one unused
            DeepCalls.Cell[] cells = new DeepCalls.Cell[4_000];
            int[] used = {0};
            for (int j = 0; j < cells.length; j++) {
                cells[j] = deep.newCell(name);
                deep.cells.add(cells[j]);
            }
            var call = deep.calls.get(name);
            try {
                diveFrom(i, () -> {
                    DeepCalls.Cell cell = cells[used[0] == cells.length - 1 ? used[0] : used[0]++];
                    cell.isAccepted = call.test(cell);
                });
            } catch (StackOverflowError e) {
                System.out.println("wrong: " + name + " never succeeded");
            }
            if (DeepCalls.isCancel(name)) {
                checkCancelled(cells);
            }
        }
    }

    private static void checkCancelled(DeepCalls.Cell[] cells) {
        for (DeepCalls.Cell cell : cells) {
            if (cell.cancel.getAsBoolean() == cell.isAccepted) {
                System.out.println("wrong: cancelled twice, or not at all");
            }
            cell.isAccepted = false; // it must not run
        }
    }

    private void run() throws Exception {
        Stage<Runnable> threads =
                deep.mely.stage("threads", StageOptions.defaults().withGroup("threads"), Runnable::run);
        for (String name : deep.calls.keySet()) {
            deep.warm(name);
            CountDownLatch done = new CountDownLatch(4);
            Thread outside = new Thread(() -> makeDives(name), "outside");
            outside.start();
            outside.join();
            done.countDown();
            deep.mely.colorAt(deep.slot).execute(() -> {
                makeDives(name);
                done.countDown();
            });
            Await.until("the handler's dives", () -> done.getCount() == 2);
            threads.send(() -> {
                makeDives(name);
                done.countDown();
            });
            Await.until("the dives on a group's thread", () -> done.getCount() == 1);
            deep.mely.blocking(deep.mely.colorAt(deep.slot), () -> {
                makeDives(name);
                done.countDown();
                return name;
            });
            Await.until("the blocking work's dives", () -> done.getCount() == 0);
        }
    }

    /** Prints what {@link #call_atTheEndOfTheStack_isTheCallersOwnFailure} looks for. */
    public static void main(String[] args) throws Exception {
        StackEndTest test = new StackEndTest();
        test.run();
        Mely mely = test.deep.mely;
        System.out.println("accepting: " + mely.isAccepting());
        System.out.println("overflows seen: " + (test.overflows > 10_000) + " " + test.overflows);
        test.deep.executor.shutdown();
        System.out.println(
                "executor ended: " + test.deep.executor.awaitTermination(Await.PATIENCE_S, TimeUnit.SECONDS));
        Await.until("timers have run", () -> test.wrong() == null);
        Mely.CloseReport report = mely.close(Duration.ofSeconds(Await.PATIENCE_S));
        System.out.println("drained: " + report.isDrained());
        MelyStats stats = mely.stats();
        System.out.println("books: " + (stats.sent() - stats.refused() == stats.run()));
        String wrong = test.wrong();
        if (wrong != null) {
            System.out.println("wrong: " + wrong);
        }
        System.exit(0);
    }

    private String wrong() {
        AtomicInteger lost = new AtomicInteger();
        AtomicInteger twice = new AtomicInteger();
        for (DeepCalls.Cell cell : deep.cells) {
            int expected = cell.isAccepted ? 1 : 0;
            lost.addAndGet(cell.runs.get() < expected ? 1 : 0);
            twice.addAndGet(cell.runs.get() > expected ? 1 : 0);
        }
        return lost.get() + twice.get() == 0 ? null : lost + " lost, " + twice + " ran once too often";
    }
}
