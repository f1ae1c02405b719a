// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.NanoClock;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The cores of a runtime, for its groups. */
final class GroupWorkers implements Workers {
    private final MelyRuntime runtime;
    private final Core[] cores;
    private final ColorIndex colors;
    private final RecordIndex records;

    GroupWorkers(MelyRuntime runtime, Core[] cores, ColorIndex colors, RecordIndex records) {
        this.runtime = runtime;
        this.cores = cores;
        this.colors = colors;
        this.records = records;
    }

    @Override
    public int cores() {
        return cores.length;
    }

    @Override
    public int handlerCore() {
        EventWorker worker = CoreThread.workerOf(Thread.currentThread(), runtime);
        return worker == null || !worker.turn.isRunning ? -1 : worker.coreIndex();
    }

    @Override
    public boolean isInColor() {
        EventWorker worker = CoreThread.workerOf(Thread.currentThread(), runtime);
        return worker != null && runtime.runningColor(worker) != null;
    }

    @Override
    public long expectedNs(Lane lane) {
        return lane instanceof ColorQueue color ? color.timeLeft() : stage(lane).processingTimeNs();
    }

    @Override
    public Lane lane(int id) {
        return id < 0 ? colors.at(-id) : records.at(id);
    }

    @Override
    public Stage<?> stage(Lane lane) {
        StageImpl<?> stage = (StageImpl<?>) first(lane).profile();
        assert stage != null : "a lane has an event";
        return stage;
    }

    @Override
    public @Nullable Object event(Lane lane) {
        Object event = first(lane).event();
        return event instanceof Stamp stamp ? stamp.event() : event;
    }

    private EventRecord first(Lane lane) {
        return lane instanceof ColorQueue color ? color.at(color.head, records) : (EventRecord) lane;
    }

    @Override
    public boolean wake(int core) {
        VarHandle.fullFence(); // pairs with the one in Wakeups.announce
        return runtime.wakeups().wake(cores[core]);
    }

    @Override
    public boolean wakeOne(int first, int end) {
        VarHandle.fullFence(); // pairs with the one in Wakeups.announce
        return runtime.wakeups().wakeOne(first, end);
    }

    @Override
    public boolean startThread(String name, Consumer<Worker> body) {
        return runtime.life()
                .startPoolWorker(() -> new PoolWorker(runtime, cores[0].queue().newTurn()), name, body);
    }

    @Override
    public NanoClock clock() {
        return cores[0].clock;
    }
}
