// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;
import java.util.function.IntUnaryOperator;

/**
 * SWS under a closed loop of clients: each asks for a 1 KB file, waits for the answer, asks again, and connects anew after 150 files.
 *
 * <p>Accept and Epoll have a color each, a connection's other handlers the connection's. That is the report's server; with {@code pollers} there are more
 * of both, each with its share of the connections, whose colors begin on the same core, as in a server with a listener per core. Times are those of the public SWS, in cycles. <b>Source.</b>
 * spec: Mely §7.1, §7.2.
 */
final class Sws implements Workload {

    /** Read requests and built answers of a connection. Source: public SWS, two buffers of 1,024 bytes. */
    private static final int BUFFER_BYTES = 2_048;

    // Cycles of the handlers.
    private static final double EPOLL = 2_000; // assumed: a descriptor's share of an epoll_wait
    private static final double ACCEPT = 165_000;
    private static final double READ = 43_000;
    private static final double PARSE = 22_000;
    private static final double CHECK = 20_000;
    private static final double WRITE = 17_500;
    private static final double CLOSE = 14_000;
    private static final double DECREMENT = 400;

    private final Experiment experiment;
    private final int clients;
    private final int pollers;
    private final int firstConnection; // a slot
    private final int perConnection;
    private final double roundTripCycles;
    private final double scale;
    private final boolean isConnected;
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
    private double measuredFrom;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Sws(Experiment experiment) {
        this.experiment = experiment;
        int perCore = (int) experiment.parameter("clientsPerCore", 0);
        clients = perCore > 0 ? perCore * experiment.cores() : (int) experiment.parameter("clients", 200);
        int asked = (int) experiment.parameter("pollers", 1);
        pollers = asked == 0 ? experiment.cores() : Math.min(asked, experiment.cores());
        firstConnection = 2 * pollers;
        perConnection = (int) experiment.parameter("requestsPerConnection", 150);
        roundTripCycles = experiment.machine().cycles(experiment.parameter("roundTripUs", 200) * 1e3);
        scale = experiment.parameter("scale", 1);
        isConnected = experiment.parameter("connected", 0) != 0;
    }

    @Override
    public IntUnaryOperator placement() {
        return slot -> pollers > 1 && slot < firstConnection ? slot / 2 : slot;
    }

    private int poller(int client) {
        return client % pollers;
    }

    private Color epollColor(int client) {
        return run.mely.colorAt(2 * poller(client));
    }

    private Color acceptColor(int client) {
        return run.mely.colorAt(2 * poller(client) + 1);
    }

    @Override
    public void setUp(Rig.Run toUse) {
        run = toUse;
        epoll = stage("Epoll", EPOLL, this::epoll);
        accept = stage("Accept", ACCEPT, this::accept);
        read = stage("ReadRequest", READ, this::read);
        parse = stage("ParseRequest", PARSE, this::parse);
        check = stage("CheckInCache", CHECK, this::check);
        write = stage("WriteResponse", WRITE, this::write);
        close = stage("Close", CLOSE, this::close);
        decrement = stage("DecClientAccepted", DECREMENT, fd -> work(DECREMENT));
        colors = new Color[clients];
        buffers = new int[clients];
        left = new int[clients];
        askedAt = new double[clients];
        files = new int[(int) experiment.parameter("files", 1_000)];
        for (int i = 0; i < clients; i++) {
            colors[i] = toUse.mely.colorAt(firstConnection + i);
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
        run.burn(cycles * scale, (firstConnection + client) % experiment.cores());
    }

    /** Of handlers alone. */
    private double cyclesPerAnswer() {
        double request = EPOLL + READ + PARSE + CHECK + WRITE;
        double connection = EPOLL + ACCEPT + CLOSE + DECREMENT;
        return scale * (request + connection / perConnection);
    }

    /** All connect; or all are connected already, and have asked for some of their files. */
    @Override
    public void begin() {
        for (int i = 0; i < clients; i++) {
            int client = i;
            left[client] = isConnected ? 1 + run.random.nextInt(perConnection) : 0;
            run.arrive(poller(client), run.random.nextDouble() * roundTripCycles, () -> {
                if (isConnected) {
                    askedAt[client] = run.vm.now();
                    asks(client);
                } else {
                    connects(client);
                }
            });
        }
    }

    private void connects(int client) {
        run.send(epoll, epollColor(client), -1 - client);
    }

    private void asks(int client) {
        run.send(epoll, epollColor(client), client);
    }

    private void epoll(int ready) {
        work(EPOLL);
        if (ready < 0) {
            run.send(accept, acceptColor(-1 - ready), -1 - ready);
        } else {
            run.send(read, colors[ready], ready);
        }
    }

    private void accept(int client) {
        work(ACCEPT);
        left[client] = perConnection;
        askAgain(client);
    }

    private void askAgain(int client) {
        double at = run.vm.now() + roundTripCycles;
        askedAt[client] = at;
        run.arrive(poller(client), at, () -> asks(client));
    }

    private void read(int client) {
        run.vm.stream(buffers[client], 1_024 / Data.LINE_BYTES, true);
        requestWork(client, READ);
        run.send(parse, colors[client], client);
    }

    private void parse(int client) {
        run.vm.stream(buffers[client], 1_024 / Data.LINE_BYTES, false);
        requestWork(client, PARSE);
        run.send(check, colors[client], client);
    }

    private void check(int client) {
        requestWork(client, CHECK);
        run.send(write, colors[client], client);
    }

    private void write(int client) {
        run.vm.stream(files[run.random.nextInt(files.length)], 1_024 / Data.LINE_BYTES, false);
        requestWork(client, WRITE);
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
        requestWork(client, CLOSE);
        run.send(decrement, acceptColor(client), client);
        run.arrive(poller(client), run.vm.now() + roundTripCycles, () -> connects(client));
    }

    @Override
    public void measured() {
        answers = 0;
        measuredFrom = run.vm.now();
    }

    @Override
    public void ended() {
        run.extras.put("answers", (double) answers);
        run.extras.put("ideal", (run.vm.now() - measuredFrom) * experiment.cores() / cyclesPerAnswer());
    }
}
