// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.NativeBuffer;
import io.mely.sfs.files.Tree;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One SFTP conversation. Requests are answered in the order they came:
 *
 * <ul>
 *   <li>in the session's color, at once, where nothing has to be waited for and nothing is changed that clients share;
 *   <li>on a blocking thread, together with those behind it that are there already, where it only looks;
 *   <li>in its turn among all that change the same file, or the same name of the same user, in a color of that ({@link Subject}), where it changes something;
 *   <li>or all of them in the default color, as the paper's server has it.
 * </ul>
 *
 * <p>Meanwhile the session's color is free for others.
 *
 * <pre>
 *            INIT             root open
 *   NEW ─────────► OPENING ─────────────► SERVING ◄──────────┐
 *                                            │ a request is elsewhere
 *                                            ▼               │
 *                                         BLOCKED ───────────┘ its replies are there
 *
 *   OPENING, BLOCKED   a blocking thread or another color has the requests; the session's color only adds what comes
 *   NEW, SERVING       the color
 * </pre>
 *
 * <p>No more is answered while replies can't be sent, or after a slice of replies: then others of the core have their turn.
 *
 * <p><b>Threads.</b> Its color. <b>Bounds.</b> Requests that wait: what the SSH window lets in. Replies that wait: a slice, and one reply.
 */
public final class SftpSession {
    private static final System.Logger LOG = System.getLogger(SftpSession.class.getName());

    /** What a conversation needs of the connection it is on. All in the session's color. */
    public interface Line {
        /** Sends bytes, some time. */
        void write(ByteBuffer bytes);

        /** Sends what was written. */
        void flush();

        /** Whether what was written has to wait; {@link SftpSession#resume} is called when it has gone. */
        boolean isFull();

        /** Tells that bytes that came are used up, and as many more may come. */
        void used(int bytes);

        /** Calls {@link SftpSession#resume} in an event of its own. */
        void resumeLater();

        /** Calls {@link SftpSession#resume} after a moment, when blocking threads may be free again. */
        void retryLater();

        /**
         * Runs work on a blocking thread.
         *
         * @param work may wait
         * @param then gets its result in the color; or a failure: {@link RejectedExecutionException} if the work was not begun, as there is no
         *     room for it, or the runtime is closing
         */
        <T> void block(Callable<T> work, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then);

        /**
         * Runs work in the default color.
         *
         * @param work any
         * @param then gets its result in the color, as of {@link #block}
         */
        <T> void share(Callable<T> work, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then);

        /**
         * Runs work that changes something, after what was asked for before about the same, in a color of that.
         *
         * @param subject number of what is changed
         * @param now does it if it need not wait for the disk; else answers null
         * @param waiting does it on a blocking thread
         * @param then gets the result in the color, as of {@link #block}
         */
        <T> void inTurn(
                long subject,
                Supplier<@Nullable T> now,
                Callable<T> waiting,
                BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then);

        /** Ends the conversation. */
        void end(int exitCode);
    }

    /** Opens the root of a user; may wait for the disk. */
    @FunctionalInterface
    public interface TreeOpener {
        /**
         * Opens it.
         *
         * @return to be closed
         * @throws IOException if it can't be opened
         */
        Tree open() throws IOException;
    }

    private enum State {
        NEW,
        OPENING,
        SERVING,
        BLOCKED
    }

    private record Batch(ByteBuffer replies, int usedBytes) {}

    private final Line line;
    private final SftpRules rules;
    private final TreeOpener opener;
    private final BufferPool buffers;
    private final int sliceBytes;
    private final boolean isShared;
    private final Inbox inbox = new Inbox();
    private final Reply reply = new Reply();
    private final ByteBuffer dataHead = ByteBuffer.allocate(Sftp.DATA_HEAD_BYTES);
    private State state = State.NEW;
    private @Nullable Requests requests;
    private boolean isEnded;
    private boolean isInputOver;

    /** There was no blocking thread; it is tried again in a moment. */
    private boolean isRefused;

