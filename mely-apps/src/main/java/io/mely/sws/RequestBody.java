// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.BodySkipper;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A request body in pieces of the heap: none is taken before a byte has come for it, so that a client that only announces a large body holds
 * nothing.
 *
 * <p><b>Threads.</b> One at a time. <b>Bounds.</b> What {@link InputMemory} has. <b>Shape.</b> All pieces are full but the last.
 */
final class RequestBody implements BodySkipper.Sink {
    /** Of the first piece, if no more is announced; each further one doubles what there is. A guess. */
    private static final int PIECE_BYTES_MIN = 1 << 10;

    /** Of one piece: so much is allocated before the client has sent it. A guess. */
    private static final int PIECE_BYTES_MAX = 64 << 10;

    private final InputMemory memory;
    private final Deque<byte[]> pieces = new ArrayDeque<>();
    private final InputStream stream = new Pieces();
    private byte @Nullable [] last;
    private int lastBytes;
    private long bytes;
    private long takenBytes;

    RequestBody(InputMemory memory) {
        this.memory = memory;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public boolean take(byte[] from, int start, int length, long announced) {
        int at = start;
        int left = length;
        while (left > 0) {
            byte[] piece = last;
            if (piece == null || lastBytes == piece.length) {
                long wanted = Math.max(announced - (at - start), Math.max(bytes, PIECE_BYTES_MIN));
                piece = append((int) Math.min(wanted, PIECE_BYTES_MAX));
                if (piece == null) {
                    return false;
                }
            }
            int n = Math.min(left, piece.length - lastBytes);
            System.arraycopy(from, at, piece, lastBytes, n);
            lastBytes += n;
            bytes += n;
            at += n;
            left -= n;
        }
        return true;
    }

    private byte @Nullable [] append(int length) {
        if (!memory.take(length)) {
            return null;
        }
        takenBytes += length;
        byte[] piece = new byte[length];
        pieces.add(piece);
        last = piece;
        lastBytes = 0;
        return piece;
    }

    /** Gives the memory back, once; the pieces go with this object. */
    void release() {
        memory.giveBack(takenBytes);
        takenBytes = 0;
    }

    /** Reads it once; a piece that has been read is let go. */
    InputStream stream() {
        return stream;
    }

    private final class Pieces extends InputStream {
        private int position;

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            byte[] piece = pieces.peek();
            if (piece == null) {
                return -1;
            }
            int end = piece == last ? lastBytes : piece.length;
            int n = Math.min(length, end - position);
            System.arraycopy(piece, position, to, offset, n);
            position += n;
            if (position == end) {
                pieces.remove();
                position = 0;
            }
            return n;
        }

        @Override
        public int available() {
            byte[] piece = pieces.peek();
            return piece == null ? 0 : (piece == last ? lastBytes : piece.length) - position;
        }
    }
}
