// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * The skewed server: an open loop of Poisson arrivals, colors by Zipf's law, 95 % of the requests 5 us and 5 % 500 us long. Each core's poller gets the
 * requests of the colors that began there.
 *
 * <p>A color is serial, so one population's most popular color bounds what any number of cores can do: with {@code coresPerGroup} a larger machine has
 * more populations, each with its own popular colors, instead of a larger one.
 */
final class Skewed implements Workload {
    private final Experiment experiment;
    private final int count;
    private final int groups;
    private final double shortCycles;
    private final double longCycles;
    private final double longShare;
    private final double load;
    private final double exponent;
    private Rig.Run run;
    private Stage<Request> brief;
    private Stage<Request> lengthy;
    private Color[] colors = {};
    private double[] cumulative = {};
    private double gapCycles;
    private double measuredFrom;
    private long answers;

    private record Request(int color, double at, double cycles) {}

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Skewed(Experiment experiment) {
        this.experiment = experiment;
        count = (int) experiment.parameter("colors", 1_024);
        double coresPerGroup = experiment.parameter("coresPerGroup", experiment.cores());
        groups = Math.max(1, (int) (experiment.cores() / coresPerGroup));
        shortCycles = experiment.machine().cycles(experiment.parameter("shortUs", 5) * 1e3);
        longCycles = experiment.machine().cycles(experiment.parameter("longUs", 500) * 1e3);
        longShare = experiment.parameter("longShare", 0.05);
        load = experiment.parameter("load", 0.7);
        exponent = experiment.parameter("zipf", 1);
    }

    @Override
    public IntUnaryOperator placement() {
        return slot -> home(slot - 1);
    }

    /** As a good hash does: neighbours in popularity are anywhere. */
    private int home(int color) {
        return (((1 + color) * 0x9E3779B9) >>> 16) % experiment.cores();
    }

    @Override
    public void setUp(Rig.Run toUse) {
        run = toUse;
        brief = toUse.stage("short", shortCycles, 1, 3, this::handle);
        lengthy = toUse.stage("long", longCycles, 1, 3, this::handle);
        colors = new Color[count * groups];
        for (int i = 0; i < colors.length; i++) {
            colors[i] = toUse.mely.colorAt(1 + i);
        }
        cumulative = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += 1 / Math.pow(i + 1, exponent);
            cumulative[i] = sum;
        }
        double meanCycles = longShare * longCycles + (1 - longShare) * shortCycles;
        gapCycles = meanCycles / (load * experiment.cores());
    }

    /** All arrivals of the run, and a tenth more: their order does not depend on what the runtime does. */
    @Override
    public void begin() {
        double end = 1.1 * run.cyclesOfUs(experiment.warmUs() + experiment.measureUs());
        for (double at = next(0); at < end; at = next(at)) {
            int color = pick();
            boolean isLong = run.random.nextDouble() < longShare;
            Request request = new Request(color, at, isLong ? longCycles : shortCycles);
            Stage<Request> stage = isLong ? lengthy : brief;
            run.arrive(home(color), at, () -> run.send(stage, colors[color], request));
        }
    }

    private double next(double at) {
        return at - Math.log(1 - run.random.nextDouble()) * gapCycles;
    }

    private int pick() {
        int at = Arrays.binarySearch(cumulative, run.random.nextDouble() * cumulative[count - 1]);
        int rank = Math.min(count - 1, at < 0 ? -at - 1 : at);
        return groups == 1 ? rank : run.random.nextInt(groups) * count + rank;
    }

    private void handle(Request request) {
        run.burn(request.cycles(), home(request.color()));
        run.sojourn(request.at());
        answers++;
        boolean unused = run.goOn();
    }

    @Override
    public void measured() {
        answers = 0;
        measuredFrom = run.vm.now();
    }

    @Override
    public void ended() {
        run.extras.put("answers", (double) answers);
        run.extras.put("ideal", (run.vm.now() - measuredFrom) / gapCycles);
    }
}
