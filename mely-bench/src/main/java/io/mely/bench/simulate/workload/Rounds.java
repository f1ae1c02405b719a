// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.Stage;
import io.mely.bench.simulate.machine.Experiment;
import java.util.function.IntUnaryOperator;

/**
 * Fork and join: a driver on the first core registers a round, and the next one when all of it has run. Each round begins with every color at its
 * home, as the paper's do.
 */
abstract class Rounds implements Workload {
    /** Dear to steal: rounds are registered on the first core. */
    private static final int DRIVER_PENALTY = 1_000_000;

    private static final int DRIVER_PRIORITY = 7;
    private static final double DRIVER_CYCLES = 1_000;

    /** Events registered by one run of the driver: a handler that registers a whole round would count as stuck. Assumed. */
    private static final int CHUNK = 64;

    /** Shards of the count of what is left of a round, as {@code paper}'s Join has them, each on its own line. */
    private static final int SHARDS = 32;

    final Experiment experiment;
    private Rig.Run run;
    private Stage<Integer> driver;
    private Color driverColor;
    private Color[] colors = {};
    private int left;
    private int rounds;
    private final int chunk;
    private final boolean hasBooks;
    private int joins;

    @SuppressWarnings("NullAway.Init") // set up before anything is asked
    Rounds(Experiment experiment) {
        this.experiment = experiment;
        chunk = (int) experiment.parameter("chunk", CHUNK);
        hasBooks = experiment.parameter("books", 0) != 0;
    }

    final Rig.Run run() {
        return run;
    }

    /** Colors of the workload, the driver's not included. */
    abstract int colorCount();

    /** Events that {@link #register} sends. */
    int registered() {
        return colorCount();
    }

    /** How many times {@link #done} is called in a round. */
    int joined() {
        return colorCount();
    }

    /** Where a color begins each round. */
    int home(int color) {
        return 0;
    }

    abstract void setUpStages(Rig.Run toUse);

    /** Sends one event of a round. */
    abstract void register(int number);

    final Color color(int number) {
        return colors[number];
    }

    final int rounds() {
        return rounds;
    }

    @Override
    public final IntUnaryOperator placement() {
        return slot -> slot == 0 || slot > colorCount() ? 0 : home(slot - 1);
    }

    @Override
    public final void setUp(Rig.Run toUse) {
        run = toUse;
        driver = toUse.stage("driver", DRIVER_CYCLES, DRIVER_PENALTY, DRIVER_PRIORITY, this::drive);
        driverColor = toUse.mely.colorAt(0);
        colors = new Color[colorCount()];
        for (int i = 0; i < colors.length; i++) {
            colors[i] = toUse.mely.colorAt(1 + i);
        }
        joins = hasBooks ? toUse.vm.newData(SHARDS * (long) Data.LINE_BYTES) : 0;
        setUpStages(toUse);
    }

    /** Whether events count and check as those of {@code paper} do, which costs time and lines. */
    final boolean hasBooks() {
        return hasBooks;
    }

    /** Whether a round begins with all colors at their homes. */
    boolean startsAtHome() {
        return true;
    }

    @Override
    public final void begin() {
        run.send(driver, driverColor, 0);
    }

    private void drive(int from) {
        if (from == 0) {
            if (!run.goOn()) {
                return;
            }
            if (startsAtHome()) {
                goHome();
            }
            left = joined();
            rounds++;
        }
        int to = Math.min(registered(), from + Math.min(chunk, registered()));
        if (to < registered()) {
            run.send(driver, driverColor, to);
        }
        for (int i = from; i < to; i++) {
            register(i);
        }
    }

    /** One of the events that end a round has run. */
    final void done(int number) {
        if (hasBooks) {
            run.vm.handlerUpdate(joins + number % SHARDS);
        }
        if (--left == 0) {
            run.send(driver, driverColor, 0);
        }
    }

    private void goHome() {
        for (int i = 0; i < colors.length; i++) {
            run.goHome(colors[i], home(i));
        }
    }
}
