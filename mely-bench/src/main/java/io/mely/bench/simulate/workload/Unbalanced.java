// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;

/**
 * <i>unbalanced</i>: many events of different colors on the first core; 98 % are short, 2 % long. <b>Source.</b> spec: Mely §6.1.
 */
final class Unbalanced extends Rounds {
    private final int count;
    private final double shortCycles;
    private final double longCyclesMin;
    private final double longCyclesMax;
    private final int longOf;
    private double[] cycles = {};
    private double[] sentAt = {};
    private Stage<Integer> brief;
    private Stage<Integer> lengthy;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Unbalanced(Experiment experiment) {
        super(experiment);
        count = (int) experiment.parameter("colors", 50_000);
        shortCycles = experiment.parameter("shortCycles", 100);
        longCyclesMin = experiment.parameter("longCyclesMin", 10_000);
        longCyclesMax = experiment.parameter("longCyclesMax", 50_000);
        longOf = (int) experiment.parameter("longOf", 50);
    }

    @Override
    int colorCount() {
        return count;
    }

    private boolean isLong(int number) {
        return number % longOf == longOf / 2;
    }

    @Override
    void setUpStages(Rig.Run toUse) {
        cycles = new double[count];
        sentAt = new double[count];
        for (int i = 0; i < count; i++) {
            cycles[i] = isLong(i)
                    ? longCyclesMin + toUse.random.nextDouble() * (longCyclesMax - longCyclesMin)
                    : shortCycles;
        }
        brief = toUse.stage("short", shortCycles, 1, 3, this::handle);
        lengthy = toUse.stage("long", (longCyclesMin + longCyclesMax) / 2, 1, 3, this::handle);
    }

    @Override
    void register(int number) {
        sentAt[number] = run().vm.now();
        run().send(isLong(number) ? lengthy : brief, color(number), number);
    }

    private void handle(int number) {
        run().burn(cycles[number], 0);
        run().sojourn(sentAt[number]);
        done();
    }
}
