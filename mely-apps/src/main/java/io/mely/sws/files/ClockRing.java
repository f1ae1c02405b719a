// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Chooses what leaves the cache when room is needed, by second chance: the oldest entry that nobody has used since it was
 * looked at last. Cheap for readers, who set a flag at most.
 *
 * <p><b>Threads.</b> The holder of the cache's lock. <b>Costs.</b> Amortised O(1) an eviction.
 */
final class ClockRing {
    private final long weightMax;
    private final ArrayDeque<Slot> slots = new ArrayDeque<>();
    private long weight;
    private int gone;

    private record Slot(FileEntry entry, long weight) {}

    ClockRing(long weightMax) {
        this.weightMax = weightMax;
    }

    /**
     * Evicts until there is room.
     *
     * @param wanted weight of the newcomer
     * @param evict makes an entry dead; does not call back
     * @return false if it will never fit
     */
    boolean makeRoom(long wanted, Consumer<FileEntry> evict) {
        if (wanted > weightMax) {
            return false;
        }
        int chances = slots.size(); // readers may set the flags as fast as they are cleared here
        while (weight + wanted > weightMax) {
            Slot slot = slots.remove();
            if (!slot.entry.isLive()) {
                gone--;
            } else if (slot.entry.clearUsed() && chances-- > 0) {
                slots.add(slot);
            } else {
                weight -= slot.weight;
                evict.accept(slot.entry);
            }
        }
        return true;
    }

    void add(FileEntry entry, long entryWeight) {
        slots.add(new Slot(entry, entryWeight));
        weight += entryWeight;
        assert weight <= weightMax : weight;
    }

    /** An entry that was added has died otherwise than by {@link #makeRoom}. */
    void removed(long entryWeight) {
        weight -= entryWeight;
        gone++;
        if (gone > 64 && gone > slots.size() / 2) {
            slots.removeIf(slot -> !slot.entry.isLive());
            gone = 0;
        }
    }

    /** Of those that live. */
    void forEach(Consumer<FileEntry> action) {
        for (Slot slot : slots) {
            if (slot.entry.isLive()) {
                action.accept(slot.entry);
            }
        }
    }

    long weight() {
        return weight;
    }

    int size() {
        return slots.size() - gone;
    }
}
