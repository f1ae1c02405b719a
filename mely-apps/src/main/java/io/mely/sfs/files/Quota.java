// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes the files of a root may have together. What there is already is counted when the first client that may write comes; from then on, what the server itself
 * adds and removes.
 *
 * <p>A file that is removed counts until nobody has it open, as it does on the disk.
 *
 * <p>Sizes are asked just before and after a change. So changes of an open file have to take turns, whoever makes them. One by the file's name at the same moment, such as an open that
 * empties it, and whoever changes files beside the server, make the count wrong by that much, until there is no such client and the next one comes.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Quota {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final Map<Attributes.Id, Use> uses = new ConcurrentHashMap<>();
    private int writers; // guarded by this
    private volatile int counts;

    /**
     * How many have a file open.
     *
     * @param owedSince the count since which its bytes are to be given back at the last close; 0 = they are not
     */
    private record Use(int opens, int owedSince) {}

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
            counts++; // what is owed by the last count is not in this one
        }
        writers++;
    }

    synchronized void leave() {
        writers--;
        assert writers >= 0 : writers;
    }

    /** A file is open, once more. */
    void opened(Attributes.Id file) {
        if (isLimited()) {
            uses.merge(file, new Use(1, 0), (known, one) -> new Use(known.opens + 1, known.owedSince));
        }
    }

    /** An open file has no name any more: its bytes are given back at the last close. */
    void owe(Attributes.Id file) {
        uses.computeIfPresent(file, (same, use) -> new Use(use.opens, counts));
    }

    /**
     * An open file is about to be closed.
     *
     * @param file its number
     * @param fd descriptor of it
     */
    void closing(Attributes.Id file, int fd) {
        Use[] last = new Use[1];
        uses.computeIfPresent(file, (same, use) -> {
            if (use.opens > 1) {
                return new Use(use.opens - 1, use.owedSince);
            }
            last[0] = use;
            return null;
        });
        Use ended = last[0];
        if (ended == null || ended.owedSince == 0 || ended.owedSince != counts) {
            return;
        }
        try {
            giveBack(Tree.attributes(fd).size());
        } catch (FileFailure e) {
            System.getLogger(Quota.class.getName())
                    .log(System.Logger.Level.WARNING, "the size of a removed file is not known, and stays counted", e);
        }
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
