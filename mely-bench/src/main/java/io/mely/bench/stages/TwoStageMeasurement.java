// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import picocli.CommandLine.Option;

/** A measurement of {@link TwoStages}. */
abstract class TwoStageMeasurement extends Measurement {
    @Option(names = "--stage-us", description = "Mean CPU time of each of the two stages (default: ${DEFAULT-VALUE}).")
    private int stageUs;

    TwoStageMeasurement(int stageUs) {
        this.stageUs = stageUs;
    }

    @Override
    final void check() {
        check(stageUs >= 1, "--stage-us must be >= 1");
        checkOptions();
    }

    /** Checks the options of the command. */
    abstract void checkOptions();

    @Override
    final boolean round(int round) {
        return round(round, stageUs * 1e3);
    }

    /** As {@link #round(int)}, with the mean time of a stage. */
    abstract boolean round(int round, double stageNs);
}
