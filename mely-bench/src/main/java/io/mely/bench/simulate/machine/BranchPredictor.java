// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import org.objectweb.asm.Opcodes;

/**
 * What a core guesses of a branch: what it did when the last branches went as they have now. So loops of one length and alternations are learnt, and what
 * depends on random data is not.
 *
 * <p>A table of two-bit counters by branch and history; today's predictors are larger, and guess wrong in the same places. <b>Source.</b> S. McFarling,
 * Combining Branch Predictors, 1993 (gshare).
 */
final class BranchPredictor {
    private static final int HISTORY_BITS = 10;
    private static final int TABLE_BITS = 15;
    /** From here on a counter says that it is taken. */
    private static final int TAKEN = 2;

    private static final int MOST = 3;

    private final byte[] counters = new byte[1 << TABLE_BITS];
    private int history;

    /**
     * Guesses, and learns.
     *
     * @param branch any number of it
     * @param isTaken what it does
     * @return whether the guess was right
     */
    boolean guesses(int branch, boolean isTaken) {
        int at = ((branch * 0x9E3779B9) >>> (Integer.SIZE - TABLE_BITS)) ^ history;
        int counter = counters[at];
        history = ((history << 1) | (isTaken ? 1 : 0)) & ((1 << HISTORY_BITS) - 1);
        if (isTaken && counter < MOST) {
            counters[at]++;
        } else if (!isTaken && counter > 0) {
            counters[at]--;
        }
        return (counter >= TAKEN) == isTaken;
    }

    /** Whether a jump that compares two numbers is taken. */
    static boolean isTaken(int opcode, int left, int right) {
        return switch (opcode) {
            case Opcodes.IF_ICMPEQ -> left == right;
            case Opcodes.IF_ICMPNE -> left != right;
            case Opcodes.IF_ICMPLT -> left < right;
            case Opcodes.IF_ICMPGE -> left >= right;
            case Opcodes.IF_ICMPGT -> left > right;
            case Opcodes.IF_ICMPLE -> left <= right;
            default -> throw new IllegalArgumentException("no such jump: opcode=" + opcode);
        };
    }
}
