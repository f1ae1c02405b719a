// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;
import java.util.function.IntUnaryOperator;

/**
 * SFS, a file server that encrypts: few clients read a cached file in blocks, several of which each asks for at a time. Only the encryption, 60 % of
 * the work, is colored by client; the rest has the default color. <b>Source.</b> spec: Mely §7.4.
 */
final class Sfs implements Workload {
    private final Experiment experiment;
    private final int clients;
    private final int window;
    private final int blockBytes;
    private final double cryptoCycles;
    private final double otherCycles;
    private final double roundTripCycles;
    private Rig.Run run;
    private Stage<Integer> receive;
    private Stage<Integer> encrypt;
    private Stage<Integer> reply;
    private Color[] colors = {};
    private Data blocks;
    private int[] file = {};
    private long answers;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Sfs(Experiment experiment) {
        this.experiment = experiment;
        clients = (int) experiment.parameter("clients", 16);
        window = (int) experiment.parameter("window", 8);
        blockBytes = (int) experiment.parameter("blockBytes", 8_192);
        cryptoCycles = experiment.parameter("cryptoCyclesPerByte", 18) * blockBytes;
        double crypto = experiment.parameter("cryptoShare", 0.6);
        otherCycles = cryptoCycles * (1 - crypto) / crypto;
        roundTripCycles = experiment.machine().cycles(experiment.parameter("roundTripUs", 200) * 1e3);
    }

    @Override
    public IntUnaryOperator placement() {
        return slot -> slot;
    }

    @Override
    public void setUp(Rig.Run toUse) {
        run = toUse;
        receive = toUse.stage("receive", otherCycles / 2, 1, 3, this::receive);
        encrypt = toUse.stage("encrypt", cryptoCycles, 1, 3, this::encrypt);
        reply = toUse.stage("reply", otherCycles / 2, 1, 3, this::reply);
        blocks = new Data(toUse.vm, experiment.cores(), blockBytes, 0);
        colors = new Color[clients];
        for (int i = 0; i < clients; i++) {
            colors[i] = toUse.mely.colorAt(1 + i);
        }
        file = new int[256];
        for (int i = 0; i < file.length; i++) {
            file[i] = toUse.vm.newData(blockBytes);
        }
    }

    @Override
    public void begin() {
        for (int i = 0; i < clients * window; i++) {
            int client = i % clients;
            run.arrive(0, run.random.nextDouble() * roundTripCycles, () -> asks(client));
        }
    }

    private void asks(int client) {
        run.send(receive, run.mely.colorAt(0), client);
    }

    private void receive(int client) {
        run.vm.work(otherCycles / 2);
        run.send(encrypt, colors[client], client);
    }

    private void encrypt(int client) {
        int lines = blockBytes / Data.LINE_BYTES;
        int block = blocks.take();
        run.vm.stream(file[run.random.nextInt(file.length)], lines, false);
        run.vm.stream(block, lines, true);
        run.burn(cryptoCycles, (1 + client) % experiment.cores());
        blocks.give(block);
        run.send(reply, run.mely.colorAt(0), client);
    }

    private void reply(int client) {
        run.vm.work(otherCycles / 2);
        answers++;
        if (run.goOn()) {
            run.arrive(0, run.vm.now() + roundTripCycles, () -> asks(client));
        }
    }

    @Override
    public void measured() {
        answers = 0;
    }

    @Override
    public void ended() {
        run.extras.put("answers", (double) answers);
    }
}
