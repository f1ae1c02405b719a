// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.policy.PoolPolicy;
import io.mely.policy.PoolSize;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The site search engine of the staged-server thesis: fourteen stages and three ways through them, for an exact title, one term, and several terms.
 *
 * <pre>
 *   decoder → title ─ exact ──────────────────────────────────────────→ content → formatter → deflater → (written)
 *               └ tokenizer → stopwords → spell ─ known ─→ stemmer ─ one term → single ────↑
 *                                           └ sounds → title (again)   └ cache ─ miss → multi → combiner ─↑
 *                                                                          └ hit → (written)
 * </pre>
 *
 * <p>Reading and writing are no stage: the cores' pollers do them, whichever is free, as the thesis's network threads share one port. So a request is never kept from its core by a handler that takes long.
 *
 * <h2>What the thesis does not say, and what is taken here</h2>
 *
 * It prints no service times, no shares of the paths, and no think time. These follow from its tables (spec: stages §10.6, §11):
 *
 * <ul>
 *   <li><b>Clients.</b> "Several hundred" connections for each of 32 clients, in a closed loop. By N = X (R + Z), the rates X and response times R of all rows but those
 *       of SEDA overthreaded and of four partitions agree within 1 % on N = 13,600 connections (425 a client) and Z = 14.7 s between an answer and the next request. Exponential.
 *   <li><b>Time of a request.</b> 80 % of eight cores at 922 a second: 6.94 ms.
 *   <li><b>The set combiner.</b> With four partitions it had two cores, and the server answered 656 a second: at most 3.05 ms of each request.
 *   <li><b>Each other stage.</b> SEDA, with one thread for each, came to 1,490 a second: at most 0.67 ms of each request. The rest, 0.75 ms, is reading and writing.
 * </ul>
 *
 * <p>Guesses: 60 % exact titles (the thesis: "the majority"), 30 % several terms, half of which the cache has; one search in ten is misspelled. The combiner's and the multi-term reader's times are drawn together from one Pareto distribution (exponent
 * 1.5, largest a hundred times the least), as lengths of lists of documents are; other times are 0.5 to 1.5 of the mean. A stage's handler walks through 16 KB of its own, and through 2 KB of the request.
 *
 * <p><b>Parameters.</b> {@code configuration}: 0 normal, -1 underthreaded (stop words, spelling, sounds and stems are called by their senders), 1 overthreaded (of {@code seda}: as many threads as cores for each stage but the cache). {@code clients},
 * {@code thinkUs}, {@code load} (divides the think time), {@code scale} (multiplies all times of handlers), {@code range} (of the Pareto distribution, 1: all lists are equal), {@code stageBytes}, {@code requestBytes}. <b>Source.</b> spec: stages §10.
 */
final class Search implements Workload {
    private static final int LINE = Data.LINE_BYTES;
    private static final String COMBINER = "combiner";
    private static final String CALLS = "calls";
    private static final Set<String> LIGHT = Set.of("stopwords", "spell", "sounds", "stemmer");

    // Ms of a visit; what is above divided by the share of requests that come there.
    private static final double IO = 0.375; // to read, and again to write
    private static final double DECODER = 0.08;
    private static final double TITLE = 0.433;
    private static final double TOKENIZER = 0.5;
    private static final double STOPWORDS = 0.075;
    private static final double SPELL = 0.375;
    private static final double SOUNDS = 1.25;
    private static final double STEMMER = 0.075;
    private static final double SINGLE = 0.8;
    private static final double CACHE = 0.067;
    private static final double MULTI = 2.67;
    private static final double COMBINE = 20.3;
    private static final double CONTENT_ONE = 0.375; // the page with the title
    private static final double CONTENT_TEN = 1.5; // what a search has found
    private static final double FORMATTER = 0.53;
    private static final double DEFLATER = 0.706;

    private static final double EXACT_SHARE = 0.6;
    private static final double SINGLE_SHARE = 0.25; // of searches
    private static final double MISSPELLED_SHARE = 0.1; // of searches
    private static final double CACHED_SHARE = 0.5; // of searches for several terms

    private static final double PARETO = 1.5;
    private static final double PARETO_RANGE = 100;

