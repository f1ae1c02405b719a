// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Stage;
import io.mely.bench.record.WorkloadProfile;
import io.mely.bench.record.WorkloadProfile.Dispersion;
import io.mely.bench.record.WorkloadProfile.Sends;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import io.mely.bench.record.WorkloadProfile.TimeBucket;
import io.mely.bench.simulate.machine.Experiment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a recorded application does, drawn anew: each arrival is a request; its handler takes one of the recorded times, sends to whom and as often as the
 * recorded ones did, and the request ends with the last event that it caused. An open loop: arrivals come {@code load} times as often as recorded, whatever
 * has been answered. Or a closed one, of clients with one request each, who send the next one a round trip after the answer, and share the recorded colors as evenly as these were used. Colors begin on any core, as hashed keys do. <b>Source.</b> {@code docs/adr/0012-a-workload-profile.md}.
 */
final class FromProfile implements Workload {
    /** So many arrivals make a window over which their dispersion is that of the gaps. Guess. */
    private static final double WINDOW_ARRIVALS = 10;

    /** Arrivals are made for the time of the run and a tenth more: a request must end before it can end the run. */
    private static final double MARGIN = 1.1;

    private final Experiment experiment;
    private final WorkloadProfile profile;
    private final double load;
    private final double speed;
    private final double longestNs;
    private final int clients;
    private final long roundTripUs;
    private final int[] homes;
    private final List<StageModel> models = new ArrayList<>();
    private Rig.Run run;
    private Color[] colors = {};
    private int[] data = {};
    private double[] arrivals = {};
    private long answers;
    private double measuredFrom;

    /** A request: when it came, and how many of its events have not ended. */
    private static final class Request {
        private final double at;
        private final @Nullable Client client;
        private int pending = 1;

        private Request(double at, @Nullable Client client) {
            this.at = at;
            this.client = client;
        }
    }

    /** Of a closed loop: where its requests come in, and in which color. */
    private record Client(StageModel stage, int color) {}

    private record Event(Request request, int color) {}

    /** Picks an index by weight. */
    private static final class Weighted {
        private final double[] cumulative;

        private Weighted(double[] cumulative) {
            this.cumulative = cumulative;
        }

        static <T> Weighted of(List<T> items, ToDoubleFunction<T> weight) {
            double[] cumulative = new double[items.size()];
            double sum = 0;
            for (int i = 0; i < cumulative.length; i++) {
                sum += weight.applyAsDouble(items.get(i));
                cumulative[i] = sum;
            }
            return new Weighted(cumulative);
        }

        boolean isEmpty() {
            return cumulative.length == 0 || cumulative[cumulative.length - 1] == 0;
        }

        int pick(SplittableRandom random) {
            return at(random.nextDouble());
        }

        /** The share of the weight before an item. */
        double shareBelow(int index) {
            return index == 0 ? 0 : cumulative[index - 1] / cumulative[cumulative.length - 1];
        }

        /** What lies at a share of the whole weight, from 0 to less than 1. */
        int at(double share) {
            double at = share * cumulative[cumulative.length - 1];
            int found = Arrays.binarySearch(cumulative, at);
            return Math.min(cumulative.length - 1, found < 0 ? -found - 1 : found + 1);
        }
    }

    /** What a handler may send to one stage. */
    private record Target(StageModel to, boolean isOwnColor, double chance, double mean) {
        int count(SplittableRandom random) {
            if (random.nextDouble() >= chance) {
                return 0;
            }
            int whole = (int) mean;
            return random.nextDouble() < mean - whole ? whole + 1 : whole;
        }
    }

    /** A stage as it is drawn. */
    private final class StageModel {
        private final StageLoad recorded;
        private final List<TimeBucket> kept;
        private final Weighted times;
        private final Weighted bands;
        private final double cyclesPerNs;
        private final List<Target> targets = new ArrayList<>();
        private Stage<Event> stage;

