// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.NativeBuffer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests that can't be answered at once, several in one piece of work, outside the color of their conversation.
 *
 * <p><b>Threads.</b> {@link #start}: the color. The requests: wherever the line runs them. <b>Bounds.</b> A piece of work ends after a slice of replies.
 */
final class Batches {
    /** What comes of a batch: the replies to its first requests. */
    record Done(ByteBuffer replies, int requests) {}

    private final SftpSession.Line line;
    private final BufferPool buffers;
    private final int sliceBytes;
    private final boolean isShared;

    /**
     * Describes where and how they run.
     *
     * @param buffers for other threads
     * @param isShared whether all run in the default color
     */
    Batches(SftpSession.Line line, BufferPool buffers, int sliceBytes, boolean isShared) {
        this.line = line;
        this.buffers = buffers;
        this.sliceBytes = sliceBytes;
        this.isShared = isShared;
    }

    /**
     * Begins a batch.
     *
     * @param batch one request or more, of one subject
     * @param then gets the result in the color, as of {@link SftpSession.Line#block}; perhaps not all requests are done
     */
    void start(
            Requests serving,
            List<Asks.Ask> batch,
            BiConsumer<? super @Nullable Done, ? super @Nullable Throwable> then) {
        Asks.Ask first = batch.get(0);
        long subject = first.claim == Claim.UNKNOWN ? serving.subjectOf(first.packet) : first.subject;
        if (isShared) {
            line.<Done>share(() -> run(serving, batch), then);
        } else if (subject == Subject.NOTHING) {
            line.<Done>block(() -> run(serving, batch), then);
        } else {
            line.<Done>inTurn(subject, () -> runNow(serving, batch), () -> run(serving, batch), then);
        }
    }

    /** The requests up to one that would have to wait; null if the first one would. */
    private @Nullable Done runNow(Requests serving, List<Asks.Ask> batch) {
        NativeBuffer buffer = buffers.take();
        try {
            Reply replies = new Reply();
            int done = 0;
            while (done < batch.size()
                    && serving.runNow(batch.get(done).packet.duplicate(), replies, buffer) == Requests.Now.DONE) {
                done++;
            }
            return done == 0 ? null : new Done(replies.take(), done);
        } finally {
            buffers.giveBack(buffer);
        }
    }

    private Done run(Requests serving, List<Asks.Ask> batch) {
        NativeBuffer buffer = buffers.take();
        try {
            Reply replies = new Reply();
            int done = 0;
            while (done < batch.size()
                    && replies.size() < sliceBytes
                    && serving.run(batch.get(done).packet.duplicate(), replies, buffer)) {
                done++; // else it goes on when others have had their turn
            }
            return new Done(replies.take(), done);
        } finally {
            buffers.giveBack(buffer);
        }
    }
}
