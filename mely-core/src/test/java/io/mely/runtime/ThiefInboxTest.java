// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Stealing;
import org.junit.jupiter.api.Test;

// What was sent to a core and not moved yet: when a thief drains it.
class ThiefInboxTest extends ThiefSetup {
    // ------------------------------------------------------------------ inbox

    // What is too short to be taken is not drained for nothing.
    @Test
    void inbox_ofShortEvents_isLeftToTheOwner() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        pick(1);
        cores.lane(1).sendOutside(handler(Stealing.mely(), 50, 1), 1);
        assertThat(steal(thief)).isNull();
        assertThat(cores.queues[1].inbox.isEmpty()).isFalse();
    }

    // Without time-left the weight of what is first says nothing about its length, nor about what is behind it.
    @Test
    void inbox_penaltyAlone_isDrainedWhateverIsFirst() {
        Stealing penalty = new Stealing(true, false, false, true);
        Thief thief = thief(penalty, 2);
        ready(1, handler(penalty, 100, 1), 1);
        pick(1);
        cores.lane(1).sendOutside(handler(penalty, 100, 1_000), 1);
        Lane free = cores.lane(1).sendOutside(handler(penalty, 100, 1), 1);
        cores.queues[1].arrivals.hintLong();
        assertThat(steal(thief)).isSameAs(free);
    }

    // Else a thief that was woken for it would find nothing and sleep again.
    @Test
    void inbox_withSomethingLong_isDrainedAtOnce() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        pick(1);
        Lane sent = cores.lane(1).sendOutside(handler(Stealing.mely(), 50_000, 1), 1);
        assertThat(thief.seesLoot()).isFalse();
        cores.queues[1].arrivals.hintLong();

        assertThat(thief.seesLoot()).isTrue();
        assertThat(steal(thief)).isSameAs(sent);
        assertThat(thief.seesLoot()).isFalse();
        assertThat(cores.queues[1].arrivals.hasLong()).isFalse();
    }

    @Test
    void inbox_longerThanOneDrain_keepsItsHint() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        pick(1);
        for (int i = 0; i < Arrivals.DRAIN_MAX; i++) {
            cores.lane(1).sendOutside(handler(Stealing.mely(), 1, 1), 1);
        }
        Lane sent = cores.lane(1).sendOutside(handler(Stealing.mely(), 50_000, 1), 1);
        cores.queues[1].arrivals.hintLong();

        assertThat(steal(thief)).as("behind a whole drain").isNull();
        assertThat(thief.seesLoot()).isTrue();
        assertThat(steal(thief)).isSameAs(sent);
    }

    // ------------------------------------------------------------------ what is left in old inboxes

    @Test
    void steal_inboxDrainedToItsEnd_leavesNothing() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 50_000, 1), 1).sendOutside(handler(Stealing.mely(), 1, 1), 5);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        assertThat(take(thief)).isNotNull();
        assertThat(thief.until).isNegative();
    }
}
