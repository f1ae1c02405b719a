// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.spi.Lane;
import io.mely.spi.NanoClock;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Proxy;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A runtime without threads of its own: so many cores and events, which a test steps, or threads of the test. */
final class FakeWorkers implements Workers {
    private final FakeLane[] lanes;
    private final ConcurrentLinkedQueue<FakeLane> free = new ConcurrentLinkedQueue<>();
    private final Stage<?>[] stages = new Stage<?>[StageOptions.PRIORITIES];
    private final AtomicReferenceArray<Thread> sleepers;

    FakeWorkers(int cores, int events) {
        sleepers = new AtomicReferenceArray<>(cores);
        lanes = new FakeLane[events + 1]; // 0 is no lane
        for (int id = 1; id <= events; id++) {
            lanes[id] = new FakeLane(id);
            free.add(lanes[id]);
        }
        for (int priority = 0; priority < stages.length; priority++) {
            stages[priority] = stage(StageOptions.defaults().withPriority(priority));
        }
    }

    private static Stage<?> stage(StageOptions options) {
        return (Stage<?>) Proxy.newProxyInstance(
                Stage.class.getClassLoader(), new Class<?>[] {Stage.class}, (proxy, method, args) -> {
                    if (method.getName().equals("options")) {
                        return options;
                    }
                    throw new UnsupportedOperationException(method.toString());
                });
    }

    // ------------------------------------------------------------------ events

    /** An event that is in no list; null if all are. */
    FakeLane take(int color, int priority, Consumer<FakeWorker> event) {
        FakeLane lane = free.poll();
        return lane == null ? null : lane.fill(color, priority, event);
    }

    void give(FakeLane lane) {
        free.add(lane);
    }

    // ------------------------------------------------------------------ sleeping

    /** Announces a sleep of the calling thread; a look for work must follow. */
    void announce(int core) {
        sleepers.set(core, Thread.currentThread());
        VarHandle.fullFence();
    }

    boolean isAsleep(int core) {
        return sleepers.get(core) != null;
    }

    /** One turn of a core that found nothing to run. Sleeps until it is woken, however long that takes. */
    void rest(int core, BooleanSupplier hasWork) {
        announce(core);
        if (hasWork.getAsBoolean()) {
            sleepers.set(core, null);
        }
        while (isAsleep(core)) {
            LockSupport.park();
        }
    }

    @Override
    public boolean wake(int core) {
        VarHandle.fullFence();
        Thread sleeper = sleepers.get(core);
        if (sleeper == null || !sleepers.compareAndSet(core, sleeper, null)) {
            return false;
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    @Override
    public boolean wakeOne(int first, int end) {
        for (int core = first; core < end; core++) {
            if (wake(core)) {
                return true;
            }
        }
        return false;
    }

    // ------------------------------------------------------------------ the rest

    @Override
    public int cores() {
        return sleepers.length();
    }

    @Override
    public int handlerCore() {
        return -1; // a test's threads run no handlers of a core
    }

    @Override
    public Object event(Lane lane) {
        return lane; // it is its own event
    }

    @Override
    public boolean isInColor() {
        return false;
    }

    @Override
    public long expectedNs(Lane lane) {
        return 0;
    }

    @Override
    public Lane lane(int id) {
        return lanes[id];
    }

    @Override
    public Stage<?> stage(Lane lane) {
        return stages[((FakeLane) lane).priority()];
    }

    @Override
    public boolean startThread(String name, Consumer<Worker> body) {
        throw new UnsupportedOperationException("these groups have no threads of their own");
    }

    @Override
    public NanoClock clock() {
        return () -> 0;
    }
}
