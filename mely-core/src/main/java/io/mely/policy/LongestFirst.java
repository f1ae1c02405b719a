// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

/**
 * The stage at which most lanes wait; of equal ones the one that was made first.
 *
 * <p><b>Source.</b> spec: stages §3.6. Sandstorm sorts the stages, and goes through them before it sorts again; here each choice is a new one.
 */
final class LongestFirst implements VisitOrder {
    @Override
    public int next(Stages stages, Visit last) {
        int longest = 0;
        int most = 0;
        for (int i = 0; i < stages.count(); i++) {
            int waiting = stages.waiting(i);
            if (waiting > most) {
                longest = i;
                most = waiting;
            }
        }
        return longest;
    }
}
