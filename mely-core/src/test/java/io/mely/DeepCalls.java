// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** A runtime, and each kind of call by which a handler or a thread outside hands it something: for tests that make them at the end of a stack. */
final class DeepCalls {
    /** What is handed in, and what became of it. */
    static final class Cell implements Runnable {
        final AtomicInteger runs = new AtomicInteger();

        /** The call returned, and did not refuse. */
        volatile boolean isAccepted;

        /** For the call that takes it back. */
        volatile BooleanSupplier cancel;

        @Override
        public void run() {
            runs.incrementAndGet();
        }
    }

    private static final Duration LONG = Duration.ofHours(1);

    final Mely mely;
    final ScheduledExecutorService executor;

    /** By name: hands in a cell; false if refused. */
    final Map<String, Predicate<Cell>> calls = new LinkedHashMap<>();

    /** Of colors at home on the two cores; the first is that of the handlers that call. */
    final int slot;

    final List<Cell> cells = new ArrayList<>();
    private int nextSlot;

    /** Makes it, and starts the runtime. */
    DeepCalls() {
        mely = Mely.builder()
                .name("deep")
                .cores(2)
                .pinned(false)
                .policy(Policy.colored(Stealing.off())) // so that a color of this core stays one
                .policy("central", Policy.centralQueue())
                .policy("threads", Policy.of("threads", ThreadsGroup::new))
                .blockingLimit(1 << 20)
                .errorHandler(failure -> {})
                .build()
                .start();
        executor = mely.executor(mely.color("five"));
        Stage<Cell> plain = mely.stage("plain", Cell::run);
        Stage<Cell> central = mely.stage("central", StageOptions.defaults().withGroup("central"), Cell::run);
        Stage<Cell> single = mely.stage("single", new StageOptions(0, 1, 0, true), Cell::run);
        slot = slotOf(0, 1);
        int here = slotOf(0, slot + 1);
        int there = slotOf(1, 1);
        Color away = mely.colorAt(there);
        calls.put("send to the own color", cell -> plain.offer(mely.colorAt(slot), cell));
        calls.put("send to a color of this core", cell -> plain.offer(mely.colorAt(here), cell));
        calls.put("send to a color of the other core", cell -> plain.offer(mely.colorAt(there), cell));
        calls.put("send to a new color", cell -> plain.offer(mely.colorAt(100 + nextSlot++ % 500), cell));
        calls.put("send by key", cell -> plain.offer((long) nextSlot++, cell));
        calls.put("send to a single-threaded stage", single::offer);
        calls.put("send to a group without a color", central::offer);
        calls.put("send to a group in a color of this core", cell -> central.offer(mely.colorAt(here), cell));
        calls.put("send to a group in a color of the other core", cell -> central.offer(mely.colorAt(there), cell));
        calls.put("execute in a color", cell -> isDone(() -> away.execute(cell)));
        calls.put("start a timer", cell -> isDone(() -> away.schedule(Duration.ZERO, plain, cell)));
        calls.put(
                "start a timer of this core",
                cell -> isDone(() -> mely.colorAt(here).schedule(Duration.ZERO, cell)));
        calls.put("cancel a timer", cell -> cell.cancel.getAsBoolean());
        calls.put("executor: execute", cell -> isDone(() -> executor.execute(cell)));
        calls.put("executor: submit", cell -> isDone(() -> executor.submit(cell)));
        calls.put("executor: schedule", cell -> isDone(() -> executor.schedule(cell, 1, TimeUnit.MICROSECONDS)));
        calls.put("cancel a command of the executor", cell -> cell.cancel.getAsBoolean());
        calls.put(
                "blocking",
                cell -> isDone(() -> mely.blocking(away, () -> {
                    cell.run();
                    return cell;
                })));
    }

    private static boolean isDone(Runnable call) {
        call.run();
        return true;
    }

    private int slotOf(int core, int from) {
        int found = from;
        while (mely.colorAt(found).homeCore() != core) {
            found++;
        }
        return found;
    }

    /** Whether a call takes back what was handed in before, so that it must not run. */
    static boolean isCancel(String name) {
        return name.startsWith("cancel");
    }

    /** Makes what a call of that name needs, with plenty of stack. */
    Cell newCell(String name) {
        Cell cell = new Cell();
        if (name.equals("cancel a timer")) {
            Timer timer = mely.colorAt(slot).schedule(LONG, cell);
            cell.cancel = timer::cancel;
        }
        if (name.equals("cancel a command of the executor")) {
            Future<?> future = executor.schedule(cell, LONG.toHours(), TimeUnit.HOURS);
            cell.cancel = () -> future.cancel(false);
        }
        return cell;
    }

    /** Makes a call as often as it takes until all its code is linked: what is linked for the first time at the end of a stack needs more. */
    void warm(String name) {
        for (int i = 0; i < 100; i++) {
            boolean unused = calls.get(name).test(newCell(name));
        }
    }
}
