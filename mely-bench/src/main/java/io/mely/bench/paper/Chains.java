// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.List;

/** <i>chains</i>: many chains, each of which hops from color to color at random; the cost of a hop. Colors may settle. */
final class Chains extends Rounds {
    private static final int KIND = 1;

    /**
     * The size.
     *
     * @param chains under way at once
     * @param colors a power of two
     * @param hops of a chain in a round
     */
    record Options(int chains, int colors, int hops) {
        static Options usual() {
            return new Options(1_000, 1_024, 100);
        }

        Options withHops(int count) {
            return new Options(chains, colors, count);
        }
    }

    private final Options options;
    private final Place[] places;
    private final Chain[] chains;
    private final Join join = new Join();

    Chains(Options options) {
        this.options = options;
        places = new Place[options.colors()];
        Homes.inOrder(places.length, i -> places[i] = new Place());
        chains = new Chain[options.chains()];
        for (int i = 0; i < chains.length; i++) {
            chains[i] = new Chain(i);
        }
    }

    /** The books of a color. Which chain comes first is nobody's promise, so its lane counts for itself. */
    private static final class Place {
        final Lane lane = new Lane();
        int ran;
    }

    private static int start(int chain) {
        return (chain * 0x9E3779B9) | 1;
    }

    private static int next(int walk) {
        int x = walk;
        x ^= x << 13;
        x ^= x >>> 17;
        return x ^ (x << 5);
    }

    private int placeOf(int walk) {
        return (walk >>> 7) & (options.colors() - 1);
    }

    private final class Chain extends Event {
        private final int index;
        private int walk;
        private int hopsLeft;
        private long ran;

        Chain(int index) {
            this.index = index;
            walk = start(index);
        }

        void begin() {
            hopsLeft = options.hops();
            hop();
        }

        private void hop() {
            executor().execute(1 + placeOf(walk), KIND, this);
        }

        @Override
        void handle() {
            Place place = places[placeOf(walk)];
            place.lane.begin(place.ran++);
            ran++;
            walk = next(walk);
            place.lane.end(0);
            if (--hopsLeft > 0) {
                hop();
            } else if (join.arrive(index)) {
                roundDone();
            }
        }
    }

    @Override
    int keys() {
        return 1 + options.colors();
    }

    @Override
    List<Kind> kinds() {
        return List.of(DRIVER, new Kind("hop", 0, 1));
    }

    @Override
    int home(int key) {
        return key;
    }

    @Override
    boolean startsAtHome() {
        return false;
    }

    @Override
    int eventsPerRound() {
        return options.chains() * options.hops();
    }

    @Override
    void register(int round) {
        join.arm(chains.length, 1);
        for (Chain chain : chains) {
            chain.begin();
        }
    }

    @Override
    Metric metric() {
        return Metric.NS_PER_EVENT;
    }

    @Override
    void check(int roundsRun) {
        int[] expected = new int[places.length];
        for (Chain chain : chains) {
            int walk = start(chain.index);
            for (int hop = 0; hop < roundsRun * options.hops(); hop++) {
                expected[placeOf(walk)]++;
                walk = next(walk);
            }
            if (walk != chain.walk || chain.ran != (long) roundsRun * options.hops()) {
                throw new CheckFailedException("chain " + chain.index + ": " + chain.ran + " hops, or a wrong walk");
            }
        }
        for (int i = 0; i < places.length; i++) {
            places[i].lane.check(i + 1, expected[i]);
        }
    }
}
