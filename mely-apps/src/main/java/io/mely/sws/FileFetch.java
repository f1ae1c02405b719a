// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file for a link that cannot have the kernel send it, without waiting for a disk: what is not in memory is fetched first, by another thread.
 *
 * <p><b>Threads.</b> The connection's color.
 */
final class FileFetch {
    /** Fetches a part of a file into the kernel's memory, and then reports that there is room to write. */
    @FunctionalInterface
    interface Fetcher {
        void fetch(OpenFile file, long position, long count);
    }

    /** The part of a file that is to be fetched before it is read again, or was; null if there is none. */
    private @Nullable OpenFile file;

    private long from;
    private long end;
    private boolean isDue;

    /**
     * Reads as much as is in memory.
     *
     * @param wanted how much there is to be read from there on
     * @return bytes; 0 if a part has to be fetched first; -1 if the file ends before
     */
    int read(OpenFile wantedFile, ByteBuffer to, long position, long wanted) throws IOException {
        boolean isFetched = wantedFile == file && position >= from && position < end;
        if (isFetched) {
            to.limit((int) Math.min(to.limit(), to.position() + end - position));
            return wantedFile.read(to, position);
        }
        file = null;
        int n = wantedFile.readFromMemory(to, position);
        if (n == 0) {
            file = wantedFile;
            from = position;
            end = position + wanted;
            isDue = true;
        }
        return n;
    }

    /** Begins what is due; false if nothing is. */
    boolean begin(Fetcher fetcher) {
        OpenFile due = file;
        if (!isDue || due == null) {
            return false;
        }
        isDue = false;
        fetcher.fetch(due, from, end - from);
        return true;
    }

    /** Lets go of the file. */
    void forget() {
        file = null;
        isDue = false;
    }
}
