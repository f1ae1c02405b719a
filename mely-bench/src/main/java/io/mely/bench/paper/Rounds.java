// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

/**
 * Fork/join rounds. A driver event, at home on the first core, registers a round; the last event of the round sends the driver again.
 *
 * <p><b>Threads.</b> The fields belong to the driver's color; the caller reads them when the run is finished.
 */
abstract class Rounds extends Workload {
    /** Of the driver in every workload. */
    static final int DRIVER_KEY = 0;

    static final int DRIVER_KIND = 0;

    /** Dear to steal, so that rounds are registered on the first core as in the paper. */
    static final Kind DRIVER = new Kind("driver", 1, 1_000_000);

    /** The least of so many rounds is taken: the first are not compiled yet, and neighbours only add. */
    static final int BARE_TRIES = 12;

    private static final int COLD_LAPS = 3;
    private static final long NS_PER_MS = 1_000_000;

    private final Event driver = new Driver();

    private boolean isHomingOver;
    private long broughtHome;
    private long startAgeNs;
    /** Of a cold JVM: parts that have ended, and where the present one began by the clock and in rounds. */
    private int laps;

    private long lapStartNs;
    private int lapFirstRound;
    private long warmStartNs;
    private long clockStartNs;
    private boolean isMeasuring;
    /** Of registering rounds, while the clock ran. */
    private long driverNs;

    private int rounds;
    private int firstMeasured;

    /** Events of one round, without the driver. */
    abstract int eventsPerRound();

    /** Sends a round; the last of its events calls {@link #roundDone}. */
    abstract void register(int round);

    /** Checks counts, order and results after so many rounds. */
    abstract void check(int roundsRun);

    /** Cycles of work done by other threads than the driver's in all rounds; -1 if the workload does not tell. */
    long awayCyclesOfAllRounds() {
        return -1;
    }

    /** Whether each round begins with every key at its home, as in the paper; else a contender may let them settle. */
    boolean startsAtHome() {
        return true;
    }

    @Override
    boolean needsHomes() {
        return startsAtHome();
    }

    private final class Driver extends Event {
        @Override
        void handle() {
            long nowNs = System.nanoTime();
            if (rounds == 0) {
                warmStartNs = nowNs;
            }
            if (isMeasuring) {
                noteLaps(nowNs);
                if (nowNs - clockStartNs >= measureNs() || isHomingOver) {
                    stopClock();
                    finish();
                    return;
                }
            } else if (isCold() || (rounds > 0 && nowNs - warmStartNs >= warmNs())) {
                isMeasuring = true;
                firstMeasured = rounds;
                broughtHome = 0;
                startAgeNs = jvmAgeNs();
                startClock();
                clockStartNs = System.nanoTime();
            }
            pauseClock();
            goHome(DRIVER_KEY);
            goHome();
            resumeClock();
            long beginNs = System.nanoTime();
            register(rounds++);
            if (isMeasuring) {
                driverNs += System.nanoTime() - beginNs;
            }
        }
    }

    /**
     * Of a cold JVM, the figure of each part of the measured time: of the rounds that ended in it, from the round before them on. A round longer than a part has
     * the same figure in all that it ended. A part that the run did not reach has none.
     */
    private void noteLaps(long nowNs) {
        long lapNs = Math.max(1, measureNs() / COLD_LAPS);
        int ended = isCold() ? (int) Math.min(COLD_LAPS, (nowNs - clockStartNs) / lapNs) : 0;
        if (ended == laps) {
            return;
        }
        long ns = runningNs();
        double nsPerEvent = (double) (ns - lapStartNs) / ((long) eventsPerRound() * (rounds - lapFirstRound));
        for (; laps < ended; laps++) {
            note("ns/ev, " + lapNs * laps / NS_PER_MS + "-" + lapNs * (laps + 1) / NS_PER_MS + " ms", nsPerEvent);
        }
        lapStartNs = ns;
        lapFirstRound = rounds;
        noteLife(startAgeNs, startAgeNs + nowNs - clockStartNs);
    }

    @Override
    final boolean canBeCold() {
        return true;
    }

    /** Called once a round, by its last event. */
    final void roundDone() {
        executor().execute(DRIVER_KEY, DRIVER_KIND, driver);
    }

    /** The paper registers each round on the first core. Whether there are keys to look after, for this contender. */
    private boolean goesHome() {
        return startsAtHome() && !keepsHomes() && executor().leavesKeysAway();
    }

    /**
     * Brings the keys home that may have been left elsewhere: the driver, before a round, while the clock stands. A workload with
     * many keys overrides it and asks only for those of which it knows that they moved. For contenders whose keys never leave, too: the walk leaves the
     * caches as it does for the others.
     */
    void goHome() {
        for (int key = 0; key < keys(); key++) {
            goHome(key);
        }
    }

    /**
     * Brings one key home, if the contender's keys {@link #goesHome go home}.
     *
     * @return whether it was elsewhere
     */
    final boolean goHome(int key) {
        if (!goesHome()) {
            return false;
        }
        return switch (executor().rehome(key)) {
            case AT_HOME -> false;
            case BROUGHT -> {
                broughtHome++;
                yield true;
            }
            case STAYS -> {
                isHomingOver = true;
                yield true;
            }
        };
    }

    @Override
    final void drive() throws InterruptedException {
        executor().execute(DRIVER_KEY, DRIVER_KIND, driver);
        awaitFinish();
    }

    @Override
    final long measuredEvents() {
        return (long) eventsPerRound() * (rounds - firstMeasured);
    }

    @Override
    final void check() {
        check(rounds);
        note("driver ns/ev", (double) driverNs / measuredEvents());
        note("faults/Kev", 1e3 * pageFaults() / measuredEvents());
        if (goesHome()) {
            note("homed/Kev", 1e3 * broughtHome / measuredEvents());
        }
    }

    @Override
    final long broughtHome() {
        return goesHome() ? broughtHome : -1;
    }

    @Override
    final long awayCycles() {
        long away = awayCyclesOfAllRounds();
        return away < 0 ? -1 : away * (rounds - firstMeasured) / Math.max(1, rounds);
    }
}