    private final Experiment experiment;
    private final int clients;
    private final double thinkUs;
    private final double scale;
    private final double range;
    private final int configuration;
    private final int stageLines;
    private final int requestLines;
    private final boolean isColored;
    private final Map<String, Integer> data = new HashMap<>();
    private final Client[] all;
    private Rig.Run run;
    private Stage<Client> decoder;
    private Stage<Client> title;
    private Stage<Client> tokenizer;
    private Stage<Client> stopwords;
    private Stage<Client> spell;
    private Stage<Client> sounds;
    private Stage<Client> stemmer;
    private Stage<Client> single;
    private Stage<Client> cache;
    private Stage<Client> multi;
    private Stage<Client> combiner;
    private Stage<Client> content;
    private Stage<Client> formatter;
    private Stage<Client> deflater;
    private long asked;
    private long answered;
    private long measuredAnswers;

    /** A connection, and the request that it waits for. */
    private static final class Client {
        private final Color color;
        private final int buffer;
        private final SplittableRandom chance; // its own: so its requests are the same whoever schedules them
        private double askedAt;
        private boolean isWaiting;
        private boolean isExact;
        private boolean isSingle;
        private boolean isMisspelled;
        private boolean isRechecked;
        private boolean isCached;
        private double size; // of its lists of documents, mean 1

        private Client(Color color, int buffer, SplittableRandom chance) {
            this.color = color;
            this.buffer = buffer;
            this.chance = chance;
        }
    }

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Search(Experiment experiment) {
        this.experiment = experiment;
        clients = (int) experiment.parameter("clients", 13_600);
        thinkUs = experiment.parameter("thinkUs", 14_700_000) / experiment.parameter("load", 1);
        scale = experiment.parameter("scale", 1);
        range = experiment.parameter("range", PARETO_RANGE);
        configuration = (int) experiment.parameter("configuration", 0);
        stageLines = (int) experiment.parameter("stageBytes", 16_384) / LINE;
        requestLines = (int) experiment.parameter("requestBytes", 2_048) / LINE;
        String engine = experiment.engine();
        isColored = engine.startsWith("mely") || engine.startsWith("libasync");
        if (configuration < -1 || configuration > 1 || (configuration == 1 && !engine.equals("seda"))) {
            throw new IllegalArgumentException(
                    "configuration must be -1 or 0, or 1 with engine seda: configuration=" + configuration);
        }
        all = new Client[clients];
    }

    @Override
    public IntUnaryOperator placement() {
        return slot -> slot;
    }

    @Override
    public @Nullable Policy policy(String engine) {
        if (!engine.equals("seda")) {
            return null;
        }
        int each = configuration == 1 ? experiment.cores() : 1;
        PoolPolicy pools = PoolPolicy.perStage(each).withSize(COMBINER, PoolSize.fixed(experiment.cores()));
        return Policy.of(engine, pools);
    }

    @Override
    public Map<String, Policy> groups() {
        return configuration == -1 ? Map.of(CALLS, Policy.passThrough()) : Map.of();
    }

    /** From the end to the start: so the thesis's SRPT knows which is the end. */
    @Override
    public void setUp(Rig.Run toUse) {
        run = toUse;
        deflater = stage("deflater", DEFLATER, this::written);
        formatter = stage("formatter", FORMATTER, client -> send(deflater, client));
        content = stage("content", this::readContent);
        combiner = stage(COMBINER, this::combine);
        multi = stage("multi", this::readMulti);
        cache = stage("cache", CACHE, this::lookUp);
        single = stage("single", SINGLE, client -> send(content, client));
        stemmer = stage("stemmer", STEMMER, client -> send(client.isSingle ? single : cache, client));
        sounds = stage("sounds", SOUNDS, this::replace);
        spell = stage("spell", SPELL, client -> send(client.isMisspelled ? sounds : stemmer, client));
        stopwords = stage("stopwords", STOPWORDS, this::spelling);
        tokenizer = stage("tokenizer", TOKENIZER, client -> send(stopwords, client));
        title = stage("title", TITLE, client -> send(client.isExact ? content : tokenizer, client));
        decoder = stage("decoder", DECODER, client -> send(title, client));
        SplittableRandom seeds = new SplittableRandom(experiment.seed());
        for (int i = 0; i < clients; i++) {
            int buffer = toUse.vm.newData((long) requestLines * LINE);
            all[i] = new Client(toUse.mely.colorAt(i), buffer, seeds.split());
        }
    }

    private Stage<Client> stage(String name, double ms, Rig.Run.Body<Client> then) {
        return stage(name, client -> {
            work(name, client, ms * (0.5 + client.chance.nextDouble()));
            then.handle(client);
        });
    }

