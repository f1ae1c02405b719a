// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A line without a network: blocking work and later events run when the test says so. */
final class FakeLine implements SftpSession.Line {
    final Deque<Runnable> blocked = new ArrayDeque<>();
    final ByteArrayOutputStream written = new ByteArrayOutputStream();
    final List<Integer> ends = new ArrayList<>();
    int usedBytes;
    int resumes;
    int retries;
    int shares;
    final List<Long> subjects = new ArrayList<>();
    int doneNow;
    boolean isFull;
    int morePieces = Integer.MAX_VALUE;
    boolean isBusy;

    @Override
    public void write(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        written.writeBytes(copy);
    }

    @Override
    public void flush() {}

    @Override
    public boolean isFull() {
        return isFull;
    }

    @Override
    public void used(int bytes) {
        usedBytes += bytes;
    }

    @Override
    public void resumeLater() {
        resumes++;
    }

    @Override
    public void retryLater() {
        retries++;
    }

    @Override
    public <T> void block(Callable<T> work, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        if (isBusy) {
            then.accept(null, new RejectedExecutionException("busy"));
            return;
        }
        blocked.add(() -> {
            T result;
            try {
                result = work.call();
            } catch (Exception e) {
                then.accept(null, e);
                return;
            }
            then.accept(result, null);
        });
    }

    @Override
    public <T> void share(Callable<T> work, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        shares++;
        block(work, then);
    }

    @Override
    public <T> void inTurn(
            long subject,
            Supplier<@Nullable T> now,
            Callable<T> waiting,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        subjects.add(subject);
        block(
                () -> {
                    T done = now.get();
                    if (done != null) {
                        doneNow++;
                        return done;
                    }
                    return waiting.call();
                },
                then);
    }

    @Override
    public boolean mayRunMore() {
        return blocked.size() < morePieces;
    }

    @Override
    public void end(int exitCode) {
        ends.add(exitCode);
    }

    /** The replies so far, without their lengths. */
    List<ByteBuffer> replies() {
        ByteBuffer all = ByteBuffer.wrap(written.toByteArray());
        written.reset();
        List<ByteBuffer> replies = new ArrayList<>();
        while (all.hasRemaining()) {
            int length = all.getInt();
            replies.add(all.slice(all.position(), length));
            all.position(all.position() + length);
        }
        return replies;
    }
}
