// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.Policy;
import io.mely.simulation.Subject;
import io.mely.spi.StageGroup;
import io.mely.spi.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Makes an engine for each run of the woven simulator, and checks its lists after each step. */
public abstract class SimulatedEngine implements Supplier<Policy>, Runnable {
    private final List<MixedList> lists = new ArrayList<>(); // of the engine made last

    private SimulatedEngine() {}

    static Subject subject(Class<? extends SimulatedEngine> engine) {
        return new Subject(engine, Libasync.class, Set.of("SmpCore.move"));
    }

    @Override
    public final Policy get() {
        return Policy.of(getClass().getSimpleName(), workers -> {
            lists.clear();
            return make(workers, lists);
        });
    }

    abstract StageGroup make(Workers workers, List<MixedList> lists);

    @Override
    public final void run() {
        for (MixedList list : lists) {
            try {
                list.validate();
            } catch (IllegalStateException e) {
                throw new AssertionError(e.getMessage(), e);
            }
        }
    }

    /** libasync-mp. */
    public static final class Mp extends SimulatedEngine {
        /** For the campaign. */
        public Mp() {}

        @Override
        StageGroup make(Workers workers, List<MixedList> lists) {
            LibasyncMp group = new LibasyncMp(workers);
            lists.add(group.list());
            return group;
        }
    }

    /** libasync-smp without stealing. */
    public static final class Smp extends SimulatedEngine {
        /** For the campaign. */
        public Smp() {}

        @Override
        StageGroup make(Workers workers, List<MixedList> lists) {
            return makeSmp(workers, false, lists);
        }
    }

    /** libasync-smp with stealing. */
    public static final class SmpStealing extends SimulatedEngine {
        /** For the campaign. */
        public SmpStealing() {}

        @Override
        StageGroup make(Workers workers, List<MixedList> lists) {
            return makeSmp(workers, true, lists);
        }
    }

    /** Colors begin on the first two cores, so that the others have something to steal. */
    private static StageGroup makeSmp(Workers workers, boolean steals, List<MixedList> lists) {
        LibasyncSmp group = new LibasyncSmp(workers, steals, slot -> slot % 2);
        for (int i = 0; i < workers.cores(); i++) {
            lists.add(group.visitor(i).list);
        }
        return group;
    }
}
