// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The table of records: who knows a number reads while another thread enlarges the table. */
public final class IndexStress {
    private IndexStress() {}

    /** r1: the color is found; r2: the record. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "in the table before or in the larger one")
    @Outcome(expect = FORBIDDEN, desc = "a larger table that is not filled yet: the color would be made a second time")
    @State
    public static class GrowRead {
        private static final int SMALL = 127; // records that the first table holds

        final StressQueues queues = new StressQueues();
        final int color = StressQueues.color(0);
        final RecordIndex records = new RecordIndex();
        final ColorQueue queue;
        final EventRecord record = records.makeChain(1);

        public GrowRead() {
            queues.send(0, color, StressQueues.LIGHT, 1);
            queue = queues.queueOf(color);
            while (records.makeChain(1).id < SMALL) {}
        }

        @Actor
        public void grower() {
            records.makeChain(1);
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
}
