// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Stealing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// What was sent to a core and not moved yet: when a thief drains it, and what it leaves behind there for colors that
// have
// left.
class ThiefInboxTest extends ThiefSetup {
    // ------------------------------------------------------------------ inbox

    // What was sent to a core that is busy for longer than a wake-up takes is visible to thieves at once.
    @Test
    void inbox_isDrainedByTheThief_onceTheOwnerTakesLong() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        pick(1);
        Lane sent = cores.lane(1).sendOutside(handler(Stealing.mely(), 50_000, 1), 1);

        assertThat(steal(thief)).as("the owner will do it itself").isNull();
        clock.advance(10_000);
        assertThat(steal(thief)).isSameAs(sent);
        assertThat(thief.rescues()).isZero();
        assertThat(cores.queues[1].hasInbox()).isFalse();
    }

    // What begins with something too short to be taken is not drained for nothing, before the owner is stuck. Base
    // stealing takes it.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inbox_ofShortEvents_isLeftToTheOwner(boolean isBase) {
        Stealing stealing = isBase ? Stealing.base() : Stealing.mely();
        Thief thief = thief(stealing, 2);
        ready(1, handler(stealing, 100, 1), 1);
        pick(1);
        Lane sent = cores.lane(1).sendOutside(handler(stealing, 50, 1), 1);
        cores.lane(1).sendOutside(handler(stealing, 50, 1), 2); // so that the first has less than half
        assertThat(steal(thief)).isNull();

        clock.advance(Thief.STALL_NS - 1);
        assertThat(steal(thief)).isSameAs(isBase ? sent : null);
        assertThat(cores.queues[1].hasInbox()).as("it is moved all the same").isFalse();
        if (!isBase) {
            clock.advance(1);
            assertThat(steal(thief)).isSameAs(sent);
            assertThat(thief.rescues()).as("half of them").isEqualTo(1);
        }
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
        assertThat(steal(thief)).isNull();
        clock.advance(Thief.STALL_NS - 1);
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
        cores.queues[1].hintLongInbox();

        assertThat(thief.seesLoot()).isTrue();
        assertThat(steal(thief)).isSameAs(sent);
        assertThat(thief.seesLoot()).isFalse();
        assertThat(cores.queues[1].hasLongInbox()).isFalse();
    }

    @Test
    void inbox_longerThanOneDrain_keepsItsHint() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        pick(1);
        for (int i = 0; i < CoreQueue.DRAIN_MAX; i++) {
            cores.lane(1).sendOutside(handler(Stealing.mely(), 1, 1), 1);
        }
        Lane sent = cores.lane(1).sendOutside(handler(Stealing.mely(), 50_000, 1), 1);
        cores.queues[1].hintLongInbox();

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
        assertThat(thief.steal(true)).isNotNull();
        assertThat(thief.until()).isNegative();
        assertThat(thief.hasLeft()).isFalse();
    }

    // The owner may be stuck, and no other thief idle: what is sent to the stolen color must not wait for them.
    @Test
    void drainLeft_untilItIsDrained() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile handler = handler(Stealing.mely(), 50_000, 1);
        Lane loot = ready(1, handler, 1);
        ready(1, handler(Stealing.mely(), 100, 1), 1).sendOutside(handler, 2 * CoreQueue.DRAIN_MAX);
        loot.sendOutside(handler, 1);
        ColorQueue stolen = thief.steal(true);
        assertThat(cores.of(stolen)).isSameAs(loot);
        assertThat(thief.until()).isPositive();
        assertThat(thief.hasLeft()).isTrue();
        assertThat(cores.runStolen(0, stolen, true)).containsExactly(0);
        loot.send(handler, 1);
        assertThat(cores.runNext(0)).as("held").isNull();

        thief.drainLeft();
        assertThat(thief.hasLeft()).as("one drain is not enough").isTrue();
        cores.queues[1].lock();
        thief.drainLeft();
        assertThat(thief.hasLeft()).as("it does not wait for the lock").isTrue();
        cores.queues[1].unlock();
        thief.drainLeft();
        assertThat(thief.hasLeft()).isFalse();
        cores.drain(0);
        assertThat(cores.pick(0)).isSameAs(loot);
        assertThat(cores.runAll(0)).containsExactly(1, 2);
    }

    @Test
    void hasLeft_drainedByAnother_noticesThat() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile handler = handler(Stealing.mely(), 50_000, 1);
        ready(1, handler, 1);
        ready(1, handler(Stealing.mely(), 100, 1), 1).sendOutside(handler, CoreQueue.DRAIN_MAX + 1);
        assertThat(thief.steal(true)).isNotNull();
        assertThat(thief.hasLeft()).isTrue();
        cores.drain(1);
        thief.drainLeft();
        assertThat(thief.hasLeft()).isFalse();
    }
}
