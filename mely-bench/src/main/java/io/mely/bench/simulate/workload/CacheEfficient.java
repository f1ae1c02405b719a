// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;

/**
 * <i>cache efficient</i>: every second core begins with A events; each allocates an array and registers two B events of different colors, which
 * sort a half each and register a C in the color of the A; the second C merges.
 *
 * <p>Sizes and times, which the paper leaves open, are derived from its Table 6, see docs/simulator.md. <b>Source.</b> spec: Mely §6.3.
 */
final class CacheEfficient extends Rounds {
    private static final int COLORS_PER_A = 3;
    private static final int INT_BYTES = 4;

    /** A core's A events are registered there. */
    private static final int START_PENALTY = 1_000_000;

    private final int perCore;
    private final int ints;
    private final double sortCycles;
    private final double mergeCycles;
    private final double createCycles;
    private final int arrays;
    private final double youngBytes;
    private final boolean isAnnotated;
    private Data data;
    private Stage<Integer> start;
    private Stage<Integer> a;
    private Stage<Integer> b;
    private Stage<Integer> c;
    private int[] array = {};
    private int[] sorted = {};
    private double[] sentAt = {};

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    CacheEfficient(Experiment experiment) {
        super(experiment);
        perCore = (int) experiment.parameter("perCore", 100);
        ints = (int) experiment.parameter("ints", 1_024);
        int half = ints / 2;
        sortCycles = experiment.parameter("sortCyclesPerStep", 2.5) * half * Math.log(half) / Math.log(2);
        mergeCycles = experiment.parameter("mergeCyclesPerInt", 5) * ints;
        createCycles = experiment.parameter("createCyclesPerInt", 2) * ints;
        youngBytes = experiment.parameter("youngBytes", 0);
        isAnnotated = experiment.parameter("annotated", 1) != 0;
        arrays = Math.max(1, experiment.cores() / 2) * perCore;
    }

    @Override
    int colorCount() {
        return arrays * COLORS_PER_A + loadedCores();
    }

    /** Each loaded core registers its own A events. */
    private int loadedCores() {
        return arrays / perCore;
    }

    @Override
    int registered() {
        return loadedCores();
    }

    @Override
    int joined() {
        return arrays;
    }

    /** Every second core is loaded, so that each has an idle neighbour. */
    @Override
    int home(int color) {
        int loaded = color < arrays * COLORS_PER_A ? color / COLORS_PER_A / perCore : color - arrays * COLORS_PER_A;
        return loaded * 2 % experiment.cores();
    }

    @Override
    void setUpStages(Rig.Run toUse) {
        data = new Data(toUse.vm, experiment.cores(), ints * INT_BYTES, youngBytes);
        array = new int[arrays];
        sorted = new int[arrays];
        sentAt = new double[colorCount()];
        start = toUse.stage("start", createCycles, START_PENALTY, 7, this::handleStart);
        a = toUse.stage("A", annotation(createCycles), 1, 3, this::handleA);
        b = toUse.stage("B", annotation(sortCycles), 1, 3, this::handleB);
        c = toUse.stage("C", annotation(mergeCycles / 2), 1, 3, this::handleC);
    }

    private double annotation(double cycles) {
        return isAnnotated ? cycles : 0;
    }

    private void sendTo(Stage<Integer> stage, int color) {
        sentAt[color] = run().vm.now();
        run().send(stage, color(color), color);
    }

    @Override
    void register(int loaded) {
        run().send(start, color(arrays * COLORS_PER_A + loaded), loaded);
    }

    private void handleStart(int loaded) {
        for (int number = loaded * perCore; number < (loaded + 1) * perCore; number++) {
            sorted[number] = 0;
            sendTo(a, number * COLORS_PER_A);
        }
    }

    private int lines() {
        return ints * INT_BYTES / Data.LINE_BYTES;
    }

    private void handleA(int color) {
        int number = color / COLORS_PER_A;
        array[number] = data.take();
        run().walk(array[number], lines(), createCycles, home(color));
        run().sojourn(sentAt[color]);
        sendTo(b, color + 1);
        sendTo(b, color + 2);
    }

    private void handleB(int color) {
        int number = color / COLORS_PER_A;
        int half = lines() / 2;
        run().walk(array[number] + (color % COLORS_PER_A - 1) * half, half, sortCycles, home(color));
        run().sojourn(sentAt[color]);
        run().send(c, color(number * COLORS_PER_A), number * COLORS_PER_A);
    }

    private void handleC(int color) {
        int number = color / COLORS_PER_A;
        sorted[number]++;
        if (sorted[number] == 2) {
            if (youngBytes > 0) { // what is merged goes to an array of its own
                run().vm.stream(data.take(), lines(), true);
            }
            run().walk(array[number], lines(), mergeCycles, home(color));
            data.give(array[number]);
            done(number);
        }
    }
}
