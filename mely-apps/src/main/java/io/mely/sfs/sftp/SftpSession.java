// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.NativeBuffer;
import io.mely.sfs.files.RemotePath;
import io.mely.sfs.files.Tree;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One SFTP conversation. Requests about one thing are answered in the order they came, others in any order ({@link Claim}):
 *
 * <ul>
 *   <li>in the session's color, at once, where nothing has to be waited for and nothing is changed that clients share;
 *   <li>on a blocking thread, with those behind it that have the same way to go, where it only looks;
 *   <li>in its turn among all that change the same file, or the same name of the same user, in a color of that ({@link Subject}), where it changes something;
 *   <li>or all of them in the default color and in order, as the paper's server has it.
 * </ul>
 *
 * <p>Meanwhile the session's color is free for others, and answers what does not have to wait for those ({@link Asks}).
 *
 * <pre>
 *            INIT             root open
 *   NEW ─────────► OPENING ─────────────► SERVING
 *
 *   OPENING        a blocking thread opens the root; the session's color only adds what comes
 *   NEW, SERVING   the color
 * </pre>
 *
 * <p>No more is answered while replies can't be sent, or after a slice of replies: then others of the core have their turn.
 *
 * <p><b>Threads.</b> Its color. <b>Bounds.</b> Requests that wait: what the SSH window lets in; of them {@link Asks#MAX}, or a slice of bytes with their replies, are looked at. Pieces of work elsewhere:
 * as the line says. Replies that wait: two slices, and a reply of each piece of work.
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

        /** Whether one more piece of work may run elsewhere, beside those that do. A conversation may always have one. */
        boolean mayRunMore();

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
        SERVING
    }

    /** What a request is when it can't be answered at once. */
    private static final int WAITS = -1;

    private final Line line;
    private final SftpRules rules;
    private final TreeOpener opener;
    private final Batches batches;
    private final int sliceBytes;
    private final boolean isShared;
    private final Inbox inbox = new Inbox();
    private final Asks asks = new Asks();
    private final Reply reply = new Reply();
    private final ByteBuffer dataHead = ByteBuffer.allocate(Sftp.DATA_HEAD_BYTES);
    private State state = State.NEW;
    private @Nullable Requests requests;
    private boolean isEnded;
    private boolean isInputOver;

    /** Batches that run elsewhere. */
    private int running;

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
        batches = new Batches(line, buffers, sliceBytes, isShared);
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

    /** Whether a request is under way that the client waits for, as for a disk. A client that takes no replies waits for nobody. */
    public boolean isAnswering() {
        boolean isUnderWay = state == State.OPENING || running > 0 || isRefused;
        return !isEnded && (isUnderWay || (!asks.isEmpty() && !line.isFull()));
    }

    /** Whether nothing is asked or open, so that the end would disturb nothing. */
    public boolean isIdle() {
        Requests open = requests;
        return switch (state) {
            case NEW -> true;
            case SERVING -> inbox.size() == 0 && asks.isEmpty() && (open == null || open.openHandles() == 0);
            case OPENING -> false;
        };
    }

    /**
     * Answers what can be answered now.
     *
     * @param buffer of the calling thread, with room for a packet
     */
    public void resume(NativeBuffer buffer) {
        isRefused = false;
        try {
            int sentBytes = answer(buffer);
            long waitingBytes = asks.bytes();
            sentBytes = startAsks(buffer, sentBytes);
            boolean isMore = sentBytes >= sliceBytes || asks.bytes() < waitingBytes; // there is room to look at more
            if (isMore && !isEnded) {
                line.resumeLater();
            }
        } catch (BadPacketException bad) {
            LOG.log(Level.DEBUG, "ended: {0}", bad.getMessage());
            finish(1);
        }
        line.flush();
    }

    private boolean maySend() {
        return !isEnded && !isRefused && state != State.OPENING && !line.isFull();
    }

    /** Bytes of replies. */
    private int answer(NativeBuffer buffer) throws BadPacketException {
        int sentBytes = 0;
        while (sentBytes < sliceBytes && asks.hasRoom(sliceBytes) && maySend()) {
            ByteBuffer packet = look();
            if (packet == null) {
                break;
            }
            sentBytes += step(packet, buffer);
        }
        return sentBytes;
    }

    /** The first packet; what is wrong with it is told when its turn comes: those before it are answered. */
    private @Nullable ByteBuffer look() throws BadPacketException {
        try {
            ByteBuffer packet = inbox.look(0);
            if (packet == null && isInputOver && asks.isEmpty()) {
                finish(0);
            }
            return packet;
        } catch (BadPacketException bad) {
            if (asks.isEmpty()) {
                throw bad;
            }
            return null;
        }
    }

    /** Bytes of the reply. */
    private int step(ByteBuffer packet, NativeBuffer buffer) throws BadPacketException {
        Requests serving = requests;
        if (serving == null) {
            begin(packet);
            return 0;
        }
        int length = Integer.BYTES + packet.remaining();
        boolean isOwn = !isShared && serving.isOwn(packet);
        Claim claim = null;
        if (!isOwn || !asks.isEmpty()) {
            claim = isShared ? Claim.ALL : serving.claimOf(packet);
        }
        boolean isFull = claim != null && serving.isFull(asks.opens());
        if (isOwn && (claim == null || !asks.conflictsWith(claim, isFull))) {
            int n = answerNow(serving, packet, buffer);
            if (n != WAITS) {
                inbox.skip(length);
                line.used(length);
                return n;
            }
        }
        Claim claimOfAsk = claim == null ? serving.claimOf(packet) : claim;
        asks.add(new Asks.Ask(
                packet,
                claimOfAsk,
                isFull,
                isShared ? Subject.NOTHING : serving.subjectOf(packet),
                Requests.replyBytes(packet)));
        RemotePath moved = claimOfAsk.moved();
        if (moved != null) {
            serving.move(moved);
        }
        inbox.skip(length);
        return 0;
    }

    /** Bytes of the reply; {@link #WAITS} if there is none yet. */
    private int answerNow(Requests serving, ByteBuffer packet, NativeBuffer buffer) {
        Requests.Now now = serving.runNow(packet.duplicate(), reply, buffer);
        switch (now) {
            case WAITS -> {
                return WAITS;
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
                return Sftp.DATA_HEAD_BYTES + n;
            }
            default -> {
                int size = reply.size();
                line.write(reply.take());
                return size;
            }
        }
    }

    private void used(int bytes) {
        inbox.skip(bytes);
        line.used(bytes);
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

    // What could not be answered at once.

    /** Begins what may run now; bytes of replies so far. */
    private int startAsks(NativeBuffer buffer, int sentBefore) {
        Requests serving = requests;
        int sentBytes = sentBefore;
        while (serving != null && sentBytes < sliceBytes && maySend() && (running == 0 || line.mayRunMore())) {
            List<Asks.Ask> batch = asks.take(sliceBytes);
            if (batch.isEmpty()) {
                break;
            }
            int answered = 0;
            for (int n = 0; answered < batch.size() && n != WAITS && !line.isFull(); ) {
                n = answerAsk(serving, batch.get(answered), buffer);
                if (n != WAITS) {
                    sentBytes += n;
                    answered++;
                }
            }
            List<Asks.Ask> rest = List.copyOf(batch.subList(answered, batch.size()));
            if (line.isFull()) {
                asks.putBack(rest);
            } else if (!rest.isEmpty()) {
                runElsewhere(serving, rest);
            }
        }
        return sentBytes;
    }

    /** What waited for another request may be answered at once after that. */
    private int answerAsk(Requests serving, Asks.Ask ask, NativeBuffer buffer) {
        int n = isShared || !serving.isOwn(ask.packet) ? WAITS : answerNow(serving, ask.packet, buffer);
        if (n != WAITS) {
            answered(serving, ask);
        }
        return n;
    }

    private void answered(Requests serving, Asks.Ask ask) {
        asks.done(ask);
        if (ask.claim.opens()) {
            asks.forEachMoved(serving::move); // what it opened, too
        }
        line.used(ask.lengthBytes());
    }

    /** A request may need several turns. */
    private void runElsewhere(Requests serving, List<Asks.Ask> batch) {
        running++;
        BiConsumer<Batches.@Nullable Done, @Nullable Throwable> then = (done, failure) -> {
            running--;
            if (isEnded) {
                closeUnused(serving);
            } else if (done != null) {
                line.write(done.replies());
                line.flush();
                batch.subList(0, done.requests()).forEach(each -> answered(serving, each));
                asks.putBack(batch.subList(done.requests(), batch.size()));
                line.resumeLater();
            } else if (failure instanceof RejectedExecutionException) {
                asks.putBack(batch);
                isRefused = true;
                line.retryLater();
            } else {
                LOG.log(Level.WARNING, "ended, as a request could not be run", failure);
                finish(1);
            }
        };
        batches.start(serving, batch, then);
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
        if (serving != null) {
            closeUnused(serving);
        }
    }

    private void closeUnused(Requests serving) {
        if (running == 0) {
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
