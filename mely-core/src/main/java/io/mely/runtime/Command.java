// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.RunnableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One command of a {@link ColorExecutor}: the event that runs it, and its link in the list of those that have not begun. Whoever unlinks it has it: the color, which runs it; or a shutdown, its sender or a cancel, and
 * then its event does nothing.
 *
 * <p><b>Threads.</b> The links are guarded by the executor's lock.
 */
final class Command implements OwnEvent {
    final Runnable body;
    private final ColorExecutor executor;
    private Command previous = this;
    private Command next = this;

    /** In no list; or the head of an empty one. */
    Command(ColorExecutor executor, Runnable body) {
        this.executor = executor;
        this.body = body;
    }

    /** As an event of the color. */
    @Override
    public void run() {
        executor.run(this);
    }

    /** What an error handler is told of: the command that a user gave us, if the event was one of ours. */
    static @Nullable Object reported(@Nullable Object event) {
        return event instanceof Command command ? command.body : event;
    }

    /** What is discarded with its event: the command that a user gave us, if it still would run, and is no future, which fails. After the stop. */
    @Nullable
    Runnable discarded() {
        return next == this || body instanceof RunnableFuture ? null : body;
    }

    /** The next younger one; behind the last one the head. */
    Command next() {
        return next;
    }

    /** Becomes the last of a list. */
    void link(Command head) {
        assert next == this : "in one list, once";
        previous = head.previous;
        next = head;
        previous.next = this;
        head.previous = this;
    }

    /** Leaves its list. False if it is in none. */
    boolean unlink() {
        boolean wasLinked = next != this;
        previous.next = next;
        next.previous = previous;
        previous = this;
        next = this;
        return wasLinked;
    }

    @Override
    public String toString() {
        return "Command{" + body + "}";
    }
}
