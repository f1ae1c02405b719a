// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.StageOptions;
import io.mely.spi.StageGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// One turn of one core at a time: where libasync's policies put an event, what they run next, whom they wake, and what
// the
// base algorithm steals.
class LibasyncSteppedTest {
    private static final int EVENTS = 100_000;
    private static final int SLICE = 1_000;

    private final FakeWorkers workers = new FakeWorkers(4, EVENTS);
    private final LibasyncMp mp = new LibasyncMp(workers);
    private final LibasyncSmp smp = new LibasyncSmp(workers, true, slot -> slot);
    private final List<String> ran = new ArrayList<>();

    private void send(StageGroup.Sink to, int color, Consumer<FakeWorker> event) {
        to.add(workers.take(color, StageOptions.PRIORITY_DEFAULT, event));
    }

    private void send(StageGroup.Sink to, int color, String event) {
        send(to, color, worker -> ran.add(event));
    }

    /** Events "color.0", "color.1", ... */
    private void send(StageGroup.Sink to, int color, int count) {
        for (int i = 0; i < count; i++) {
            send(to, color, color + "." + i);
        }
    }

    private FakeWorker worker(int core) {
        return new FakeWorker(workers, core, SLICE);
    }

    private int run(StageGroup.Visitor visitor) {
        return visitor.run(worker(0));
    }

    private int help(int core) {
        return smp.visitor(core).help(worker(core));
    }

    /** All that is left, without stealing. */
    private void runAll() {
        for (int core = 0; core < workers.cores(); core++) {
            run(smp.visitor(core));
        }
    }

    // ------------------------------------------------------------------ what runs next

    // Batching: a core goes on with the color it ran last, for ten events in a row, then takes the leftmost.
    @Test
    void run_aBatchOfOneColor() {
        send(smp, 4, 6);
        send(smp, 8, 2);
        for (int i = 6; i < 12; i++) {
            send(smp, 4, "4." + i);
        }
        assertThat(run(smp.visitor(0))).isEqualTo(14);
        assertThat(ran.subList(0, 10)).allMatch(event -> event.startsWith("4."));
        assertThat(ran.subList(10, 14)).containsExactly("8.0", "8.1", "4.10", "4.11");
    }

    // The batch goes on in the next slice.
    @Test
    void run_endsWithTheSlice() {
        StageGroup.Visitor visitor = mp.visitor(0);
        send(mp, 1, 3);
        send(mp, 2, 1);
        FakeWorker worker = new FakeWorker(workers, 0, 2);
        assertThat(visitor.run(worker)).isEqualTo(2);
        assertThat(visitor.run(worker)).as("slice is over").isZero();
        worker.begin();
        assertThat(visitor.run(worker)).isEqualTo(2);
        assertThat(ran).containsExactly("1.0", "1.1", "1.2", "2.0");
    }

    // The running color of one core is not run by another, and what is behind it is.
    @Test
    void mp_skipsTheColorsThatRun() {
        send(mp, 1, worker -> {
            ran.add("begin");
            assertThat(run(mp.visitor(1))).isEqualTo(1);
            ran.add("end");
        });
        send(mp, 1, "same color");
        send(mp, 2, "other color");
        run(mp.visitor(0));
        assertThat(ran).containsExactly("begin", "other color", "end", "same color");
    }

    // What has no color is of the default color, which is serial.
    @Test
    void noColor_isTheDefaultColor() {
        send(mp, -1, worker -> {
            assertThat(run(mp.visitor(1))).isZero();
            ran.add("first");
        });
        send(mp, 0, "second");
        send(mp, -1, "third");
        run(mp.visitor(0));
        assertThat(ran).containsExactly("first", "second", "third");
    }

    @Test
    void smp_aColorLivesOnItsSlotModuloTheCores() {
        int last = (1 << 24) + (1 << 10) - 1; // own colors of stages are behind the keys'
        send(smp, last, 1);
        send(smp, 5, 1);
        send(smp, -1, 1);
        assertThat(run(smp.visitor(3))).isEqualTo(1);
        assertThat(run(smp.visitor(1))).isEqualTo(1);
        assertThat(run(smp.visitor(0))).isEqualTo(1);
        assertThat(ran).containsExactly(last + ".0", "5.0", "-1.0");
    }

    // ------------------------------------------------------------------ who is woken

