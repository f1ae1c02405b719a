// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/** Written by every sender. */
abstract class InboxProducerFields extends HeadPad {
    /** Twice the number of entries claimed; odd while a sender puts a larger buffer in place. */
    volatile long producerIndex;
}

abstract class InboxMiddlePad extends InboxProducerFields {
    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
}

/** Written now and then by a sender, read by all. */
abstract class InboxLimitFields extends InboxMiddlePad {
    volatile long producerLimit;
    volatile Inbox.Buffer producerBuffer = new Inbox.Buffer(Inbox.LENGTH_MIN);
}

abstract class InboxLimitPad extends InboxLimitFields {
    @SuppressWarnings("unused")
    private long r00, r01, r02, r03, r04, r05, r06, r07, r08, r09, r10, r11, r12, r13, r14, r15;
}

/** Written by the consumer. */
abstract class InboxConsumerFields extends InboxLimitPad {
    volatile long consumerIndex;
    Inbox.Buffer consumerBuffer = producerBuffer;
}

abstract class InboxTailPad extends InboxConsumerFields {
    @SuppressWarnings("unused")
    private long s00, s01, s02, s03, s04, s05, s06, s07, s08, s09, s10, s11, s12, s13, s14, s15;
}

/**
 * What other threads send to one core: a queue of events, many producers, one consumer at a time.
 *
 * <p>An entry is a number (of the color, and flags), a stage and an event, in the slots of {@link Entries}: 8 bytes that travel for each event of a stream, where a
 * queue of references moves the line of each object as well (ADR 0011).
 *
 * <p>It is a ring that doubles: a sender that finds it full puts a larger buffer in place and leaves a <i>jump</i> in the old one, which the
 * consumer follows. It stays as large as it was ever needed, up to {@link #LENGTH_MAX}; what waits beyond that is in more buffers of that length.
 *
 * <pre>
 *   claim    CAS of producerIndex          the order of the entries
 *   look     read the color's home again   has it moved? Then the entry is published void, and says nothing
 *   publish  release of the entry's key    the entry
 *   consume  acquire of the key; then key = 0, and consumerIndex released: the slot may be claimed again
 * </pre>
 *
 * <p>The claim is the only fence of a send. {@link #isEmpty} counts what is claimed, so whoever writes, and after a full fence finds the inbox empty, knows that each
 * later sender reads what was written, in its look or after its publication: a thief that has moved a color, a core that is about to sleep.
 *
 * <p><b>Threads.</b> {@link #offer} any; {@link #peek} and what follows it the holder of the core's lock. <b>Costs.</b> An uncontended offer one
 * CAS. <b>Source.</b> The scheme of resizing is that of JCTools' linked array queues.
 */
public final class Inbox extends InboxTailPad {
    /** Entries of the first buffer: 12 KB, less than half of an L1 cache. */
    static final int LENGTH_MIN = 1 << 10;

    /** Entries of the largest buffer: 768 KB, which an L2 cache of 1 MB holds. */
    static final int LENGTH_MAX = 1 << 16;

    private static final int SPINS_BEFORE_YIELD = 256;

    private static final int EMPTY = 0;
    private static final int JUMP = -1;
    private static final int VOID = -2;

    /** Of {@link #offer}: nothing was added, the color has moved. */
    public static final long MOVED = -1;

    /** Of {@link #offer}: nothing was added, it was not admitted, or there was no memory for a larger buffer. */
    static final long REFUSED = -2;

    private static final AtomicLongFieldUpdater<InboxProducerFields> PRODUCER_INDEX =
            AtomicLongFieldUpdater.newUpdater(InboxProducerFields.class, "producerIndex");
    private static final AtomicLongFieldUpdater<InboxLimitFields> PRODUCER_LIMIT =
            AtomicLongFieldUpdater.newUpdater(InboxLimitFields.class, "producerLimit");
    private static final AtomicLongFieldUpdater<InboxConsumerFields> CONSUMER_INDEX =
            AtomicLongFieldUpdater.newUpdater(InboxConsumerFields.class, "consumerIndex");

    static {
        growOnce();
    }

    /** The first run of this code links it, which takes memory. Later there may be none, in the middle of an offer. */
    private static void growOnce() {
        Inbox small = new Inbox(2);
        for (int i = 0; i < 3; i++) {
            long unused = small.offer(1, null, null, null, 0, null);
        }
    }

    /** Whether a sender may still send. */
    @FunctionalInterface
    public interface Admission {
        /** Asked once, after the entry was claimed, which is a full fence, and before it is published. False: nothing is sent. */
        boolean admit();
    }

    /** Slots, and where those are that come after them. */
    static final class Buffer extends Entries {
        @Nullable
        Buffer next; // written before the jump

        Buffer(int length) {
            super(length);
        }
    }

    /** Makes an empty one. */
    Inbox() {
        producerLimit = 2L * (LENGTH_MIN - 1);
    }

    /** Makes an empty one whose first buffer has another length, a power of two. For tests, to which it jumps sooner. */
    Inbox(int length) {
        producerBuffer = new Buffer(length);
        consumerBuffer = producerBuffer;
        producerLimit = 2L * (length - 1);
    }

    // ------------------------------------------------------------------ any thread

