// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/** Makes a stack overflow come early: before a step that others would wait for for good if it broke off half-way. */
public final class StackRoom {
    /** Frames, each some tens of bytes or more: above what is called in those steps. */
    private static final int FRAMES = 100;

    private StackRoom() {}

    /**
     * Returns if there is room for a few calls.
     *
     * @throws StackOverflowError if not
     */
    static void check() {
        check(FRAMES);
    }

    /**
     * The same before what takes more.
     *
     * @param frames at least as many as are called, or more where those are large
     * @throws StackOverflowError if there is no room
     */
    public static void check(int frames) {
        int unused = descend(frames);
    }

    private static int descend(int frames) {
        return frames == 0 ? 0 : 1 + descend(frames - 1);
    }
}
