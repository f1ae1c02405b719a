// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.Arrays;
import java.util.List;

/** <i>ping-pong</i>: two colors send to each other, at home on different workers; the cost of a hop. Colors may settle. */
final class PingPong extends Rounds {
    private static final int KIND = 1;
    /** Seats from one player to the other. Nobody plays on those between: else chance says whether the two share a cache line. */
    private static final int APART = 8;

    private final int hops;
    private final Player[] seats = new Player[3 * APART];
    private int hopsLeft;

    /**
     * A game.
     *
     * @param hops of a round
     */
    PingPong(int hops) {
        this.hops = hops;
        Arrays.setAll(seats, seat -> new Player(seat / APART - 1));
    }

    private Player player(int index) {
        return seats[(1 + index) * APART];
    }

    private final class Player extends Event {
        private final int index;
        private final Lane lane = new Lane();
        private int number;

        Player(int index) {
            this.index = index;
        }

        @Override
        void handle() {
            lane.begin(number++);
            int left = --hopsLeft;
            lane.end(left);
            if (left > 0) {
                executor().execute(2 - index, KIND, player(1 - index));
            } else if (left == 0) {
                roundDone();
            } else {
                throw new CheckFailedException("more events than were sent");
            }
        }
    }

    @Override
    int keys() {
        return 3;
    }

    @Override
    List<Kind> kinds() {
        return List.of(DRIVER, new Kind("hop", 0, 1));
    }

    @Override
    int home(int key) {
        return key;
    }

    /** The two are to begin on different workers. */
    @Override
    boolean needsHomes() {
        return true;
    }

    @Override
    boolean startsAtHome() {
        return false;
    }

    @Override
    int eventsPerRound() {
        return hops;
    }

    @Override
    void register(int round) {
        hopsLeft = hops;
        executor().execute(1, KIND, player(0));
    }

    @Override
    Metric metric() {
        return Metric.NS_PER_EVENT;
    }

    @Override
    void check(int roundsRun) {
        int first = (hops + 1) / 2;
        player(0).lane.check(1, roundsRun * first);
        player(1).lane.check(2, roundsRun * (hops - first));
        for (int index = 0; index < 2; index++) {
            long sum = 0;
            for (int round = 0; round < roundsRun; round++) {
                for (int left = hops - 1 - index; left >= 0; left -= 2) {
                    sum = sum * 31 + left;
                }
            }
            if (sum != player(index).lane.sum()) {
                throw new CheckFailedException("key " + (1 + index) + ": wrong checksum");
            }
        }
    }
}
