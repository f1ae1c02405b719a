// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Stage;
import io.mely.StageOptions;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the libasync engines share: colors, stages, and who sleeps. */
abstract class LibasyncRuntime extends EngineRuntime {
    private final RuntimeConfig config;
    private final ColorTable<LibasyncColor> colorTable;
    private final LibasyncStage<Runnable> executeStage;

    /** Cores that have announced a sleep. */
    final AtomicInteger sleepers = new AtomicInteger();

    LibasyncRuntime(RuntimeConfig config, Machine machine) {
        super(config, machine);
        this.config = config;
        IntUnaryOperator firstHomes = config.firstHomes(cores());
        colorTable = new ColorTable<>(config, slot -> new LibasyncColor(this, slot, firstHomes.applyAsInt(slot)));
        executeStage = new LibasyncStage<>(
                "execute", StageOptions.defaults(), config.stealing(), Runnable::run, colorTable.at(0));
    }

    /**
     * Puts an accepted event in a list, and wakes who is to run it. Any thread.
     *
     * @param record filled, with its color
     */
    abstract void put(EventRecord record, LibasyncColor color, boolean isFirst);

    final boolean sendFromOutside(LibasyncColor color, EngineStage<?> stage, @Nullable Object event, boolean isFirst) {
        return sendOutside(color, color.slot(), stage, event, isFirst);
    }

    @Override
    protected final boolean sendUndecided(
            Inbox.Admission admission,
            RecordPool pool,
            @Nullable EngineColor to,
            int slot,
            EngineStage<?> stage,
            @Nullable Object event,
            boolean isFirst) {
        VarHandle.fullFence(); // what is asked next comes after the count
        if (!admission.admit()) {
            return false;
        }
        assert to != null : "sent in a color";
        LibasyncColor color = (LibasyncColor) to;
        EventRecord record = pool.take();
        assert record != null : "there was room";
        record.set(stage, event, stage.weight());
        MixedRecord.color(record, color);
        put(record, color, isFirst);
        return true;
    }

    @Override
    protected final boolean hasRoom(RecordPool pool) {
        return pool.hasRecord() && super.hasRoom(pool);
    }

    final RecordIndex recordIndex() {
        return records();
    }

    final boolean isOver() {
        return isStopped();
    }

    final long spinTimeNs() {
        return spinNs();
    }

    @Override
    public final LibasyncCore engineCore(int index) {
        return (LibasyncCore) super.engineCore(index);
    }

    @Override
    public final Color color(long key) {
        return colorTable.ofKey(key);
    }

    @Override
    public final long key(CharSequence name) {
        return colorTable.keyOf(name);
    }

    @Override
    protected final Color colorOfSlot(int slot) {
        return colorTable.at(slot);
    }

    @Override
    public final <E> Stage<E> stage(String name, StageOptions options, Handler<E> handler) {
        checkStage(name, options, handler);
        LibasyncColor own = options.singleThreaded() ? colorTable.makeOwn() : colorTable.at(0);
        return new LibasyncStage<>(name, options, config.stealing(), handler, own);
    }

    @Override
    protected final EngineStage<Runnable> executeStage() {
        return executeStage;
    }
}
