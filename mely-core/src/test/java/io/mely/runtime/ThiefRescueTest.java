// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Stealing;
import org.junit.jupiter.api.Test;

// From a core that says that it is engaged in a long handler any color is taken, whether a steal pays or not.
class ThiefRescueTest extends ThiefSetup {
    // What pays goes first; then the short ones, several at a time, in the order in which the victim would run them.
    @Test
    void rescue_worthyFirst_thenSeveralAtOnce() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile tiny = handler(Stealing.mely(), 10, 1);
        ready(1, tiny, 1);
        Lane[] waiting = new Lane[2 * Thief.RESCUE_MAX + 2];
        for (int i = 0; i < waiting.length; i++) {
            waiting[i] = ready(1, tiny, 1);
        }
        pick(1); // and its handler does not return
        Lane worthy = ready(1, handler(Stealing.mely(), 50_000, 1), 1);
        assertThat(steal(thief)).isSameAs(worthy);
        assertThat(steal(thief)).as("the others do not pay").isNull();
        assertThat(thief.rescues).isZero();

        engaged.add(1);
        ColorQueue first = take(thief);
        assertThat(cores.of(first)).isSameAs(waiting[0]);
        assertThat(thief.rescues).isEqualTo(Thief.RESCUE_MAX);
        assertThat(thief.steals).isEqualTo(1 + Thief.RESCUE_MAX);
        assertThat(thief.stolenTime).isEqualTo(50_000 + Thief.RESCUE_MAX * (10 / 8));
        assertThat(cores.queues[1].ready.count()).isEqualTo(Thief.RESCUE_MAX + 2);
        cores.runStolen(0, first, thief.until >= 0);
        for (int i = 1; i < Thief.RESCUE_MAX; i++) {
            assertThat(cores.runNext(0)).isSameAs(waiting[i]);
        }
        assertThat(cores.runNext(0)).isNull();
        assertThat(steal(thief)).isSameAs(waiting[Thief.RESCUE_MAX]);
    }

    // Who says so before a handler known to be long is stuck as soon as it has begun: in the queue and in the inbox,
    // however short.
    @Test
    void rescue_fromAnEngagedCore_atOnce() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile brief = handler(Stealing.mely(), 1, 1);
        ready(1, handler(Stealing.mely(), 100_000, 1), 1);
        pick(1);
        engaged.add(1);
        assertThat(thief.seesLoot()).as("nothing waits").isFalse();
        assertThat(steal(thief)).isNull();

        Lane queued = ready(1, brief, 1);
        engaged.clear();
        assertThat(thief.seesLoot()).isFalse();
        assertThat(steal(thief)).isNull();
        engaged.add(1);
        assertThat(thief.seesLoot()).isTrue();
        assertThat(steal(thief)).isSameAs(queued);
        assertThat(thief.rescues).isEqualTo(1);

        Lane handedIn = cores.lane(1).sendOutside(brief, 1);
        assertThat(thief.seesLoot()).isTrue();
        assertThat(steal(thief)).isSameAs(handedIn);
        assertThat(thief.rescues).isEqualTo(2);
        assertThat(thief.seesLoot()).isFalse();
    }

    // A core that lost its CPU has work of both kinds: what pays is taken first, the short ones are not forgotten over
    // it.
    @Test
    void rescue_besideLoot_isNotPutOff() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile tiny = handler(Stealing.mely(), 10, 1);
        ready(1, tiny, 1);
        Lane waiting = ready(1, tiny, 1);
        pick(1); // and its handler does not return
        assertThat(steal(thief)).isNull();
        engaged.add(1);
        Lane loot = ready(1, handler(Stealing.mely(), 50_000, 1), 1);
        assertThat(steal(thief)).isSameAs(loot);
        assertThat(steal(thief)).isSameAs(waiting);
    }
}