    // A core does not sleep while an event could run, and does when all that waits is behind running ones.
    @Test
    void mp_hasWorkOnlyWhenSomethingIsEligible() {
        StageGroup.Visitor other = mp.visitor(1);
        workers.announce(1);
        assertThat(other.hasWork()).isFalse();
        send(mp, 1, worker -> {
            assertThat(other.hasWork()).isFalse();
            workers.announce(1);
            send(mp, 1, "behind");
            assertThat(workers.isAsleep(1)).as("the color runs").isTrue();
            assertThat(other.hasWork()).isFalse();
            send(mp, 2, "beside");
            assertThat(workers.isAsleep(1)).isFalse();
            assertThat(other.hasWork()).isTrue();
        });
        assertThat(workers.isAsleep(1)).isFalse();
        run(mp.visitor(0));
        assertThat(ran).containsExactly("behind", "beside");
        assertThat(other.sleepNsMax()).isEqualTo(Long.MAX_VALUE);
    }

    // Who goes to the network at the end of a slice calls another core.
    @Test
    void mp_wakesAnotherForWhatASliceLeaves() {
        send(mp, 1, 2);
        workers.announce(1);
        mp.visitor(0).run(new FakeWorker(workers, 0, 1));
        assertThat(workers.isAsleep(1)).isFalse();
        workers.announce(1);
        mp.visitor(0).run(new FakeWorker(workers, 0, 1));
        assertThat(workers.isAsleep(1)).as("nothing is left").isTrue();
    }

