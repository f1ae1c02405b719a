// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;

/** <i>chains</i>: many chains, each of which hops from color to color at random; the cost of a hop. Colors may settle. */
final class Chains extends Rounds {
    private final int chains;
    private final int count;
    private final int hops;
    private final int[] walks;
    private final int[] hopsLeft;
    private int objects; // a line for each chain
    private int places; // a line for each color's books
    private Stage<Integer> hop;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Chains(Experiment experiment) {
        super(experiment);
        chains = (int) experiment.parameter("chains", 1_000);
        count = (int) experiment.parameter("colors", 1_024);
        hops = (int) experiment.parameter("hops", 100);
        walks = new int[chains];
        hopsLeft = new int[chains];
        for (int i = 0; i < chains; i++) {
            walks[i] = (i * 0x9E3779B9) | 1;
        }
    }

    @Override
    int colorCount() {
        return count;
    }

    @Override
    int registered() {
        return chains;
    }

    @Override
    int joined() {
        return chains;
    }

    @Override
    int home(int color) {
        return (1 + color) % experiment.cores();
    }

    @Override
    boolean startsAtHome() {
        return false;
    }

    @Override
    void setUpStages(Rig.Run toUse) {
        objects = toUse.vm.newData((long) chains * Data.LINE_BYTES);
        places = toUse.vm.newData((long) count * Data.LINE_BYTES);
        hop = toUse.stage("hop", 0, 1, 3, this::handle);
    }

    private int place(int chain) {
        return (walks[chain] >>> 7) % count;
    }

    @Override
    void register(int chain) {
        hopsLeft[chain] = hops;
        run().send(hop, color(place(chain)), chain);
    }

    private void handle(int chain) {
        if (hasBooks()) {
            run().vm.touch(objects + chain, true);
            run().vm.touch(places + place(chain), true);
        }
        int x = walks[chain];
        x ^= x << 13;
        x ^= x >>> 17;
        walks[chain] = x ^ (x << 5);
        if (--hopsLeft[chain] > 0) {
            run().send(hop, color(place(chain)), chain);
        } else {
            done(chain);
        }
    }
}
