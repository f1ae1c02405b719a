// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Which entry each thread is copying from just now, so that its memory is not freed meanwhile (hazard pointers, M. Michael 2004).
 *
 * <p>Counting users in the entry would do as well, but every thread that serves a popular file would then fight for that file's
 * line of memory (66 ns a CAS between two cores, more on larger machines). Here a thread writes to a line of its own.
 *
 * <p>No entry is freed under a reader: the reader writes its hazard, then reads the state; the one who frees writes the state, then
 * reads the hazards. Both with full fences, so at least one of the two sees the other.
 *
 * <p><b>Threads.</b> Seat i is written by one thread at a time. <b>Costs.</b> {@link #protect} one fence (9 ns), {@link #clear}
 * none; {@link #isProtected} reads all seats.
 */
final class Hazards {
    private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(FileEntry[].class);

    /** References in 128 bytes, if compressed: two lines, because of the adjacent-line prefetcher. */
    private static final int STRIDE = 32;

    private final @Nullable FileEntry[] slots;

    Hazards(int seats) {
        slots = new FileEntry[(seats + 1) * STRIDE];
    }

    /** The caller reads the entry's state next, and uses the entry only if it is live. */
    void protect(int seat, FileEntry entry) {
        SLOTS.setVolatile(slots, index(seat), entry);
    }

    /** Ends the protection; what was read before stays before. */
    void clear(int seat) {
        SLOTS.setRelease(slots, index(seat), (FileEntry) null);
    }

    /** The caller has made the entry dead before. */
    boolean isProtected(FileEntry entry) {
        for (int i = STRIDE; i < slots.length; i += STRIDE) {
            if (SLOTS.getVolatile(slots, i) == entry) {
                return true;
            }
        }
        return false;
    }

    private static int index(int seat) {
        return (seat + 1) * STRIDE; // the first stride keeps the array's header away
    }
}
