// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * Finds, after a close has given up, the events that were accepted and will not run, and tells the error handler of each. They are in the inboxes of the cores, on their way between two homes, or in a record: of a color or of a
 * group, which does not matter any more.
 *
 * <p><b>Threads.</b> The one that closes, after the stop. A handler that runs on keeps its record, and its event is not told of.
 */
final class Discards {
    private final ErrorHandler handler;

    Discards(ErrorHandler handler) {
        this.handler = handler;
    }

    void tellOf(Core[] cores, Iterable<EventWorker> workers, RecordIndex records, ColorIndex colors) {
        for (Core core : cores) {
            tellOfInbox(core.queue());
        }
        for (EventRecord record : records.all()) {
            tellOfRecord(record, workers);
        }
        for (int number = 1; number < colors.length(); number++) {
            tellOfRecord(colors.peek(number), workers);
        }
    }

    private void tellOfInbox(CoreQueue queue) {
        queue.lock();
        try {
            Inbox inbox = queue.inbox;
            while (inbox.peek() != 0) {
                tell(inbox.stage(), inbox.event());
                inbox.consume();
            }
            for (Migration.Forwarded next = queue.migration.pollArriving();
                    next != null;
                    next = queue.migration.pollArriving()) {
                tell(next.stage(), next.event());
            }
        } finally {
            queue.unlock();
        }
    }

    private void tellOfRecord(@Nullable EventRecord record, Iterable<EventWorker> workers) {
        if (record == null) {
            return;
        }
        for (EventWorker worker : workers) {
            if (worker.turn.isRunning && worker.turn.first() == record) {
                return;
            }
        }
        tell(record.profile(), record.event());
    }

    private void tell(@Nullable HandlerProfile stage, @Nullable Object sent) {
        Object event = sent instanceof Stamp stamp ? stamp.take() : sent;
        if (event instanceof Command command) {
            event = command.discarded();
        }
        if (event == null || event instanceof OwnEvent || !(stage instanceof StageImpl<?> of)) {
            return;
        }
        try {
            handler.onDiscarded(of, event);
        } catch (Throwable e) {
            Lifecycle.logError("the error handler threw", e);
        }
    }
}