    // Core 0 is given to another thread, which finds nothing eligible and sleeps. What waits behind the color can run
    // only when
    // the first thread is back.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lostCore_itsColorIsEndedAndWoken(boolean isSmp) {
        StageGroup.Sink sink = isSmp ? smp : mp;
        StageGroup.Visitor visitor = isSmp ? smp.visitor(0) : mp.visitor(0);
        send(sink, 4, worker -> {
            worker.loseCore();
            assertThat(run(visitor)).isZero();
            workers.announce(0);
            assertThat(visitor.hasWork()).isFalse();
            ran.add("slow");
        });
        send(sink, 4, "behind");
        assertThat(run(visitor)).as("returns at once").isEqualTo(1);
        assertThat(ran).containsExactly("slow");
        assertThat(workers.isAsleep(0)).isFalse();
        assertThat(visitor.hasWork()).isTrue();
        run(visitor);
        assertThat(ran).containsExactly("slow", "behind");
    }

    @Test
    void smp_wakesTheHomeCore_orAThief() {
        workers.announce(1);
        workers.announce(2);
        send(smp, 2, 1);
        assertThat(workers.isAsleep(2)).as("home").isFalse();
        send(smp, 2, 1);
        assertThat(workers.isAsleep(1)).as("one color is no loot").isTrue();
        send(smp, 6, 1);
        assertThat(workers.isAsleep(1)).as("loot").isFalse();
        workers.announce(3);
        send(smp, 6, 1);
        assertThat(workers.isAsleep(3)).as("one thief at a time").isTrue();
        send(smp, 10, 3);
        assertThat(help(1)).isPositive();
        assertThat(workers.isAsleep(3)).as("it left some").isFalse();
    }

    // ------------------------------------------------------------------ base stealing

    @Test
    void smp_anIdleCoreTakesTheFirstColorWithFewerThanHalf() {
        send(smp, 4, 5);
        send(smp, 8, 2);
        send(smp, 12, 2);
        assertThat(help(1)).isEqualTo(2);
        assertThat(ran).containsExactly("8.0", "8.1");
        // What is sent now goes where the color lives.
        send(smp, 8, 1);
        assertThat(smp.visitor(1).list.size()).isEqualTo(1);
        runAll();
        assertThat(ran).hasSize(10);
    }

    @Test
    void smp_withoutStealing_aColorStays() {
        LibasyncSmp still = new LibasyncSmp(workers, false, slot -> slot);
        workers.announce(1);
        send(still, 4, 3);
        send(still, 8, 3);
        assertThat(workers.isAsleep(1)).isTrue();
        assertThat(still.visitor(1).help(worker(1))).isZero();
        assertThat(still.visitor(1).hasWork()).isFalse();
        assertThat(still.visitor(1).sleepNsMax()).isEqualTo(Long.MAX_VALUE);
        assertThat(run(still.visitor(0))).isEqualTo(6);
    }

    // The paper's example has core 6 most loaded: 6, 7, 0, 1, ... The thief is core 1, and core 2 has nothing it may
    // take.
    @Test
    void smp_beginsWithTheMostLoadedCore_andGoesRound() {
        send(smp, 2, 9); // core 2: most events, all of one color
        send(smp, 3, 1); // core 3: a single event
        send(smp, 4, 1); // core 0: three colors
        send(smp, 8, 1);
        send(smp, 12, 1);
        assertThat(help(1)).isEqualTo(1);
        assertThat(ran).containsExactly("4.0");
        // Cores 2 and 0 have loot, and 2 has more.
        send(smp, 6, 1);
        assertThat(help(1)).isEqualTo(1);
        assertThat(ran).containsExactly("4.0", "6.0");
    }

    // The running color is not stolen, though its events are the first in the list.
    @Test
    void smp_leavesTheRunningColor() {
        send(smp, 4, worker -> {
            assertThat(help(1)).isEqualTo(1);
            ran.add("end");
        });
        send(smp, 4, 1);
        send(smp, 8, 1);
        send(smp, 12, 2);
        run(smp.visitor(0));
        assertThat(ran.subList(0, 2)).containsExactly("8.0", "end");
        assertThat(ran).hasSize(5);
    }

    // Between the two lists a color is nowhere: a sender waits, and what it sends comes after what was stolen.
    @Test
    void smp_aStolenColorIsInTransitUntilTheThiefHasIt() throws InterruptedException {
        SmpCore thief = smp.visitor(1);
        send(smp, 4, 2);
        send(smp, 8, 3);
        MixedColor color = smp.visitor(0).list.colorOf(workers.lane(1));
        Thread sender = new Thread(() -> send(smp, 4, "late"));
        Thread stealing = new Thread(() -> help(1));
        thief.list.lock.lock();
        try {
            stealing.start();
            while (color.home() == 0) {
                Thread.onSpinWait();
            }
            assertThat(color.home()).isEqualTo(~1);
            sender.start();
        } finally {
            thief.list.lock.unlock();
        }
        stealing.join();
        sender.join();
        assertThat(color.home()).isEqualTo(1);
        run(thief);
        assertThat(ran).containsExactly("4.0", "4.1", "late");
    }

    // O(n), counted: the victim's links that one steal follows grow with what is pending there.
    @ParameterizedTest
    @ValueSource(ints = {10, 1_000, EVENTS})
    void smp_aStealFollowsEveryLink(int pending) {
        send(smp, 4, 1);
        send(smp, 8, pending - 2);
        send(smp, 4, 1);
        assertThat(help(1)).isEqualTo(2);
        assertThat(smp.visitor(0).list.scanned()).isEqualTo(pending + 1);
        assertThat(ran).containsExactly("4.0", "4.0");
    }

    // Half of the events each: loot to see, and none to take. The thief gives up after three looks and naps, until it
    // has got
    // something.
    @Test
    void smp_aThiefThatIsDeclinedNaps() {
        SmpCore thief = smp.visitor(1);
        send(smp, 4, 1);
        send(smp, 8, 1);
        for (int i = 0; i < 3; i++) {
            assertThat(help(1)).isZero();
            assertThat(thief.hasWork()).isTrue();
        }
        for (int naps = 0; naps < 2; naps++) {
            assertThat(thief.hasWork()).isFalse();
            for (long ms : new long[] {1, 2, 4, 8, 16, 32, 32}) {
                assertThat(thief.sleepNsMax()).isEqualTo(ms * 1_000_000);
                assertThat(thief.hasWork()).isFalse();
            }
            send(smp, 12 + 4 * naps, 1);
            assertThat(help(1)).isEqualTo(1);
            for (int i = 0; i < 3; i++) {
                assertThat(thief.hasWork()).isTrue();
            }
        }
    }

    @Test
    void smp_oneCoreHasNobodyToStealFrom() {
        FakeWorkers alone = new FakeWorkers(1, 8);
        LibasyncSmp group = new LibasyncSmp(alone, true, slot -> slot);
        group.add(alone.take(1, 3, worker -> {}));
        group.add(alone.take(2, 3, worker -> {}));
        assertThat(group.visitor(0).help(new FakeWorker(alone, 0, SLICE))).isZero();
        assertThat(group.visitor(0).run(new FakeWorker(alone, 0, SLICE))).isEqualTo(2);
        assertThat(group.visitor(0).sleepNsMax()).isEqualTo(Long.MAX_VALUE);
    }
}
