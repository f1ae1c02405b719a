// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.Policy;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/** The policies of the runtimes before Mely, for a runtime's builder. */
public final class Libasync {
    private Libasync() {}

    /**
     * libasync-smp: one list per core.
     *
     * @param steals whether an idle core steals
     * @param homes first home of a slot
     * @param places told of the places of colors when a runtime is built
     * @return the policy
     */
    public static Policy smp(boolean steals, IntUnaryOperator homes, Consumer<Places> places) {
        return Policy.of(steals ? "libasync-smp-ws" : "libasync-smp", workers -> {
            LibasyncSmp group = new LibasyncSmp(workers, steals, homes);
            places.accept(group);
            return group;
        });
    }

    /**
     * The same; a slot begins on the core of its number, modulo their number.
     *
     * @param steals whether an idle core steals
     * @return the policy
     */
    public static Policy smp(boolean steals) {
        return smp(steals, slot -> slot, places -> {});
    }

    /** Where colors of libasync-smp live, for who moves them while nobody else runs. */
    public interface Places {
        /**
         * Whether nothing of a color is pending or running.
         *
         * @param slot of the color
         * @return true if idle
         */
        boolean isIdle(int slot);

        /**
         * Where a color lives.
         *
         * @param slot of the color
         * @return index of a core
         */
        int home(int slot);

        /**
         * Moves a color that is idle.
         *
         * @param slot of the color
         * @param core where it lives from now on
         */
        void home(int slot, int core);
    }

    /**
     * libasync-mp: one list for all cores.
     *
     * @return the policy
     */
    public static Policy mp() {
        return Policy.of("libasync-mp", LibasyncMp::new);
    }
}
