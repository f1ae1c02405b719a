// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import java.util.Arrays;

/**
 * What one thread has taken for its handlers and not allocated yet.
 *
 * <p>A frame for each handler that it is in; they nest as the calls do. Frames are used again.
 *
 * <p><b>Threads.</b> One.
 */
final class Hand {
    private Frame[] frames = {new Frame(), new Frame()};
    private int depth;

    /** The core whose region the thread allocates from, when its handler has nothing of a site. */
    int core;

    Hand(int core) {
        this.core = core;
    }

    /** Begins a handler, or a batch of them. */
    Frame push(int ofCore) {
        if (depth == frames.length) {
            frames = Arrays.copyOf(frames, 2 * depth);
            for (int i = depth; i < frames.length; i++) {
                frames[i] = new Frame();
            }
        }
        core = ofCore;
        Frame frame = frames[depth++];
        frame.core = ofCore;
        frame.isPassing = false;
        assert frame.count == 0 : "left over";
        return frame;
    }

    /** Ends it; what is left in the frame is to be given back. */
    Frame pop() {
        if (depth == 0) {
            throw new IllegalStateException("given back, and not taken");
        }
        return frames[--depth];
    }

    boolean isEmpty() {
        return depth == 0;
    }

    /** Of the handler that the thread is in. */
    Frame top() {
        return frames[depth - 1];
    }

    /** What a handler has left. */
    static final class Frame {
        int core;
        boolean isPassing; // without having taken anything
        int count;
        private int[] sites = new int[4];
        private int[] offsets = new int[4];

        void put(int site, int offset) {
            if (count == sites.length) {
                sites = Arrays.copyOf(sites, 2 * count);
                offsets = Arrays.copyOf(offsets, 2 * count);
            }
            sites[count] = site;
            offsets[count++] = offset;
        }

        /** Takes one of a site out; {@link Slots#NONE} if there is none. O(what is left). */
        int remove(int site) {
            for (int i = count - 1; i >= 0; i--) {
                if (sites[i] == site) {
                    int offset = offsets[i];
                    count--;
                    sites[i] = sites[count];
                    offsets[i] = offsets[count];
                    return offset;
                }
            }
            return Slots.NONE;
        }

        int removeLast() {
            return offsets[--count];
        }
    }
}
