// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.RemotePath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Requests of one conversation that could not be answered at once, in the order they came. One may run when no earlier one that it {@linkplain Claim conflicts} with is left. So requests about one thing
 * run one after the other, in their order, and all others side by side.
 *
 * <p>What may run goes in <em>batches</em>: requests with the same way to go, each of which waits for none but those before it in the batch.
 *
 * <p><b>Threads.</b> The color of the connection. <b>Costs.</b> Each is compared with all others when it comes, and when it is answered. <b>Bounds.</b> {@link #MAX}, and bytes of requests and of their replies, which the
 * caller says: {@link #hasRoom}.
 */
final class Asks {
    /** No more are taken once there are so many: twice what OpenSSH's clients have under way. */
    static final int MAX = 128;

    /** One request. */
    static final class Ask {
        /** A copy. */
        final ByteBuffer packet;

        final Claim claim;

        /** As of {@link Subject}, when the request came. */
        final long subject;

        /** Of the request and its reply, about. */
        final int bytes;

        private final boolean isFull;
        private int blockers;
        private boolean isRunning;

        /**
         * Copies the request.
         *
         * @param isFull whether no more may be open, once what was asked for before is
         */
        Ask(ByteBuffer request, Claim claim, boolean isFull, long subject, int replyBytes) {
            packet = ByteBuffer.allocate(request.remaining());
            packet.put(request.duplicate()).flip();
            this.claim = claim;
            this.isFull = isFull;
            this.subject = subject;
            bytes = lengthBytes() + replyBytes;
        }

        /** Bytes that the client has sent. */
        int lengthBytes() {
            return Integer.BYTES + packet.capacity();
        }

        private boolean waitsFor(Ask earlier) {
            return claim.conflictsWith(earlier.claim, isFull);
        }

        private boolean goesWith(Ask first) {
            if (claim == Claim.UNKNOWN || first.claim == Claim.UNKNOWN) {
                return false; // its subject is not known yet
            }
            return subject == first.subject && (subject != Subject.NOTHING || claim.handle() == first.claim.handle());
        }
    }

    private final List<Ask> all = new ArrayList<>();
    private long bytes;
    private int opens;

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Of all requests and their replies, about. */
    long bytes() {
        return bytes;
    }

    /**
     * Whether one more may be added.
     *
     * @param bytesMax no more once they have so many bytes
     */
    boolean hasRoom(long bytesMax) {
        return all.size() < MAX && bytes < bytesMax;
    }

    /** Those that open something. */
    int opens() {
        return opens;
    }

    /** Whether a request has to wait for one of them. */
    boolean conflictsWith(Claim claim, boolean isFull) {
        for (Ask each : all) {
            if (claim.conflictsWith(each.claim, isFull)) {
                return true;
            }
        }
        return false;
    }

    /** The last one so far. */
    void add(Ask ask) {
        assert all.size() < MAX;
        ask.blockers = blockersIn(all, ask);
        all.add(ask);
        bytes += ask.bytes;
        opens += ask.claim.opens() ? 1 : 0;
    }

    private static int blockersIn(List<Ask> earlier, Ask ask) {
        int blockers = 0;
        for (Ask each : earlier) {
            blockers += ask.waitsFor(each) ? 1 : 0;
        }
        return blockers;
    }

    /**
     * The next batch, which runs from now on.
     *
     * @param bytesMax no more requests once it has so many bytes
     * @return empty if none may run
     */
    List<Ask> take(long bytesMax) {
        List<Ask> batch = new ArrayList<>();
        long batchBytes = 0;
        for (Ask each : all) {
            if (batchBytes >= bytesMax) {
                break;
            }
            boolean isOnItsWay = each.isRunning || (!batch.isEmpty() && !each.goesWith(batch.get(0)));
            if (!isOnItsWay && each.blockers == blockersIn(batch, each)) {
                batch.add(each);
                batchBytes += each.bytes;
            }
        }
        batch.forEach(each -> each.isRunning = true);
        return batch;
    }

    /** It is answered. */
    void done(Ask ask) {
        int at = all.indexOf(ask);
        all.remove(at);
        for (Ask later : all.subList(at, all.size())) {
            later.blockers -= later.waitsFor(ask) ? 1 : 0;
            assert later.blockers >= 0;
        }
        bytes -= ask.bytes;
        opens -= ask.claim.opens() ? 1 : 0;
    }

    /** Calls for each path that they move. */
    void forEachMoved(Consumer<RemotePath> action) {
        for (Ask each : all) {
            RemotePath moved = each.claim.moved();
            if (moved != null) {
                action.accept(moved);
            }
        }
    }

    /** They are not, and wait for another turn at their places. */
    void putBack(List<Ask> rest) {
        rest.forEach(each -> each.isRunning = false);
    }
}
