// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What one thread, a core or a sender outside, adds to a {@link Recorder}. Nothing of it is shared while it is written.
 *
 * <p><b>Threads.</b> One writer; the recorder reads it after the recording, by what the runtime's counters promise.
 */
public final class Track {
    /** Counts of a color in a stage, all stages together: 4 MiB with the tables half full. Events of further ones are only counted. */
    private static final int COLORS_MAX = 1 << 16;

    private final Recorder recorder;
    /** Concurrent, as are those of what is sent: a recording may be read while its last event runs. */
    private final Map<HandlerProfile, StageRecord> stages = new ConcurrentHashMap<>();

    private int colors;
    private int untilSample;
    private @Nullable StageRecord running;
    private int runningColor;
    private long uncountedColors;

    Track(Recorder recorder) {
        this.recorder = recorder;
    }

    /**
     * Whose part it is.
     *
     * @return always the same
     */
    public Recorder recorder() {
        return recorder;
    }

    /**
     * Whether a run is to be sampled as if nobody recorded.
     *
     * @param interval each so-many-th is
     * @return true once in each interval
     */
    public boolean isSampleDue(int interval) {
        untilSample = untilSample <= 1 ? interval : untilSample - 1;
        return untilSample == interval;
    }

    /**
     * A handler begins.
     *
     * @param stage of the event
     * @param color its slot
     */
    public void begin(HandlerProfile stage, int color) {
        StageRecord record = of(stage);
        record.begun++;
        if (!record.colors.increment(color)) {
            if (colors < COLORS_MAX) {
                colors++;
                record.colors.put(color);
            } else {
                uncountedColors++;
            }
        }
        running = record;
        runningColor = color;
    }

    /**
     * It has ended, by an exception perhaps.
     *
     * @param elapsedNs what it took
     */
    public void end(long elapsedNs) {
        StageRecord record = running;
        assert record != null : "it has begun";
        record.times.add(elapsedNs);
        record.totalNs += Math.max(0, elapsedNs);
        running = null;
    }

    /**
     * The handler that runs has sent an event; or, while none runs, something from outside has.
     *
     * @param to its stage
     * @param color its slot
     */
    public void sent(HandlerProfile to, int color) {
        StageRecord record = running;
        if (record != null) {
            record.sent(to.name(), color == runningColor);
            of(to);
        } else {
            of(to).arrivals.add(recorder.sinceStartNs());
        }
    }

    private StageRecord of(HandlerProfile stage) {
        StageRecord record = stages.get(stage);
        if (record == null) {
            record = new StageRecord(stage.options());
            stages.put(stage, record);
        }
        return record;
    }

    Map<HandlerProfile, StageRecord> stages() {
        return stages;
    }

    long uncountedColors() {
        return uncountedColors;
    }
}