    /**
     * Adds an entry for a color, if that lives here still: if it has not moved since this inbox was chosen ({@link ColorHomes#isThere}, asked behind the claim).
     *
     * @param key &gt; 0: the number of the color
     * @param homes null if the entry belongs here wherever its color lives
     * @param admission asked then; null for who may always send
     * @return its position; {@link #MOVED}: to be sent again, to where the color is now; {@link #REFUSED}
     */
    public long offer(
            int key,
            @Nullable HandlerProfile stage,
            @Nullable Object event,
            @Nullable ColorHomes homes,
            int where,
            @Nullable Admission admission) {
        assert key > EMPTY : key;
        int spins = 0;
        while (true) {
            long limit = producerLimit;
            long index = producerIndex;
            if ((index & 1) != 0) {
                spins = offerAwaitLarger(spins);
                continue;
            }
            Buffer buffer = producerBuffer; // of this index, if the CAS below succeeds
            if (index >= limit && !offerHasRoom(buffer, index, limit)) {
                Buffer larger = largerThan(buffer); // made before others have to wait for it
                if (larger == null) {
                    return REFUSED;
                }
                if (!PRODUCER_INDEX.compareAndSet(this, index, index + 1)) {
                    continue;
                }
                offerLarger(buffer, larger, index);
                buffer = larger;
            } else if (!PRODUCER_INDEX.compareAndSet(this, index, index + 2)) {
                continue;
            }
            if (homes != null && !homes.isThere(key, where)) {
                return offerMoved(buffer, index >> 1);
            }
            if (admission != null && !admission.admit()) {
                publish(buffer, index >> 1, VOID, null, null);
                return REFUSED;
            }
            publish(buffer, index >> 1, key, stage, event);
            return index >> 1;
        }
    }

    /** Whether the consumer has made room since the limit was set; one slot of a buffer stays free for the jump. */
    private boolean offerHasRoom(Buffer buffer, long index, long limit) {
        long room = 2 * (consumerIndex + buffer.mask);
        if (room <= index) {
            return false;
        }
        PRODUCER_LIMIT.compareAndSet(this, limit, room);
        return true;
    }

    @SuppressWarnings("ThreadPriorityCheck") // a hint for the case that the other sender lost its CPU; right without it
    private static int offerAwaitLarger(int spins) {
        if (spins < SPINS_BEFORE_YIELD) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
        return spins + 1;
    }

    /** Null if there is no memory for it. */
    private static @Nullable Buffer largerThan(Buffer full) {
        try {
            return new Buffer(Math.min(LENGTH_MAX, 2 * (full.mask + 1)));
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** Claims the first entry of a larger buffer. The index is odd, so no other sender is beyond it, and all wait: nothing here fails. */
    private void offerLarger(Buffer full, Buffer larger, long index) {
        full.next = larger;
        full.keyRelease((int) (index >> 1), JUMP);
        producerBuffer = larger;
        PRODUCER_LIMIT.lazySet(this, index + 2L * larger.mask);
        producerIndex = index + 2; // as good as the CAS of other claims
    }

    /** The entry is claimed, so something must be there for the consumer to go on. */
    private static long offerMoved(Buffer buffer, long position) {
        publish(buffer, position, VOID, null, null);
        return MOVED;
    }

    private static void publish(
            Buffer buffer, long position, int key, @Nullable HandlerProfile stage, @Nullable Object event) {
        buffer.put((int) position, stage, event);
        buffer.keyRelease((int) position, key);
    }

    /** Entries ever claimed. */
    long claimed() {
        return producerIndex >> 1;
    }

    /** Whether each entry that was claimed has been consumed. */
    boolean isEmpty() {
        long consumed = consumerIndex; // first, as it is behind
        return producerIndex >> 1 == consumed;
    }

    /**
     * Whether the next entry seems to be there. A peek by the owner that moves no line its senders claim with; while another thread drains it may
     * miss what that thread is about to find.
     */
    boolean looksFilled() {
        return consumerBuffer.keyAcquire((int) consumerIndex) != EMPTY;
    }

    /** Whether an entry has been taken off: what it says is in its color, or forwarded. */
    boolean isConsumed(long position) {
        return consumerIndex > position;
    }

    // ------------------------------------------------------------------ the consumer

    /** The key of the first entry that is not void; 0 if there is none, or its sender has not published it yet. */
    int peek() {
        int key = peekNext();
        while (key == VOID) {
            consume();
            key = peekNext();
        }
        return key;
    }

    private int peekNext() {
        Buffer buffer = consumerBuffer;
        int key = buffer.keyAcquire((int) consumerIndex);
        return key == JUMP ? peekBehindJump(buffer) : key;
    }

    private int peekBehindJump(Buffer old) {
        Buffer next = old.next;
        assert next != null : "written before the jump";
        consumerBuffer = next;
        return next.keyAcquire((int) consumerIndex);
    }

    /** The position of the first entry. */
    long position() {
        return consumerIndex;
    }

    /** The stage of the entry that was peeked at. */
    @Nullable
    HandlerProfile stage() {
        return consumerBuffer.stage((int) consumerIndex);
    }

    /** The event of the entry that was peeked at. */
    @Nullable
    Object event() {
        return consumerBuffer.event((int) consumerIndex);
    }

    /** Takes off the entry that was peeked at. */
    void consume() {
        Buffer buffer = consumerBuffer;
        buffer.clear((int) consumerIndex);
        buffer.key((int) consumerIndex, EMPTY);
        CONSUMER_INDEX.lazySet(this, consumerIndex + 1);
    }
}
