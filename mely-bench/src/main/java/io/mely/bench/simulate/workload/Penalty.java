// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;
import java.util.Arrays;

/**
 * <i>penalty</i>: A events of different colors on the first core; each allocates an array and starts a chain of B events of its color, each of
 * which walks through the next part of the array.
 *
 * <p>What the paper leaves open is derived from its Table 5, see docs/simulator.md. <b>Source.</b> spec: Mely §6.2.
 */
final class Penalty extends Rounds {
    private static final int WORD_BYTES = 8;
    private static final int NONE = -1;

    private final int count;
    private final int parts;
    private final int partBytes;
    private final double cyclesPerWord;
    private final double aCycles;
    private final int bPenalty;
    private final double youngBytes;
    private final boolean isKept;
    private final boolean isAnnotated;
    private Data data;
    private Stage<Integer> a;
    private Stage<Integer> b;
    private int[] array = {};
    private int[] part = {};
    private double[] sentAt = {};

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Penalty(Experiment experiment) {
        super(experiment);
        count = (int) experiment.parameter("colors", 8);
        parts = (int) experiment.parameter("parts", 64);
        partBytes = (int) experiment.parameter("partBytes", 4_096);
        cyclesPerWord = experiment.parameter("cyclesPerWord", 0.23);
        aCycles = experiment.parameter("aCycles", 1_000);
        bPenalty = (int) experiment.parameter("bPenalty", 1_000);
        youngBytes = experiment.parameter("youngBytes", 0);
        isKept = experiment.parameter("kept", 0) != 0;
        isAnnotated = experiment.parameter("annotated", 1) != 0;
    }

    @Override
    int colorCount() {
        return count;
    }

    @Override
    void setUpStages(Rig.Run toUse) {
        data = new Data(toUse.vm, experiment.cores(), parts * partBytes, youngBytes);
        array = new int[count];
        Arrays.fill(array, NONE);
        part = new int[count];
        sentAt = new double[count];
        double bCycles = cyclesPerWord * partBytes / WORD_BYTES;
        // an A is worth what it starts: the programmer knows that a chain follows
        a = toUse.stage("A", isAnnotated ? aCycles + parts * bCycles : 0, 1, 3, this::handleA);
        b = toUse.stage("B", isAnnotated ? bCycles : 0, bPenalty, 3, this::handleB);
    }

    @Override
    void register(int number) {
        sentAt[number] = run().vm.now();
        run().send(a, color(number), number);
    }

    private void handleA(int number) {
        if (!isKept || array[number] == NONE) {
            array[number] = data.take();
        }
        part[number] = 0;
        if (isKept || youngBytes > 0) { // what a collected heap hands out is filled before it is used
            run().walk(array[number], parts * partBytes / Data.LINE_BYTES, aCycles, 0);
        } else {
            run().burn(aCycles, 0);
        }
        run().sojourn(sentAt[number]);
        sentAt[number] = run().vm.now();
        run().send(b, color(number), number);
    }

    private void handleB(int number) {
        int lines = partBytes / Data.LINE_BYTES;
        int at = part[number]++;
        run().walk(array[number] + at * lines, lines, cyclesPerWord * partBytes / WORD_BYTES, 0);
        run().sojourn(sentAt[number]);
        if (at + 1 < parts) {
            sentAt[number] = run().vm.now();
            run().send(b, color(number), number);
        } else {
            if (!isKept) {
                data.give(array[number]);
            }
            done(number);
        }
    }
}
