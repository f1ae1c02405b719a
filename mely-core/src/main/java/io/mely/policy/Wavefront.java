// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

/**
 * Forward through the stages and back again. It begins by moving, and each end is visited twice at the turn: of four stages 1 2 3 3 2 1 0 0 1.
 *
 * <p><b>Source.</b> spec: stages §4.
 */
final class Wavefront implements VisitOrder {
    private int at;
    private int step = 1;

    @Override
    public int next(Stages stages, Visit last) {
        int next = at + step;
        if (next < 0 || next >= stages.count()) {
            step = -step;
        } else {
            at = next;
        }
        return at;
    }
}