    private Stage<Client> stage(String name, Rig.Run.Body<Client> body) {
        data.put(name, run.vm.newData((long) stageLines * LINE));
        StageOptions options = StageOptions.defaults();
        if (name.equals("cache")) {
            options = options.asSingleThreaded();
        }
        if (configuration == -1 && LIGHT.contains(name)) {
            options = options.withGroup(CALLS);
        }
        return run.stage(name, options, body);
    }

    private void send(Stage<Client> to, Client client) {
        if (isColored) {
            run.send(to, client.color, client);
        } else {
            run.send(to, client);
        }
    }

    private void work(String stage, Client client, double ms) {
        run.vm.stream(data.getOrDefault(stage, 0), stageLines, false);
        run.vm.stream(client.buffer, requestLines, true);
        run.vm.work(cycles(ms));
    }

    private double cycles(double ms) {
        return experiment.machine().cycles(ms * scale * 1e6);
    }

    // ------------------------------------------------------------------ clients

    @Override
    public void begin() {
        for (Client client : all) {
            askLater(client);
        }
    }

    private void askLater(Client client) {
        double us = -Math.log(1 - client.chance.nextDouble()) * thinkUs;
        run.arriveAnywhere(run.vm.now() + experiment.machine().cycles(us * 1e3), () -> ask(client));
    }

    private void ask(Client client) {
        if (client.isWaiting) {
            throw new IllegalStateException("it waits for an answer, and asks again");
        }
        asked++;
        SplittableRandom chance = client.chance;
        client.isWaiting = true;
        client.isExact = chance.nextDouble() < EXACT_SHARE;
        client.isSingle = chance.nextDouble() < SINGLE_SHARE;
        client.isMisspelled = chance.nextDouble() < MISSPELLED_SHARE;
        client.isRechecked = false;
        client.isCached = chance.nextDouble() < CACHED_SHARE;
        client.size = pareto(chance, range);
        client.askedAt = run.vm.now();
        run.vm.work(cycles(IO));
        send(decoder, client);
    }

    /** Mean 1. */
    private static double pareto(SplittableRandom chance, double range) {
        double drawn = chance.nextDouble();
        if (range == 1) {
            return 1;
        }
        double tail = 1 - Math.pow(range, -PARETO);
        double mean = PARETO / (PARETO - 1) * (1 - Math.pow(range, 1 - PARETO)) / tail;
        return Math.pow(1 - drawn * tail, -1 / PARETO) / mean; // the least is 1 / mean
    }

    private void written(Client client) {
        run.arriveAnywhere(run.vm.now(), () -> write(client));
    }

    private void write(Client client) {
        run.vm.work(cycles(IO));
        if (!client.isWaiting) {
            throw new IllegalStateException("answered twice");
        }
        client.isWaiting = false;
        answered++;
        measuredAnswers++;
        run.sojourn(client.askedAt);
        if (run.goOn()) {
            askLater(client);
        }
    }

    // ------------------------------------------------------------------ handlers that do more than go on

    private void spelling(Client client) {
        send(client.isRechecked ? stemmer : spell, client);
    }

    /** Back to the titles, of which none fits; then it is not spelled again. */
    private void replace(Client client) {
        client.isRechecked = true;
        send(title, client);
    }

    private void lookUp(Client client) {
        if (client.isCached) {
            written(client);
        } else {
            send(multi, client);
        }
    }

    private void readMulti(Client client) {
        work("multi", client, MULTI * client.size);
        send(combiner, client);
    }

    private void combine(Client client) {
        work(COMBINER, client, COMBINE * client.size);
        send(content, client);
    }

    private void readContent(Client client) {
        work("content", client, (client.isExact ? CONTENT_ONE : CONTENT_TEN) * (0.5 + client.chance.nextDouble()));
        send(formatter, client);
    }

    // ------------------------------------------------------------------ figures

    @Override
    public void measured() {
        measuredAnswers = 0;
    }

    @Override
    public void ended() {
        long waiting = List.of(all).stream().filter(client -> client.isWaiting).count();
        if (asked != answered + waiting) {
            throw new IllegalStateException(
                    "the books do not close: asked=" + asked + ", answered=" + answered + ", waiting=" + waiting);
        }
        run.extras.put("answers", (double) measuredAnswers);
    }
}
