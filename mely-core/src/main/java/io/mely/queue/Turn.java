// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

/**
 * The turn of the color that a core runs: how long it may go on past the batch threshold (ADR 0017), and what was paused, to go on when it is picked next. One
 * pause is enough: a turn that began with a lengthy event is only interrupted by brief ones (ADR 0023), and any other is over when something else comes.
 *
 * <p><b>Threads.</b> The owner of the core. <b>Units.</b> Of weight.
 */
final class Turn {
    /** Below whatever is left of another: pauses take from it. */
    private static final long OVER = Long.MIN_VALUE / 2;

    private long left;
    private boolean isLengthy;

    private int paused; // a color
    private long pausedLeft;
    private boolean isPausedLengthy;

    void begin(long mayRun, boolean withLengthy) {
        left = mayRun;
        isLengthy = withLengthy;
    }

    long left() {
        return left;
    }

    boolean isLengthy() {
        return isLengthy;
    }

    /** Nothing is left that was pending when it began. */
    void close() {
        left = OVER;
    }

    /** It goes on when its color is picked next. */
    void pause(int color, long ran) {
        paused = color;
        pausedLeft = left - ran;
        isPausedLengthy = isLengthy && pausedLeft > 0; // else a poll has cut its batch only, and whatever comes ends it
    }

    /** Of the last pause; {@link ColorIndex#NONE} if nothing is to go on. */
    int paused() {
        return paused;
    }

    void resume() {
        left = pausedLeft;
        isLengthy = isPausedLengthy;
        forgetPause();
    }

    void forgetPause() {
        paused = ColorIndex.NONE;
    }

    /** Whether the turn that has begun only comes in between. */
    boolean isInterruption() {
        return isPausedLengthy && !isLengthy;
    }

    /** A color comes from elsewhere, and nothing is known of it. */
    void end() {
        begin(OVER, false);
        forgetPause();
    }
}
