// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes the files of a root may have together. What there is already is counted when the first client that may write comes; from then on, what the server itself
 * adds and removes.
 *
 * <p>Sizes are asked just before and after a change. Two clients that lengthen one file at the same moment, and whoever changes files beside the
 * server, make the count wrong by that much, until there is no such client and the next one comes.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Quota {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private int writers; // guarded by this

    /**
     * Makes a quota.
     *
     * @param limitBytes most bytes; 0 = unlimited
     */
    public Quota(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Whether there is a limit at all. */
    public boolean isLimited() {
        return limitBytes > 0;
    }

    /** Most bytes; 0 = unlimited. */
    public long limitBytes() {
        return limitBytes;
    }

    /** Bytes that are left; never negative. */
    public long freeBytes() {
        return Math.max(0, limitBytes - usedBytes.get());
    }

    /** One more writes below the root. The first one counts what there is; the others wait for that. */
    synchronized void enter(Tree tree) throws FileFailure {
        if (writers == 0) {
            usedBytes.set(tree.usedBytes());
        }
        writers++;
    }

    synchronized void leave() {
        writers--;
        assert writers >= 0 : writers;
    }

    /**
     * Counts growth before it is made.
     *
     * @param bytes how much files grow; a negative number is nothing, see {@link #giveBack}
     * @throws FileFailure if they would have too much; nothing is counted then
     */
    public void take(long bytes) throws FileFailure {
        if (!isLimited() || bytes <= 0) {
            return;
        }
        long used = usedBytes.get();
        while (true) {
            // A difference of two sizes, neither negative: what a client asks for can't turn the sum over.
            if (bytes > limitBytes - Math.max(0, used)) {
                throw new FileFailure(Errno.EDQUOT, "the quota is used up");
            }
            long now = usedBytes.compareAndExchange(used, used + bytes);
            if (now == used) {
                return;
            }
            used = now;
        }
    }

    /**
     * Counts that bytes are gone, or were not written after all. Never refused.
     *
     * @param bytes &gt;= 0
     */
    void giveBack(long bytes) {
        assert bytes >= 0 : bytes;
        if (isLimited()) {
            usedBytes.addAndGet(-bytes);
        }
    }
}