    /**
     * Begins a conversation.
     *
     * @param line to the client
     * @param rules for its requests
     * @param opener of the root
     * @param buffers for blocking threads
     * @param sliceBytes replies after which others have their turn
     * @param isShared whether requests run in the default color, as the paper's server has it
     */
    public SftpSession(
            Line line, SftpRules rules, TreeOpener opener, BufferPool buffers, int sliceBytes, boolean isShared) {
        this.line = line;
        this.rules = rules;
        this.opener = opener;
        this.buffers = buffers;
        this.sliceBytes = sliceBytes;
        this.isShared = isShared;
    }

    /**
     * Takes bytes.
     *
     * @param from where they are; not kept
     * @param offset of the first
     * @param count how many
     * @param buffer of the calling thread, with room for a packet
     */
    public void received(byte[] from, int offset, int count, NativeBuffer buffer) {
        if (isEnded) {
            line.used(count);
            return;
        }
        inbox.add(from, offset, count);
        resume(buffer);
    }

    /**
     * Tells that no more bytes come. What came is answered first.
     *
     * @param buffer of the calling thread
     */
    public void inputOver(NativeBuffer buffer) {
        isInputOver = true;
        resume(buffer);
    }

    /** Whether a request is under way that the client waits for, as for a disk. */
    public boolean isAnswering() {
        return state == State.OPENING || state == State.BLOCKED;
    }

    /** Whether nothing is asked or open, so that the end would disturb nothing. */
    public boolean isIdle() {
        Requests open = requests;
        return switch (state) {
            case NEW -> true;
            case SERVING -> inbox.size() == 0 && (open == null || open.openHandles() == 0);
            case OPENING, BLOCKED -> false;
        };
    }

    /**
     * Answers what can be answered now.
     *
     * @param buffer of the calling thread, with room for a packet
     */
    public void resume(NativeBuffer buffer) {
        int sentBytes = 0;
        isRefused = false;
        try {
            while (!isEnded && !isRefused && (state == State.NEW || state == State.SERVING) && !line.isFull()) {
                ByteBuffer packet = inbox.look(0);
                if (packet == null) {
                    endIfOver();
                    break;
                }
                if (sentBytes >= sliceBytes) {
                    line.resumeLater();
                    break;
                }
                sentBytes += step(packet, buffer);
            }
        } catch (BadPacketException bad) {
            LOG.log(Level.DEBUG, "ended: {0}", bad.getMessage());
            finish(1);
        }
        line.flush();
    }

    /** Bytes of the reply. */
    private int step(ByteBuffer packet, NativeBuffer buffer) throws BadPacketException {
        Requests serving = requests;
        if (serving == null) {
            begin(packet);
            return 0;
        }
        int length = packet.remaining();
        if (isShared || !serving.isOwn(packet)) {
            runElsewhere(serving);
            return 0;
        }
        Requests.Now now = serving.runNow(packet.duplicate(), reply, buffer);
        switch (now) {
            case WAITS -> {
                runElsewhere(serving);
                return 0;
            }
            case DATA -> {
                int n = serving.dataBytes();
                dataHead.clear()
                        .putInt(Sftp.DATA_HEAD_BYTES - Integer.BYTES + n)
                        .put((byte) Sftp.DATA)
                        .putInt(packet.getInt(1))
                        .putInt(n)
                        .flip();
                line.write(dataHead);
                line.write(buffer.bytes().clear().limit(n));
                used(Integer.BYTES + length);
                return Sftp.DATA_HEAD_BYTES + n;
            }
            default -> {
                int size = reply.size();
                line.write(reply.take());
                used(Integer.BYTES + length);
                return size;
            }
        }
    }

    private void used(int bytes) {
        inbox.skip(bytes);
        line.used(bytes);
    }

    private void endIfOver() {
        if (isInputOver) {
            finish(0);
        }
    }

    // The root.

    private void begin(ByteBuffer packet) throws BadPacketException {
        Packet first = new Packet(packet.duplicate());
        if (first.type() != Sftp.INIT) {
            throw new BadPacketException("the first packet must be INIT");
        }
        int length = packet.remaining();
        state = State.OPENING;
        line.<Requests>block(() -> Requests.begin(opener, rules), (opened, failure) -> {
            state = failure instanceof RejectedExecutionException ? State.NEW : State.SERVING;
            if (isEnded) {
                if (opened != null) {
                    closeLater(opened);
                }
            } else if (opened != null) {
                requests = opened;
                Replies.version(reply);
                line.write(reply.take());
                line.flush();
                used(Integer.BYTES + length);
                line.resumeLater();
            } else if (state == State.NEW) {
                isRefused = true;
                line.retryLater();
            } else {
                LOG.log(Level.WARNING, "no root for {0}: {1}", rules.user().name(), String.valueOf(failure));
                finish(1);
            }
        });
    }

