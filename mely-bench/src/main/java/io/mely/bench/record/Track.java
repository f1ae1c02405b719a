// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import io.mely.Stage;
import io.mely.runtime.HandlerObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What one thread, a core or a sender outside, adds to a {@link Recorder}. Nothing of it is shared while it is written.
 *
 * <p><b>Threads.</b> One writer; the recorder reads it afterwards.
 */
final class Track implements HandlerObserver {
    /** Counts of a color in a stage, all stages together: 4 MiB with the tables half full. Events of further ones are only counted. */
    private static final int COLORS_MAX = 1 << 16;

    private final Recorder recorder;
    /** Concurrent, as are those of what is sent: a recording may be read while its last event runs. */
    private final Map<Stage<?>, StageRecord> stages = new ConcurrentHashMap<>();

    private int colors;
    private boolean isWarm;
    private boolean isHandling;
    private @Nullable StageRecord running; // null, too, while a handler runs that began in the warm-up
    private int runningSlot;
    private long beganNs;
    private long uncountedColors;

    Track(Recorder recorder) {
        this.recorder = recorder;
    }

    @Override
    public void began(Stage<?> stage, int slot) {
        isHandling = true;
        isWarm = isWarm || recorder.sinceStartNs() >= 0;
        if (!isWarm) {
            return;
        }
        StageRecord record = of(stage);
        record.begun++;
        if (slot >= 0 && !record.colors.increment(slot)) {
            if (colors < COLORS_MAX) {
                colors++;
                record.colors.put(slot);
            } else {
                uncountedColors++;
            }
        }
        running = record;
        runningSlot = slot;
        beganNs = recorder.sinceStartNs(); // last, so that the handler is timed and not this
    }

    @Override
    public void ended() {
        isHandling = false;
        StageRecord record = running;
        if (record != null) {
            long elapsedNs = Math.max(0, recorder.sinceStartNs() - beganNs);
            record.times.add(elapsedNs);
            record.totalNs += elapsedNs;
            running = null;
        }
    }

    @Override
    public void sent(Stage<?> stage, int slot) {
        StageRecord record = running;
        if (record != null) {
            record.sent(stage.name(), slot >= 0 && slot == runningSlot);
            of(stage);
        } else if (!isHandling) {
            sentFromOutside(stage);
        }
    }

    private void sentFromOutside(Stage<?> stage) {
        long sinceStartNs = recorder.sinceStartNs();
        if (sinceStartNs >= 0) {
            of(stage).arrivals.add(sinceStartNs);
        }
    }

    private StageRecord of(Stage<?> stage) {
        StageRecord record = stages.get(stage);
        if (record == null) {
            record = new StageRecord(stage.options());
            stages.put(stage, record);
        }
        return record;
    }

    Map<Stage<?>, StageRecord> stages() {
        return stages;
    }

    long uncountedColors() {
        return uncountedColors;
    }
}
