// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;
import java.util.function.IntUnaryOperator;

/**
 * SWS under a closed loop of clients: each asks for a 1 KB file, waits for the answer, asks again, and connects anew after 150 files.
 *
 * <p>Accept and Epoll have a color each, a connection's other handlers the connection's. Times are those of the public SWS, in cycles. <b>Source.</b>
 * spec: Mely §7.1, §7.2.
 */
final class Sws implements Workload {
    private static final int FIRST_CONNECTION_SLOT = 2;

    /** Read requests and built answers of a connection. Source: public SWS, two buffers of 1,024 bytes. */
    private static final int BUFFER_BYTES = 2_048;

    private final Experiment experiment;
    private final int clients;
    private final int perConnection;
    private final double roundTripCycles;
    private final double scale;
    private Rig.Run run;
    private Stage<Integer> epoll;
    private Stage<Integer> accept;
    private Stage<Integer> read;
    private Stage<Integer> parse;
    private Stage<Integer> check;
    private Stage<Integer> write;
    private Stage<Integer> close;
    private Stage<Integer> decrement;
    private Color[] colors = {};
    private int[] buffers = {};
    private int[] files = {};
    private int[] left = {};
    private double[] askedAt = {};
    private long answers;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Sws(Experiment experiment) {
        this.experiment = experiment;
        clients = (int) experiment.parameter("clients", 200);
        perConnection = (int) experiment.parameter("requestsPerConnection", 150);
        roundTripCycles = experiment.machine().cycles(experiment.parameter("roundTripUs", 200) * 1e3);
        scale = experiment.parameter("scale", 1);
    }

    @Override
    public IntUnaryOperator placement() {
        return slot -> slot;
    }

    @Override
    public void setUp(Rig.Run toUse) {
        run = toUse;
        epoll = stage("Epoll", 2_000, this::epoll);
        accept = stage("Accept", 165_000, this::accept);
        read = stage("ReadRequest", 43_000, this::read);
        parse = stage("ParseRequest", 22_000, this::parse);
        check = stage("CheckInCache", 20_000, this::check);
        write = stage("WriteResponse", 17_500, this::write);
        close = stage("Close", 14_000, this::close);
        decrement = stage("DecClientAccepted", 400, fd -> work(400));
        colors = new Color[clients];
        buffers = new int[clients];
        left = new int[clients];
        askedAt = new double[clients];
        files = new int[(int) experiment.parameter("files", 1_000)];
        for (int i = 0; i < clients; i++) {
            colors[i] = toUse.mely.colorAt(FIRST_CONNECTION_SLOT + i);
            buffers[i] = toUse.vm.newData(BUFFER_BYTES);
        }
        for (int i = 0; i < files.length; i++) {
            files[i] = toUse.vm.newData(1_024);
        }
    }

    private Stage<Integer> stage(String name, double cycles, Rig.Run.Body<Integer> body) {
        return run.stage(name, cycles * scale, 1, 3, body);
    }

    private void work(double cycles) {
        run.vm.work(cycles * scale);
    }

    private void requestWork(int client, double cycles) {
        run.burn(cycles * scale, (FIRST_CONNECTION_SLOT + client) % experiment.cores());
    }

    @Override
    public void begin() {
        for (int i = 0; i < clients; i++) {
            int client = i;
            run.arrive(0, run.random.nextDouble() * roundTripCycles, () -> connects(client));
        }
    }

    private void connects(int client) {
        run.send(epoll, run.mely.colorAt(0), -1 - client);
    }

    private void asks(int client) {
        run.send(epoll, run.mely.colorAt(0), client);
    }

    private void epoll(int ready) {
        work(2_000); // assumed: a descriptor's share of an epoll_wait
        if (ready < 0) {
            run.send(accept, run.mely.colorAt(1), -1 - ready);
        } else {
            run.send(read, colors[ready], ready);
        }
    }

    private void accept(int client) {
        work(165_000);
        left[client] = perConnection;
        askAgain(client);
    }

    private void askAgain(int client) {
        double at = run.vm.now() + roundTripCycles;
        askedAt[client] = at;
        run.arrive(0, at, () -> asks(client));
    }

    private void read(int client) {
        run.vm.stream(buffers[client], 1_024 / Data.LINE_BYTES, true);
        requestWork(client, 43_000);
        run.send(parse, colors[client], client);
    }

    private void parse(int client) {
        run.vm.stream(buffers[client], 1_024 / Data.LINE_BYTES, false);
        requestWork(client, 22_000);
        run.send(check, colors[client], client);
    }

    private void check(int client) {
        requestWork(client, 20_000);
        run.send(write, colors[client], client);
    }

    private void write(int client) {
        run.vm.stream(files[run.random.nextInt(files.length)], 1_024 / Data.LINE_BYTES, false);
        requestWork(client, 17_500);
        answers++;
        run.sojourn(askedAt[client]);
        if (!run.goOn()) {
            return;
        }
        if (--left[client] > 0) {
            askAgain(client);
        } else {
            run.send(close, colors[client], client);
        }
    }

    private void close(int client) {
        requestWork(client, 14_000);
        run.send(decrement, run.mely.colorAt(1), client);
        run.arrive(0, run.vm.now() + roundTripCycles, () -> connects(client));
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
