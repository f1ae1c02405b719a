// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.files.FileTree.Found;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.ResponseHead;
import io.mely.sws.http.Status;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The list of one folder while it is made, in steps between which others have their turn: names are read, sorted, measured and written. {@link ListingFormat} has
 * what a line looks like.
 *
 * <pre>
 *   READING ──► MEASURING ──► WRITING ──► done
 *      └────────────┴── no memory: a 503, done
 * </pre>
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> Of a step: {@link #NAMES_PER_STEP} looks at files, or as many lines. <b>Bounds.</b> {@link #NAMES_MAX} names, which
 * are paid for from a budget of the heap that all lists share; the page is native memory.
 */
public final class FolderListing implements AutoCloseable {
    /** Most names on a page: a guess that keeps the page below some MB. */
    static final int NAMES_MAX = 10_000;

    /** Some 200 microseconds of work. */
    static final int NAMES_PER_STEP = 128;

    /** What a name takes on the heap beside its characters, measured roughly: a line, a path, and their places in lists. */
    private static final int NAME_BYTES = 200;

    private final PathKey key;
    private final Found found;
    private final ResponseHead head;
    private final ListingFormat format;
    private final HeapBudget heap;
    private final NativeMemory memory;
    private final SafeOpener opener;
    private @Nullable FolderReader reader;
    private boolean isBegun;
    private final List<ListingLine> lines = new ArrayList<>();
    private long heapBytes;
    private boolean isCut;
    private int next;
    private long bodyBytes;
    private @Nullable ByteBuf block;
    private @Nullable ByteBuffer bytes;
    private int headBytes;

    /**
     * Describes a list; nothing is held before its first step.
     *
     * @param key of the folder
     * @param found what was found there
     * @param opener opens it, at the first step
     * @param head without the length
     * @param format page or JSON
     * @param heap for the names
     * @param memory for the page
     */
    FolderListing(
            PathKey key,
            Found found,
            SafeOpener opener,
            ResponseHead head,
            ListingFormat format,
            HeapBudget heap,
            NativeMemory memory) {
        this.key = key;
        this.found = found;
        this.opener = opener;
        this.head = head;
        this.format = format;
        this.heap = heap;
        this.memory = memory;
    }

    PathKey key() {
        return key;
    }

    /** One step. Null while it is not done, or if there is no memory for it: see {@link #hasFailed}. */
    @Nullable
    FileEntry step() throws IOException {
        if (!isBegun) {
            isBegun = true;
            reader = opener.openFolder(Objects.requireNonNull(found.file()));
        }
        if (reader != null) {
            read(reader);
        } else if (bytes == null) {
            measure();
        } else {
            return write(bytes);
        }
        return null;
    }

    /** No memory is left for it. */
    boolean hasFailed() {
        return heapBytes < 0;
    }

    private void read(FolderReader from) throws IOException {
        for (int i = 0; i < NAMES_PER_STEP; i++) {
            ListingLine line = from.next();
            if (line == null || lines.size() == NAMES_MAX) {
                isCut = line != null;
                from.close();
                reader = null;
                lines.sort(Comparator.comparing((ListingLine each) -> !each.isFolder())
                        .thenComparing(ListingLine::name));
                bodyBytes = (long) format.start().length + format.end(isCut).length;
                return;
            }
            long needed = NAME_BYTES + 2L * line.name().length();
            if (!heap.take(needed)) {
                fail();
                return;
            }
            heapBytes += needed;
            lines.add(line);
        }
    }

    private void fail() {
        close();
        heapBytes = -1;
    }

    private void measure() {
        int end = Math.min(lines.size(), next + NAMES_PER_STEP);
        for (; next < end; next++) {
            bodyBytes += format.line(lines.get(next), next == 0).length;
        }
        if (next < lines.size()) {
            return;
        }
        next = 0;
        byte[] headText = head.length(bodyBytes).toBytes();
        headBytes = headText.length;
        ByteBuf taken = bodyBytes + headBytes > Integer.MAX_VALUE ? null : memory.take((int) bodyBytes + headBytes);
        if (taken == null) {
            fail();
            return;
        }
        block = taken;
        bytes = taken.nioBuffer(0, (int) bodyBytes + headBytes).put(headText).put(format.start());
    }

    private @Nullable FileEntry write(ByteBuffer to) {
        int end = Math.min(lines.size(), next + NAMES_PER_STEP);
        for (; next < end; next++) {
            to.put(format.line(lines.get(next), next == 0));
        }
        if (next < lines.size()) {
            return null;
        }
        to.put(format.end(isCut)).clear();
        FileEntry entry = new FileEntry(key, found, new PreparedResponse(Status.OK, to, head, headBytes))
                .withBlock(Objects.requireNonNull(block))
                .notKept();
        block = null; // the entry's
        close();
        return entry;
    }

    /** Gives back what it holds, done or not. */
    @Override
    public void close() {
        if (reader != null) {
            reader.close();
            reader = null;
        }
        if (heapBytes > 0) {
            heap.giveBack(heapBytes);
            heapBytes = 0;
        }
        lines.clear();
        if (block != null) {
            block.release();
            block = null;
        }
    }
}
