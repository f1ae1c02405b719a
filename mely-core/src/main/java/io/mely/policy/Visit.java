// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.NanoClock;

/**
 * A core's visit to a stage, under way or just over.
 *
 * <p><b>Threads.</b> The core's worker.
 */
public final class Visit {
    private final NanoClock clock;
    private int stage = -1;
    private int served;
    private int waitingAtStart;
    private int batch;
    private long startNs;
    private long usedNs; // by visits before this one that were interrupted

    Visit(NanoClock clock) {
        this.clock = clock;
    }

    void begin(int newStage, int waiting, int newBatch) {
        stage = newStage;
        served = 0;
        waitingAtStart = waiting;
        batch = newBatch;
        usedNs = 0;
        if (waiting > 0) {
            resume();
        }
    }

    void countServed() {
        served++;
    }

    void pause() {
        usedNs = elapsedNs();
    }

    void resume() {
        startNs = clock.nanoTime();
    }

    /** Most lanes that it may run, where a controller says so. */
    int batch() {
        return batch;
    }

    /**
     * Which stage.
     *
     * @return -1 before the first visit
     */
    public int stage() {
        return stage;
    }

    /**
     * How many lanes were run: events without a color, or colors with what was pending in them for the stage.
     *
     * @return 0 if the visit was in vain
     */
    public int served() {
        return served;
    }

    /**
     * How many lanes waited when it began.
     *
     * @return &gt;= 0
     */
    public int waitingAtStart() {
        return waitingAtStart;
    }

    /**
     * How long it has lasted, or, if it is over, until now. Reads the clock.
     *
     * @return nanoseconds; 0 if it has run nothing
     */
    public long elapsedNs() {
        return served == 0 ? usedNs : usedNs + clock.nanoTime() - startNs;
    }
}
