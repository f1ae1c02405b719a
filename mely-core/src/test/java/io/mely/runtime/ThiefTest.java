// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Stealing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// A thief takes one whole color from the first victim that has one which pays, under each switch alone; it leaves the
// only color of an idle victim alone.
class ThiefTest extends ThiefSetup {
    private static final Stealing BASE = Stealing.base();
    private static final Stealing LOCALITY = new Stealing(true, true, false, false);
    private static final Stealing TIME_LEFT = new Stealing(true, false, true, false);
    private static final Stealing PENALTY = new Stealing(true, false, false, true);

    // ------------------------------------------------------------------ what a steal does

    @Test
    void steal_movesTheWholeColorHome_andCounts() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile handler = handler(Stealing.mely(), 2_000, 1);
        Lane first = ready(1, handler, 1);
        Lane loot = ready(1, handler, 5);
        pick(1);

        assertThat(thief.seesLoot()).isTrue();
        assertThat(take(thief)).isSameAs(loot.queue());
        assertThat(thief.until).isNegative();
        assertThat(loot.home()).isZero();
        assertThat(loot.timeLeft()).isEqualTo(10_000);
        assertThat(thief.steals).isEqualTo(1);
        assertThat(thief.attempts).isEqualTo(1);
        assertThat(thief.rescues).isZero();
        assertThat(thief.stolenTime).isEqualTo(10_000);
        assertThat(first.home()).isEqualTo(1);
        assertThat(cores.queues[1].ready.count()).isZero();
        assertThat(thief.seesLoot()).isFalse();
    }

    @Test
    void steal_nothingToSteal_locksNobody() {
        Thief thief = thief(Stealing.mely(), 4);
        assertThat(steal(thief)).isNull();
        assertThat(thief.attempts).isZero();
        assertThat(thief.seesLoot()).isFalse();
    }

    @Test
    void steal_ownQueue_isNoLoot() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(0, handler(Stealing.mely(), 50_000, 1), 1);
        ready(0, handler(Stealing.mely(), 50_000, 1), 1);
        assertThat(thief.seesLoot()).isFalse();
        assertThat(steal(thief)).isNull();
    }

    @Test
    void steal_victimIsLocked_goesOn() {
        Thief thief = thief(Stealing.mely(), 4);
        for (int core = 1; core <= 2; core++) {
            ready(core, handler(Stealing.mely(), 50_000, 1), 1);
            ready(core, handler(Stealing.mely(), 50_000, 1), 1);
        }
        cores.queues[1].lock();
        assertThat(steal(thief)).isNotNull();
        assertThat(cores.queues[2].ready.count()).isEqualTo(1);
        assertThat(thief.attempts).isEqualTo(1);
        cores.queues[1].unlock();
    }

    // The cost includes twice what a steal took by the clock, at its own distance.
    @Test
    void steal_isMeasured() {
        thief(Stealing.mely(), 2);
        int[][] distances = {{0, 3}, {3, 0}};
        Thief thief = new Thief(0, cores.queues, core -> false, distances, Stealing.mely(), costs, this::tick);
        HandlerProfile handler = handler(Stealing.mely(), 50_000, 1);
        ready(1, handler, 1);
        ready(1, handler, 1);
        assertThat(steal(thief)).isNotNull();
        assertThat(thief.stealTimeNs).isEqualTo(1_500);
        assertThat(costs.minLeft(3))
                .isEqualTo(962); // 700 and an eighth of what is above it in twice 1,500, cut at four times 700
    }

    @Test
    void steal_ofSeveral_isOneTrip() {
        thief(Stealing.mely(), 2);
        int[][] distances = {{0, 3}, {3, 0}};
        Thief thief = new Thief(0, cores.queues, core -> false, distances, Stealing.mely(), costs, this::tick);
        HandlerProfile handler = handler(Stealing.mely(), 5_000, 1);
        for (int i = 0; i < 6; i++) {
            ready(1, handler, 1);
        }
        assertThat(take(thief)).isNotNull();
        assertThat(thief.steals).isEqualTo(3);
        assertThat(thief.attempts).isEqualTo(1);
        assertThat(thief.rescues).isZero();
        assertThat(thief.stolenTime).isEqualTo(15_000);
        assertThat(costs.minLeft(3))
                .as("the first pays the trip: 700, and an eighth of what four times 700 has more")
                .isEqualTo(962);
    }

    @Test
    void steal_asTheReportHasIt_takesOne() {
        Thief thief = thief(TIME_LEFT, 2);
        HandlerProfile handler = handler(TIME_LEFT, 5_000, 1);
        for (int i = 0; i < 6; i++) {
            ready(1, handler, 1);
        }
        assertThat(take(thief)).isNotNull();
        assertThat(thief.steals).isEqualTo(1);
        assertThat(cores.queues[1].ready.count()).isEqualTo(5);
    }

    // ------------------------------------------------------------------ many victims

    /** A thief of 32 that sees a part of them at a time, and loot that is not among these at first. */
    private Thief farLoot() {
        Thief thief = thief(Stealing.mely(), 32);
        ready(31, handler(Stealing.mely(), 50_000, 1), 1);
        ready(31, handler(Stealing.mely(), 50_000, 1), 1);
        return thief;
    }

    @Test
    void looksInTurn_findFarLoot() {
        Thief thief = farLoot();
        int looks = 1;
        for (ColorQueue color = take(thief); color == null; color = take(thief)) {
            looks++;
            assertThat(looks).isLessThanOrEqualTo(4);
        }
        assertThat(looks).isEqualTo(4);
    }

    // Before a sleep: the next look goes there.
    @Test
    void wholeLook_findsFarLoot() {
        Thief thief = farLoot();
        assertThat(thief.seesLoot()).isTrue();
        assertThat(take(thief)).isNotNull();
    }

    @Test
    void calledThief_looksThereFirst() {
        Thief thief = farLoot();
        thief.order.turnTo(31);
        assertThat(take(thief)).isNotNull();
        assertThat(thief.attempts).isEqualTo(1);
    }

    // ------------------------------------------------------------------ the only color of an idle victim

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void steal_onlyColorOfAnIdleVictim_isLeftThere(boolean isThroughInbox) {
        for (Stealing stealing : new Stealing[] {Stealing.mely(), BASE, LOCALITY, TIME_LEFT, PENALTY}) {
            Thief thief = thief(stealing, 2);
            HandlerProfile handler = handler(stealing, 100_000, 1);
            Lane only = cores.lane(1);
            if (isThroughInbox) {
                only.sendOutside(handler, 1);
            } else {
                only.send(handler, 1);
            }
            assertThat(steal(thief)).as("%s", stealing).isNull();
            assertThat(only.home()).isEqualTo(1);
        }
    }

    @Test
    void steal_onlyReadyColorOfABusyVictim_isTaken() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        pick(1);
        Lane waiting = ready(1, handler(Stealing.mely(), 5_000, 1), 1);
        assertThat(steal(thief)).isSameAs(waiting);
    }

    // ------------------------------------------------------------------ each switch alone

    @Test
    void base_fromTheMostLoaded_firstColorBelowHalf_howeverShort() {
        Thief thief = thief(BASE.withColorsMax(1), 4);
        HandlerProfile tiny = handler(BASE, 1, 1_000);
        ready(1, tiny, 1);
        ready(1, tiny, 1);
        ready(3, tiny, 9);
        Lane second = ready(3, tiny, 2);
        Lane third = ready(3, tiny, 2);
        assertThat(steal(thief)).as("2 < 13 / 2, of core 3").isSameAs(second);
        assertThat(steal(thief)).isSameAs(third);
    }

    // Acceptance check 3, down to the last color that qualifies: A A A A B with A running has two colors, of which B is
    // the smaller.
    @Test
    void base_runningColorCountsAsOneOfTwo() {
        Thief thief = thief(BASE, 2);
        HandlerProfile one = handler(BASE, 1_000, 1);
        Lane a = ready(1, one, 4);
        Lane b = ready(1, one, 1);
        assertThat(pick(1)).isSameAs(a);
        assertThat(thief.seesLoot()).isTrue();
        assertThat(steal(thief)).isSameAs(b);
        assertThat(thief.seesLoot()).isFalse();
    }

    @Test
    void base_runningColorThatHoldsHalf_isNoLoot() {
        Thief thief = thief(BASE, 2);
        HandlerProfile one = handler(BASE, 1_000, 1);
        ready(1, one, 1);
        ready(1, one, 1);
        pick(1);
        assertThat(steal(thief)).as("1 is not < 2 / 2").isNull();
    }

    @Test
    void base_everyEventCountsTheSame() {
        Thief thief = thief(BASE, 2);
        Lane few = ready(1, handler(BASE, 1_000_000, 1), 1);
        ready(1, handler(BASE, 1, 1), 3);
        assertThat(steal(thief)).as("one long event against three short ones").isSameAs(few);
    }

    @Test
    void locality_theNearestVictim_notTheMostLoaded() {
        Thief thief = thief(LOCALITY, 4);
        HandlerProfile handler = handler(LOCALITY, 1, 1);
        for (int i = 0; i < 9; i++) {
            ready(3, handler, 1);
        }
        Lane near = ready(1, handler, 1);
        ready(1, handler, 3);
        assertThat(steal(thief)).isSameAs(near);
        assertThat(steal(thief))
                .as("one color left there")
                .satisfies(color -> assertThat(color.slot()).isZero());
        assertThat(thief.order.nearestFirst()).containsExactly(1, 2, 3);
    }

    @Test
    void timeLeft_onlyWhatOutlastsTheSteal_penaltyIgnored() {
        Thief thief = thief(TIME_LEFT, 2);
        ready(1, handler(TIME_LEFT, COST, 1), 1);
        ready(1, handler(TIME_LEFT, COST - 1, 1), 1);
        assertThat(thief.seesLoot()).isFalse();
        assertThat(steal(thief)).isNull();
        assertThat(thief.attempts).as("looked at without a lock").isZero();
        Lane worthy = ready(1, handler(TIME_LEFT, COST + 1, 1_000_000), 1);
        assertThat(steal(thief)).isSameAs(worthy);
    }

    @Test
    void timeLeft_aFarThiefNeedsMore() {
        Thief thief = thief(TIME_LEFT, 4);
        Lane small = ready(2, handler(TIME_LEFT, 1_200, 1), 1);
        ready(2, handler(TIME_LEFT, 1_200, 1), 1);
        assertThat(thief.seesLoot()).isTrue();
        assertThat(steal(thief)).as("1,200 <= 1,500, the cost across packages").isNull();
        small.send(handler(TIME_LEFT, 301, 1), 1);
        assertThat(steal(thief)).isSameAs(small);
    }

    @Test
    void penalty_dataThatWouldMoveIsLeft_timeIgnored() {
        Thief thief = thief(PENALTY, 2);
        Lane heavy = ready(1, handler(PENALTY, 9_000_000, 1_000), 500);
        ready(1, handler(PENALTY, 9_000_000, 1_000), 500);
        assertThat(steal(thief)).isNull();
        Lane light = ready(1, handler(PENALTY, 1, 1), 1);
        assertThat(steal(thief)).isSameAs(light);
        heavy.send(handler(PENALTY, 1, 1_000), 500);
        assertThat(steal(thief))
                .as("1,000 events of penalty 1,000 are worth one of penalty 1")
                .isSameAs(heavy);
    }

    @Test
    void mely_penaltyDividesTheTime() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 700_000, 1_000), 1);
        ready(1, handler(Stealing.mely(), 700_000, 1_000), 1);
        assertThat(steal(thief)).isNull();
        Lane light = ready(1, handler(Stealing.mely(), 1_000, 1), 1);
        assertThat(steal(thief)).isSameAs(light);
    }

    // ------------------------------------------------------------------ cost

    // Acceptance check 7: as many looks, locks and clock reads with 100,000 pending as with 10. That neither events nor
    // colors are walked along is in CoreQueueLootTest.
    @ParameterizedTest
    @ValueSource(ints = {10, 1_000, 100_000})
    void steal_costsTheSame_whateverIsPending(int pending) {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile handler = handler(Stealing.mely(), 2_000, 1);
        ready(1, handler, pending);
        Lane loot = ready(1, handler, pending);
        for (int i = 0; i < pending; i++) {
            ready(1, handler, 1);
        }
        pick(1);
        long reads = clock.reads();
        assertThat(steal(thief)).isSameAs(loot);
        assertThat(clock.reads() - reads).isEqualTo(2);
        assertThat(thief.attempts).isEqualTo(1);
    }
}
