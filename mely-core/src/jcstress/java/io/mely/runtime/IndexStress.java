// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The tables of colors and records: who knows a number reads, or moves the color, while another thread enlarges the table. */
public final class IndexStress {
    private IndexStress() {}

    /** r1: the color is found; r2: the record. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "in the table before or in the larger one")
    @Outcome(expect = FORBIDDEN, desc = "a larger table that is not filled yet: the color would be made a second time")
    @State
    public static class GrowRead {
        private static final int SMALL = 7; // records that the first table holds

        final StressQueues queues = new StressQueues();
        final int color = StressQueues.color(0);
        final RecordIndex records = new RecordIndex();
        final ColorQueue queue;
        final EventRecord record = records.make();

        public GrowRead() {
            queues.send(0, color, StressQueues.LIGHT, 1);
            queue = queues.queueOf(color);
            while (records.make().id < SMALL) {}
        }

        @Actor
        public void grower() {
            queues.send(0, StressQueues.color(100), StressQueues.LIGHT, 2);
            records.make();
        }

        @Actor
        public void reader(II_Result r) {
            r.r1 = queues.queueOf(color) == queue ? 1 : 0;
            r.r2 = records.at(record.id) == record ? 1 : 0;
        }
    }

    /** The table before what is in it: what a plain write permits, written out, as x86 keeps stores in order. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "in time")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "a larger table that is not filled yet")
    @State
    public static class GrowReadTwin {
        volatile int[] table = {1, 1};

        @Actor
        public void grower() {
            int[] larger = new int[4];
            table = larger;
            larger[0] = 1;
            larger[1] = 1;
        }

        @Actor
        public void reader(II_Result r) {
            int[] read = table;
            r.r1 = read[0];
            r.r2 = read[1];
        }
    }

    /** A color moves while another thread makes room for more, and looks where that color is. r1: what it sees; r2: where it is in the end. */
    @JCStressTest
    @Outcome(
            id = {"0, 3", "3, 3"},
            expect = ACCEPTABLE,
            desc = "before the move or after it")
    @Outcome(expect = FORBIDDEN, desc = "a move is lost")
    @State
    public static class GrowMove {
        private static final int NUMBER = 1;
        private static final int FAR = 10_000;

        final ColorHomes homes = new ColorHomes(0, slot -> 0);

        @Actor
        public void grower(II_Result r) {
            homes.where(FAR);
            r.r1 = homes.coreOfColor(NUMBER);
        }

        @Actor
        public void mover() {
            homes.move(NUMBER, 3);
        }

        @Arbiter
        public void after(II_Result r) {
            r.r2 = homes.coreOfColor(NUMBER);
        }
    }

    /** One array that is replaced by a larger copy of it. */
    @JCStressTest
    @Outcome(
            id = {"0, 3", "3, 3"},
            expect = ACCEPTABLE,
            desc = "in time")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "the move was behind the copy")
    @State
    public static class GrowMoveTwin {
        volatile int[] words = {0, 0};

        @Actor
        public void grower(II_Result r) {
            words = Arrays.copyOf(words, 4);
            r.r1 = words[1];
        }

        @Actor
        public void mover() {
            words[1] = 3;
        }

        @Arbiter
        public void after(II_Result r) {
            r.r2 = words[1];
        }
    }
}
