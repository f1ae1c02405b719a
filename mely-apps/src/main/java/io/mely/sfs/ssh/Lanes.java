// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Color;
import io.mely.Mely;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs work about one thing one at a time and in the order it comes, whoever asks for it, in a color of that thing. Work that has to wait for the disk does so on a blocking
 * thread; that holds up what is about the same thing, and nothing else.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> What waits: as much as each connection may have under way.
 */
final class Lanes {
    /** Slot 0 is the default color. */
    private static final int FIRST_SLOT = 1;

    private final Mely mely;

    /** What waits behind work that is under way, by the number of the thing. An entry is touched in the color of its thing alone. */
    private final Map<Long, Queue<Runnable>> busy = new ConcurrentHashMap<>();

    Lanes(Mely mely) {
        this.mely = mely;
    }

    /**
     * Runs work.
     *
     * @param about number of what it is about
     * @param now does it, in the color; null if it would have to wait
     * @param waiting does it then, on a blocking thread
     * @param then gets the result in some color, or a failure: {@link RejectedExecutionException} if there is no room for it, or the runtime is closing
     */
    <T> void run(
            long about,
            Supplier<@Nullable T> now,
            Callable<T> waiting,
            BiConsumer<@Nullable T, @Nullable Throwable> then) {
        Color color = colorOf(about);
        Runnable work = () -> begin(color, about, now, waiting, then);
        try {
            color.execute(() -> {
                Queue<Runnable> behind = busy.get(about);
                if (behind == null) {
                    busy.put(about, new ArrayDeque<>());
                    work.run();
                } else {
                    behind.add(work);
                }
            });
        } catch (RejectedExecutionException refused) {
            then.accept(null, refused);
        }
    }

    Color colorOf(long about) {
        return mely.colorAt(FIRST_SLOT + (int) Long.remainderUnsigned(about, mely.colors() - FIRST_SLOT));
    }

    private <T> void begin(
            Color color,
            long about,
            Supplier<@Nullable T> now,
            Callable<T> waiting,
            BiConsumer<@Nullable T, @Nullable Throwable> then) {
        T done;
        try {
            done = now.get();
        } catch (RuntimeException failure) {
            end(color, about);
            then.accept(null, failure);
            return;
        }
        if (done != null) {
            end(color, about);
            then.accept(done, null);
            return;
        }
        CompletableFuture<T> waited = mely.blocking(color, waiting);
        CompletableFuture<T> unused = waited.whenComplete((value, failure) -> {
            end(color, about);
            then.accept(value, failure);
        });
    }

    /** The next has its turn, in an event of its own. */
    private void end(Color color, long about) {
        Queue<Runnable> behind = busy.get(about);
        Runnable next = behind == null ? null : behind.poll();
        if (next == null) {
            busy.remove(about);
            return;
        }
        try {
            color.execute(next);
        } catch (RejectedExecutionException closing) {
            next.run(); // it is refused, too
        }
    }

    /** Things that work is about now. */
    int size() {
        return busy.size();
    }
}