        @SuppressWarnings("NullAway.Init") // made when the run is
        private StageModel(StageLoad recorded, int index) {
            this.recorded = recorded;
            kept = recorded.times().stream()
                    .filter(bucket -> bucket.fromNs() < longestNs)
                    .toList();
            times = Weighted.of(kept, TimeBucket::events);
            bands = Weighted.of(profile.colors(), band -> band.events().get(index));
            double middle = 0;
            for (TimeBucket bucket : kept) {
                middle += bucket.events() * (bucket.fromNs() + bucket.belowNs()) / 2.0;
            }
            // the sum is exact, the buckets are not; what is left out is in the sum
            boolean isWhole = middle != 0 && kept.size() == recorded.times().size();
            cyclesPerNs = experiment.machine().cycles(1) / speed * (isWhole ? recorded.totalNs() / middle : 1);
        }

        private double drawCycles() {
            if (times.isEmpty()) {
                return 0;
            }
            TimeBucket bucket = kept.get(times.pick(run.random));
            double width = bucket.belowNs() - bucket.fromNs();
            return (bucket.fromNs() + run.random.nextDouble() * width) * cyclesPerNs;
        }

        /** A color as popular in this stage as recorded. */
        private int drawColor() {
            if (bands.isEmpty()) {
                return 0;
            }
            int band = bands.pick(run.random);
            return firstOfBand[band]
                    + run.random.nextInt(profile.colors().get(band).colors());
        }

        /** The color at a share of this stage's events, from 0 to less than 1, the most popular ones first. */
        private int colorAt(double share) {
            if (bands.isEmpty()) {
                return 0;
            }
            int band = bands.at(share);
            double below = bands.shareBelow(band);
            int width = profile.colors().get(band).colors();
            double inBand = (share - below) / (bands.shareBelow(band + 1) - below);
            return firstOfBand[band] + Math.min(width - 1, (int) (inBand * width));
        }

        private void handle(Event event) {
            double cycles = drawCycles();
            List<Runnable> sends = new ArrayList<>();
            for (Target target : targets) {
                for (int left = target.count(run.random); left > 0; left--) {
                    int color =
                            target.isOwnColor() ? event.color() : target.to().drawColor();
                    sends.add(() -> target.to().send(new Event(event.request(), color)));
                }
            }
            event.request().pending += sends.size();
            touch(event.color());
            // what the machine adds to each event and send is in the recorded time already
            double added =
                    run.spec.event().run() + sends.size() * run.spec.event().send();
            run.burn(Math.max(0, cycles - added), homes[event.color()]);
            sends.forEach(Runnable::run);
            ended(event.request());
        }

        private void touch(int color) {
            if (recorded.dataBytes() > 0) {
                if (data[color] == 0) {
                    data[color] = run.vm.newData(dataBytesMax());
                }
                run.vm.stream(
                        data[color], (int) ((recorded.dataBytes() + Data.LINE_BYTES - 1) / Data.LINE_BYTES), true);
            }
        }

        private void send(Event event) {
            run.send(stage, colors[event.color()], event);
        }
    }

    private final int[] firstOfBand;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    FromProfile(Experiment experiment) {
        this.experiment = experiment;
        WorkloadProfile given = experiment.profile();
        if (given == null) {
            throw new IllegalArgumentException("the workload profile needs a profile");
        }
        profile = given;
        load = experiment.parameter("load", 1);
        speed = experiment.parameter("speed", 1);
        longestNs = experiment.parameter("longestUs", Double.POSITIVE_INFINITY) * 1e3;
        clients = (int) experiment.parameter("clients", 0);
        roundTripUs = (long) experiment.parameter("roundTripUs", 200);
        firstOfBand = new int[profile.colors().size()];
        int count = 0;
        for (int i = 0; i < firstOfBand.length; i++) {
            firstOfBand[i] = count;
            count += profile.colors().get(i).colors();
        }
        SplittableRandom random = new SplittableRandom(experiment.seed());
        homes = new int[Math.max(1, count)];
        Arrays.setAll(homes, color -> random.nextInt(experiment.cores()));
    }

    private long dataBytesMax() {
        return profile.stages().stream().mapToLong(StageLoad::dataBytes).max().orElse(0);
    }

    @Override
    public IntUnaryOperator placement() {
        return slot -> slot == 0 || slot > homes.length ? 0 : homes[slot - 1];
    }

