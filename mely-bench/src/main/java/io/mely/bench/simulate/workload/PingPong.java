// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;

/** <i>ping-pong</i>: two colors send to each other, at home on different cores; the cost of a hop. Colors may settle. */
final class PingPong extends Rounds {
    private final int hops;
    private int hopsLeft;
    private int game; // a line that both players write
    private int players; // a line for each
    private Stage<Integer> hop;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    PingPong(Experiment experiment) {
        super(experiment);
        hops = (int) experiment.parameter("hops", 2_000);
    }

    @Override
    int colorCount() {
        return 2;
    }

    @Override
    int registered() {
        return 1;
    }

    @Override
    int joined() {
        return 1;
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
        game = toUse.vm.newData(Data.LINE_BYTES);
        players = toUse.vm.newData(2 * Data.LINE_BYTES);
        hop = toUse.stage("hop", 0, 1, 3, this::handle);
    }

    @Override
    void register(int number) {
        hopsLeft = hops;
        run().send(hop, color(0), 0);
    }

    private void handle(int player) {
        if (hasBooks()) {
            run().vm.touch(players + player, true);
            run().vm.touch(game, true);
        }
        if (--hopsLeft > 0) {
            run().send(hop, color(1 - player), 1 - player);
        } else {
            done(0);
        }
    }
}
