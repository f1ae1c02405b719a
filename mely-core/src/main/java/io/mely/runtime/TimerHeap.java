// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one core: a binary heap by deadline, first come first served among equals. A timer knows its index, so that a cancel
 * takes it out instead of leaving it to expire.
 *
 * <p><b>Threads.</b> The owner. <b>Costs.</b> Add and remove O(log n), no allocation but growth. <b>Units.</b> Nanoseconds of the
 * runtime's clock; compared by difference, as it may wrap.
 */
final class TimerHeap {
    private @Nullable TimerEntry[] heap = new @Nullable TimerEntry[64];
    private int size;
    private long sequence;

    int size() {
        return size;
    }

    /** The earliest; null if there is none. */
    @Nullable
    TimerEntry first() {
        return size == 0 ? null : heap[0];
    }

    /** Whether one more has room, which is made if need be. False if there is no memory for it. */
    boolean hasRoom() {
        if (size < heap.length) {
            return true;
        }
        try {
            heap = Arrays.copyOf(heap, size * 2);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    /** Adds one, for which there {@link #hasRoom}. */
    void add(TimerEntry timer) {
        assert timer.heapIndex == -1 : "added twice";
        boolean hasRoom = hasRoom();
        assert hasRoom : "the caller has looked, or has just removed one";
        timer.sequence = sequence++;
        siftUp(size++, timer);
    }

    void remove(TimerEntry timer) {
        int index = timer.heapIndex;
        if (index == -1) {
            return;
        }
        assert heap[index] == timer : "heap index";
        timer.heapIndex = -1;
        TimerEntry moved = heap[--size];
        heap[size] = null;
        if (moved == null || moved == timer) {
            return;
        }
        siftDown(index, moved);
        if (heap[index] == moved) {
            siftUp(index, moved);
        }
    }

    private void siftUp(int from, TimerEntry timer) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            TimerEntry above = at(parent);
            if (!isBefore(timer, above)) {
                break;
            }
            put(index, above);
            index = parent;
        }
        put(index, timer);
    }

    private void siftDown(int from, TimerEntry timer) {
        int index = from;
        int half = size >>> 1;
        while (index < half) {
            int child = 2 * index + 1;
            if (child + 1 < size && isBefore(at(child + 1), at(child))) {
                child++;
            }
            TimerEntry below = at(child);
            if (!isBefore(below, timer)) {
                break;
            }
            put(index, below);
            index = child;
        }
        put(index, timer);
    }

    private void put(int index, TimerEntry timer) {
        heap[index] = timer;
        timer.heapIndex = index;
    }

    private TimerEntry at(int index) {
        TimerEntry timer = heap[index];
        assert timer != null : "hole in the heap";
        return timer;
    }

    private static boolean isBefore(TimerEntry a, TimerEntry b) {
        long byDeadline = a.deadlineNs - b.deadlineNs;
        return byDeadline < 0 || (byDeadline == 0 && a.sequence < b.sequence);
    }
}