    // Elsewhere.

    /** The first request, and those behind it that are there already and have the same place to go. A request may need several turns. */
    private void runElsewhere(Requests serving) {
        List<ByteBuffer> batch = new ArrayList<>();
        int bytes = 0;
        long subject = Subject.NOTHING;
        for (ByteBuffer each = lookAhead(0); each != null; each = lookAhead(bytes)) {
            long its = isShared ? Subject.NOTHING : serving.subjectOf(each);
            if (batch.isEmpty()) {
                subject = its;
            } else if (its != subject) {
                break;
            }
            batch.add(each);
            bytes += Integer.BYTES + each.remaining();
        }
        state = State.BLOCKED;
        BiConsumer<@Nullable Batch, @Nullable Throwable> then = (done, failure) -> {
            state = State.SERVING;
            if (isEnded) {
                closeLater(serving);
            } else if (done != null) {
                line.write(done.replies);
                line.flush();
                used(done.usedBytes);
                line.resumeLater();
            } else if (failure instanceof RejectedExecutionException) {
                isRefused = true;
                line.retryLater();
            } else {
                LOG.log(Level.WARNING, "ended, as a request could not be run", failure);
                finish(1);
            }
        };
        if (isShared) {
            line.<Batch>share(() -> run(serving, batch), then);
        } else if (subject == Subject.NOTHING) {
            line.<Batch>block(() -> run(serving, batch), then);
        } else {
            line.<Batch>inTurn(subject, () -> runNow(serving, batch), () -> run(serving, batch), then);
        }
    }

    /** What is wrong with a packet is told when its turn comes: those before it are answered. */
    private @Nullable ByteBuffer lookAhead(int skip) {
        try {
            return inbox.look(skip);
        } catch (BadPacketException later) {
            return null;
        }
    }

    /** The requests up to one that would have to wait; null if the first one would. */
    private @Nullable Batch runNow(Requests serving, List<ByteBuffer> batch) {
        NativeBuffer buffer = buffers.take();
        try {
            Reply replies = new Reply();
            int bytes = 0;
            for (ByteBuffer each : batch) {
                if (serving.runNow(each.duplicate(), replies, buffer) != Requests.Now.DONE) {
                    break;
                }
                bytes += Integer.BYTES + each.remaining();
                if (bytes >= sliceBytes) {
                    break;
                }
            }
            return bytes == 0 ? null : new Batch(replies.take(), bytes);
        } finally {
            buffers.giveBack(buffer);
        }
    }

    private Batch run(Requests serving, List<ByteBuffer> batch) {
        NativeBuffer buffer = buffers.take();
        try {
            Reply replies = new Reply();
            int bytes = 0;
            for (ByteBuffer each : batch) {
                int length = Integer.BYTES + each.remaining();
                if (!serving.run(each, replies, buffer)) {
                    break; // it goes on when others have had their turn
                }
                bytes += length;
                if (replies.size() >= sliceBytes) {
                    break;
                }
            }
            return new Batch(replies.take(), bytes);
        } finally {
            buffers.giveBack(buffer);
        }
    }

    // The end.

    private void finish(int exitCode) {
        end();
        line.flush();
        line.end(exitCode);
    }

    /** Closes what the client has open, when nobody uses it any more. Idempotent. */
    public void end() {
        if (isEnded) {
            return;
        }
        isEnded = true;
        Requests serving = requests;
        if (serving != null && state != State.BLOCKED) {
            closeLater(serving);
        }
    }

    private void closeLater(Requests serving) {
        line.<Boolean>block(
                () -> {
                    serving.close();
                    return true;
                },
                (done, refused) -> {
                    if (refused != null) {
                        serving.close(); // there is no room: now or never
                    }
                });
    }
}
