// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;
import java.util.SplittableRandom;

/**
 * <i>unbalanced</i>: many events of different colors on the first core; 98 % are short, 2 % long. <b>Source.</b> spec: Mely §6.1. <i>Spread</i>: the same
 * dealt to all cores, the short ones in turn, each long one where the least long work is; <i>spread-short</i>: without long ones.
 */
final class Unbalanced extends Rounds {
    /** An event and the books of its color, as {@code paper} has them: two objects of 48 and 40 bytes. */
    private static final int OBJECT_LINES = 2;

    private final int count;
    private final double shortCycles;
    private final double longCyclesMin;
    private final double longCyclesMax;
    private final int longOf;
    private final int homes;
    private final double[] cycles;
    private final int[] home;
    private int objects;
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
        longOf = experiment.workload().equals("spread-short") ? 0 : (int) experiment.parameter("longOf", 50);
        homes = experiment.workload().equals("unbalanced") ? 1 : experiment.cores();
        SplittableRandom random = new SplittableRandom(experiment.seed());
        cycles = new double[count];
        for (int i = 0; i < count; i++) {
            cycles[i] = isLong(i) ? longCyclesMin + random.nextDouble() * (longCyclesMax - longCyclesMin) : shortCycles;
        }
        home = dealt();
    }

    @Override
    int colorCount() {
        return count;
    }

    @Override
    int home(int color) {
        return home[color];
    }

    private boolean isLong(int number) {
        return longOf > 0 && number % longOf == longOf / 2;
    }

    @Override
    void setUpStages(Rig.Run toUse) {
        sentAt = new double[count];
        objects = hasBooks() ? toUse.vm.newData((long) count * OBJECT_LINES * Data.LINE_BYTES) : 0;
        brief = toUse.stage("short", shortCycles, 1, 3, this::handle);
        lengthy = toUse.stage("long", (longCyclesMin + longCyclesMax) / 2, 1, 3, this::handle);
    }

    private int[] dealt() {
        int[] homeOf = new int[count];
        double[] longCycles = new double[homes];
        int shorts = 0;
        for (int i = 0; i < count; i++) {
            if (!isLong(i)) {
                homeOf[i] = shorts++ % homes;
                continue;
            }
            for (int other = 1; other < homes; other++) {
                homeOf[i] = longCycles[other] < longCycles[homeOf[i]] ? other : homeOf[i];
            }
            longCycles[homeOf[i]] += cycles[i];
        }
        return homeOf;
    }

    /** The event and its color's books, which were made one after the other. */
    private void touchObject(int number, boolean isWrite) {
        if (hasBooks()) {
            run().vm.stream(objects + number * OBJECT_LINES, OBJECT_LINES, isWrite);
        }
    }

    @Override
    void register(int number) {
        touchObject(number, false);
        sentAt[number] = run().vm.now();
        run().send(isLong(number) ? lengthy : brief, color(number), number);
    }

    private void handle(int number) {
        touchObject(number, true);
        run().burn(cycles[number], home(number));
        run().sojourn(sentAt[number]);
        done(number);
    }
}
