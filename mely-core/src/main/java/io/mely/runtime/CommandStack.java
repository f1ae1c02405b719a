// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one executor that were sent to its color and have not run: newest on top. The order in which they run is the color's business; here
 * they are found by whoever shuts the executor down.
 *
 * <p>A command that is done stays linked until it is skipped. The color skips, from each command that has run, the done ones below it, so in the order of
 * the sends nothing but the last one is kept. Whoever takes a command back pops what is done from the top. So a done command is kept only by one above it that is
 * pending, and was there while that was sent.
 *
 * <p><b>Threads.</b> {@link #push}, {@link #popDone} and the walks: any. {@link Command#older} is written before the push, and then by the color alone; to
 * skip what is done changes nothing for a walk that is under way.
 */
final class CommandStack {
    private static final VarHandle TOP;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(CommandStack.class, "top", Command.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable Command top;

    /** Puts a new command in. What the caller reads next is read after it: pairs with the walks behind a change of the phase. */
    void push(Command command) {
        Command below;
        do {
            below = top;
            command.older = below;
        } while (!casTop(below, command));
    }

    /** Takes off what is done on top. A command is pushed once, so one that is still the top was it all the time. */
    void popDone() {
        Command first = top;
        while (first != null && first.isDone()) {
            casTop(first, first.older);
            first = top;
        }
    }

    /** Lets go of what is done below a command. The color only. */
    static void skipDone(Command command) {
        Command below = command.older;
        while (below != null && below.isDone()) {
            below = below.older;
        }
        command.older = below;
    }

    /** Takes the commands that have not begun and that a condition is true of; returns them, oldest first. */
    List<Runnable> take(Predicate<Command> condition) {
        List<Runnable> taken = new ArrayList<>();
        for (Command command = newest(); command != null; command = command.older) {
            Runnable body = condition.test(command) ? command.take() : null;
            if (body != null) {
                taken.add(body);
            }
        }
        popDone();
        Collections.reverse(taken);
        return taken;
    }

    void interruptRunning() {
        for (Command command = newest(); command != null; command = command.older) {
            command.interruptIfRunning();
        }
    }

    boolean areAllDone() {
        for (Command command = newest(); command != null; command = command.older) {
            if (!command.isDone()) {
                return false;
            }
        }
        return true;
    }

    /** The last that was put in and is linked still; the others are below it. */
    @Nullable
    Command newest() {
        return top;
    }

    private boolean casTop(@Nullable Command expected, @Nullable Command next) {
        return TOP.compareAndSet(this, expected, next);
    }
}