    @Override
    public void setUp(Rig.Run toUse) {
        run = toUse;
        colors = new Color[homes.length];
        Arrays.setAll(colors, color -> toUse.mely.colorAt(1 + color));
        data = new int[homes.length];
        Map<String, StageModel> byName = new HashMap<>();
        for (StageLoad recorded : profile.stages()) {
            StageModel model = new StageModel(recorded, models.size());
            double expected = experiment.machine().cycles((double) recorded.processingTimeNs()) / speed;
            model.stage =
                    toUse.stage(recorded.name(), expected, recorded.penalty(), recorded.priority(), model::handle);
            models.add(model);
            byName.put(recorded.name(), model);
        }
        for (StageModel model : models) {
            for (Sends sends : model.recorded.sends()) {
                StageModel to = byName.get(sends.to());
                if (to != null) {
                    double runs = sends.runs();
                    double chance = runs / model.recorded.runs();
                    model.targets.add(new Target(to, sends.isOwnColor(), chance, sends.events() / runs));
                }
            }
        }
    }

    /** All arrivals of the run: their order does not depend on what the runtime does. */
    @Override
    public void begin() {
        if (clients > 0) {
            beginClients();
            return;
        }
        double end = MARGIN * run.cyclesOfUs(experiment.warmUs() + experiment.measureUs());
        List<Double> all = new ArrayList<>();
        for (StageModel model : models) {
            if (model.recorded.arrivals() > 0) {
                beginStage(model, end, all);
            }
        }
        arrivals = all.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }

    private void beginClients() {
        Weighted stages = Weighted.of(models, model -> model.recorded.arrivals());
        if (stages.isEmpty()) {
            throw new IllegalArgumentException("clients need arrivals, of which the profile has none");
        }
        for (int i = 0; i < clients; i++) {
            StageModel stage = models.get(stages.pick(run.random));
            Client client = new Client(stage, stage.colorAt((i + 0.5) / clients));
            arrive(client, run.random.nextDouble() * run.cyclesOfUs(roundTripUs));
        }
    }

    private void arrive(Client client, double at) {
        Event event = new Event(new Request(at, client), client.color);
        run.arrive(homes[client.color], at, () -> client.stage.send(event));
    }

    private void beginStage(StageModel model, double end, List<Double> all) {
        double meanNs = profile.seconds() * 1e9 / model.recorded.arrivals() / load;
        double meanCycles = experiment.machine().cycles(meanNs);
        GammaGaps gaps = new GammaGaps(run.random, meanCycles, dispersion(model.recorded));
        for (double at = gaps.next() * run.random.nextDouble(); at < end; at += gaps.next()) {
            Request request = new Request(at, null);
            Event event = new Event(request, model.drawColor());
            run.arrive(homes[event.color()], at, () -> model.send(event));
            all.add(at);
        }
    }

    /** That of the shortest window with enough arrivals in it; of the longest, if there is none such. */
    private double dispersion(StageLoad recorded) {
        double index = 1;
        for (Dispersion window : recorded.dispersion()) {
            index = window.index();
            if (recorded.arrivals() / profile.seconds() * window.windowMs() / 1e3 >= WINDOW_ARRIVALS) {
                break;
            }
        }
        return index;
    }

    private void ended(Request request) {
        if (--request.pending == 0) {
            run.sojourn(request.at);
            answers++;
            boolean isMeasured = run.goOn();
            Client client = request.client;
            if (client != null && isMeasured) {
                arrive(client, run.vm.now() + run.cyclesOfUs(roundTripUs));
            }
        }
    }

    private int arrivedBy(double time) {
        int found = Arrays.binarySearch(arrivals, time);
        return found < 0 ? -found - 1 : found + 1;
    }

    @Override
    public void measured() {
        answers = 0;
        measuredFrom = run.vm.now();
    }

    @Override
    public void ended() {
        run.extras.put("answers", (double) answers);
        run.extras.put("arrivals", clients > 0 ? answers : (double) arrivedBy(run.vm.now()) - arrivedBy(measuredFrom));
    }
}
