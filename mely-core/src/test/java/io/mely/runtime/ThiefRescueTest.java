// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Stealing;
import org.junit.jupiter.api.Test;

// A stuck core is relieved of any color, soon, but later where that did not pay; what was taken so is owed, and taken
// back when there is plenty of it and nothing else to do.
class ThiefRescueTest extends ThiefSetup {
    // ------------------------------------------------------------------ rescue

    @Test
    void rescue_onlyAfterAWhileInTheSameTurn() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile tiny = handler(Stealing.mely(), 10, 1);
        ready(1, tiny, 1);
        Lane waiting = ready(1, tiny, 1);
        pick(1); // and its handler does not return

        assertThat(steal(thief)).isNull();
        clock.advance(Thief.STALL_NS - 1);
        assertThat(steal(thief)).isNull();
        clock.advance(1);
        assertThat(steal(thief)).isSameAs(waiting);
        assertThat(thief.rescues()).isEqualTo(1);
        assertThat(thief.steals()).isEqualTo(1);
        assertThat(steal(thief)).as("nothing is left but what runs").isNull();
    }

    // What pays goes first; then the short ones, several at a time, in the order in which the victim would run them.
    @Test
    void rescue_worthyFirst_thenSeveralAtOnce() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile tiny = handler(Stealing.mely(), 10, 1);
        ready(1, tiny, 1);
        Lane[] waiting = new Lane[Thief.RESCUE_MAX + 2];
        for (int i = 0; i < waiting.length; i++) {
            waiting[i] = ready(1, tiny, 1);
        }
        pick(1); // and its handler does not return
        Lane worthy = ready(1, handler(Stealing.mely(), 50_000, 1), 1);
        assertThat(steal(thief)).isSameAs(worthy);
        clock.advance(Thief.STALL_NS);
        assertThat(thief.rescues()).isZero();

        ColorQueue first = thief.steal(true);
        assertThat(cores.of(first)).isSameAs(waiting[0]);
        assertThat(thief.rescues()).isEqualTo(Thief.RESCUE_MAX);
        assertThat(thief.steals()).isEqualTo(1 + Thief.RESCUE_MAX);
        assertThat(thief.stolenTime()).isEqualTo(50_000 + 10 * Thief.RESCUE_MAX);
        assertThat(cores.queues[1].readyCount()).isEqualTo(2);
        cores.runStolen(0, first, thief.isMarked());
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
        assertThat(thief.rescues()).isEqualTo(1);

        Lane handedIn = cores.lane(1).sendOutside(brief, 1);
        assertThat(thief.seesLoot()).isTrue();
        assertThat(steal(thief)).isSameAs(handedIn);
        assertThat(thief.rescues()).isEqualTo(2);
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
        clock.advance(Thief.STALL_NS);
        Lane loot = ready(1, handler(Stealing.mely(), 50_000, 1), 1);
        assertThat(steal(thief)).isSameAs(loot);
        assertThat(steal(thief)).isSameAs(waiting);
    }

    @Test
    void rescue_aNewTurn_startsTheTimeAnew() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile tiny = handler(Stealing.mely(), 10, 1);
        ready(1, tiny, 20);
        ready(1, tiny, 20);
        pick(1);
        for (int i = 0; i < 10; i++) {
            assertThat(steal(thief)).isNull();
            clock.advance(Thief.STALL_NS - 1);
            assertThat(steal(thief)).isNull();
            cores.runOne(1);
            cores.end(1);
            pick(1);
        }
        assertThat(thief.rescues()).isZero();
    }

    // Two steals take longer than 16 events of 150 ns: more of those are moved only if the core is stuck for longer, or
    // after a while.
    @Test
    void rescue_thatBroughtLessThanItCost_comesLaterForAWhile() {
        Thief thief = thiefWithTicks();
        readyShorts(1, 3 * Thief.RESCUE_MAX + 1, 150);
        pick(1);
        assertThat(stealsOnceStuck(thief)).isEqualTo(Thief.RESCUE_MAX);

        busyWithShorts(2, Thief.RESCUE_MAX);
        assertThat(stealsOnceStuck(thief)).as("another victim").isEqualTo(Thief.RESCUE_MAX);

        clock.advance(Thief.STALL_CHEAP_NS - 3 * Thief.STALL_NS);
        assertThat(steals(thief)).as("known to be cheap").isZero();
        clock.advance(Thief.STALL_NS);
        assertThat(steals(thief)).as("stuck for longer").isEqualTo(Thief.RESCUE_MAX);

        beginTurn(1);
        assertThat(stealsOnceStuck(thief)).as("cheap still").isZero();
        beginTurn(1);
        clock.advance(Thief.CHEAP_FOR_NS);
        assertThat(stealsOnceStuck(thief)).as("tried again").isEqualTo(Thief.RESCUE_MAX - 2);
    }

    // As 16 events of 500 ns do.
    @Test
    void rescue_thatPaid_comesSoonAgain() {
        Thief thief = thiefWithTicks();
        readyShorts(1, 2 * Thief.RESCUE_MAX + 2, 500);
        pick(1);
        assertThat(stealsOnceStuck(thief)).isEqualTo(Thief.RESCUE_MAX);
        beginTurn(1);
        assertThat(stealsOnceStuck(thief)).isEqualTo(Thief.RESCUE_MAX);
    }

    // One color is no burden: it is rescued as soon as ever.
    @Test
    void rescue_ofFew_isNeverPutOff() {
        Thief thief = thiefWithTicks();
        readyShorts(1, 4, 10);
        pick(1);
        assertThat(stealsOnceStuck(thief)).isEqualTo(3);
        readyShorts(1, 2, 10);
        beginTurn(1);
        assertThat(stealsOnceStuck(thief)).isEqualTo(1);
    }

    /** Those of a look that finds the victim in its turn for so long, after one that saw the turn begin. */
    private int stealsOnceStuck(Thief thief) {
        assertThat(steals(thief)).isZero();
        clock.advance(Thief.STALL_NS);
        return steals(thief);
    }

    private void beginTurn(int core) {
        cores.runOne(core);
        cores.end(core);
        pick(core);
    }

    /** At core 0 of four, with a clock by which a steal takes 1,500 ns. */
    private Thief thiefWithTicks() {
        thief(Stealing.mely(), 4);
        int[][] distances = new int[4][4];
        for (int[] row : distances) {
            java.util.Arrays.fill(row, 3);
        }
        return new Thief(
                0,
                cores.queues,
                engaged::contains,
                distances,
                Stealing.mely(),
                costs,
                loans,
                cores.pool(0),
                this::tick);
    }

    // A core that was seen idle for long is not stuck when work arrives.
    @Test
    void rescue_timeWithoutWork_doesNotCount() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile tiny = handler(Stealing.mely(), 10, 1);
        assertThat(steal(thief)).isNull();
        clock.advance(10 * Thief.STALL_NS);
        ready(1, tiny, 1);
        ready(1, tiny, 1);
        assertThat(steal(thief)).isNull();
    }

    // ------------------------------------------------------------------ taking back

    // As many as were taken, not all at once, and no more.
    @Test
    void takeBack_asManyAsWereTaken() {
        Thief thief = thief(Stealing.mely(), 2);
        busyWithShorts(1, 100);
        clock.advance(Thief.BACK_INTERVAL_NS - 1);
        assertThat(steals(thief)).as("nothing was taken").isZero();

        loans.took(1, 0, 20);
        loans.took(0, 1, 2);
        assertThat(steals(thief)).as("too soon").isZero();
        clock.advance(1);
        assertThat(steals(thief)).isEqualTo(Thief.RESCUE_MAX);
        assertThat(steals(thief)).as("too soon").isZero();
        clock.advance(Thief.BACK_INTERVAL_NS - 1);
        assertThat(steals(thief)).isZero();
        cores.runOne(1);
        cores.end(1);
        pick(1); // a new turn: not stuck
        clock.advance(1);
        assertThat(steals(thief)).isEqualTo(2);
        clock.advance(Thief.STALL_NS - 2);
        assertThat(steals(thief)).as("all are back").isZero();
        assertThat(loans.owed(0, 1)).isZero();
        assertThat(thief.rescues()).as("they do not pay").isEqualTo(18);
    }

    @Test
    void takeBack_whoHasFewKeepsThem() {
        Thief thief = thief(Stealing.mely(), 2);
        busyWithShorts(1, Thief.RESCUE_MAX - 1);
        loans.took(1, 0, 20);
        clock.advance(Thief.BACK_INTERVAL_NS);
        assertThat(steals(thief)).isZero();
        ready(1, handler(Stealing.mely(), 10, 1), 1);
        clock.advance(Thief.BACK_LOOK_NS - 1);
        assertThat(steals(thief)).as("it has just looked").isZero();
        clock.advance(1);
        assertThat(steals(thief)).isEqualTo(Thief.RESCUE_MAX);
    }

    // Where short events run straight from the inbox, nothing else ever waits in plenty.
    @Test
    void takeBack_fromTheInbox() {
        Thief thief = thief(Stealing.mely(), 2);
        busyWithShorts(1, 0);
        HandlerProfile tiny = handler(Stealing.mely(), 10, 1);
        for (int i = 0; i < Thief.RESCUE_MAX - 1; i++) {
            cores.lane(1).sendOutside(tiny, 1);
        }
        loans.took(1, 0, 3);
        clock.advance(Thief.BACK_INTERVAL_NS);
        assertThat(stealsInTwoLooks(thief)).as("too few wait").isZero();
        assertThat(thief.attempts()).isZero();
        cores.lane(1).sendOutside(tiny, 1);
        clock.advance(Thief.BACK_LOOK_NS);
        assertThat(stealsInTwoLooks(thief)).isEqualTo(3);
        assertThat(loans.owed(0, 1)).isZero();
    }

    // Nobody can take the color that runs, however much of it waits.
    @Test
    void takeBack_inVain_isTriedLessAndLess() {
        Thief thief = thief(Stealing.mely(), 2);
        Lane hot = hotOn(1);
        loans.took(1, 0, 2);
        long waitNs = Thief.BACK_INTERVAL_NS;
        long vainNs = Thief.BACK_LOOK_NS;
        for (int tries = 1; tries <= 12; tries++) {
            waitsIn(hot);
            clock.advance(waitNs - 1);
            assertThat(stealsInTwoLooks(thief)).isZero();
            assertThat(thief.attempts()).as("too soon").isEqualTo(tries - 1);
            clock.advance(1);
            assertThat(stealsInTwoLooks(thief)).isZero();
            assertThat(thief.attempts()).as("tries").isEqualTo(tries);
            waitNs = vainNs;
            vainNs = Math.min(Thief.BACK_VAIN_NS_MAX, 2 * vainNs);
        }
        assertThat(waitNs).isEqualTo(Thief.BACK_VAIN_NS_MAX);

        readyShorts(1, 1, 10);
        waitsIn(hot);
        clock.advance(waitNs);
        assertThat(stealsInTwoLooks(thief)).as("something else waits now").isEqualTo(1);
        assertThat(loans.owed(0, 1)).isEqualTo(1);

        waitsIn(hot);
        clock.advance(Thief.BACK_INTERVAL_NS);
        int before = (int) thief.attempts();
        assertThat(stealsInTwoLooks(thief)).isZero();
        waitsIn(hot);
        clock.advance(Thief.BACK_LOOK_NS);
        assertThat(stealsInTwoLooks(thief)).isZero();
        assertThat(thief.attempts()).as("soon again").isEqualTo(before + 2);
    }

    // Who has nothing to give does not keep others from giving.
    @Test
    void takeBack_eachHolderHasItsOwnTime() {
        Thief thief = thief(Stealing.mely(), 3);
        Lane hot = hotOn(1);
        busyWithShorts(2, 100);
        loans.took(1, 0, 1);
        clock.advance(Thief.BACK_INTERVAL_NS);
        waitsIn(hot);
        assertThat(stealsInTwoLooks(thief)).isZero();
        assertThat(thief.attempts()).as("in vain").isEqualTo(1);
        loans.took(2, 0, 4);
        assertThat(steals(thief)).isEqualTo(4);
        assertThat(loans.owed(0, 2)).isZero();
        assertThat(loans.owed(0, 1)).isEqualTo(1);
    }

    /** A color that runs all the time. */
    private Lane hotOn(int core) {
        Lane hot = ready(core, handler(Stealing.mely(), 10, 1), 1);
        pick(core);
        return hot;
    }

    /** As much waits in the inbox for a color as makes a holder worth a try. */
    private void waitsIn(Lane color) {
        color.sendOutside(handler(Stealing.mely(), 10, 1), Thief.RESCUE_MAX);
    }

    /** In a new turn of the victim, which is not stuck; its inbox counts from the second on. */
    private int stealsInTwoLooks(Thief thief) {
        cores.queues[1].beginTurn();
        return steals(thief) + steals(thief);
    }

    // The lock of a core that works, and its inbox, are left alone for nothing.
    @Test
    void takeBack_whoOwesDoesNotTry() {
        Thief thief = thief(Stealing.mely(), 2);
        busyWithShorts(1, 100);
        loans.took(0, 1, 20);
        clock.advance(Thief.BACK_INTERVAL_NS);
        assertThat(steals(thief)).isZero();
        assertThat(thief.attempts()).isZero();
    }

    // A rescue is noted for its victim, which may take it back: from this core only.
    @Test
    void rescue_isOwed() {
        Thief thief = thief(Stealing.mely(), 4);
        busyWithShorts(1, 5);
        engaged.add(1);
        assertThat(steals(thief)).isEqualTo(5);
        assertThat(loans.owed(1, 0)).isEqualTo(5);
        assertThat(loans.owed(0, 1)).isEqualTo(-5);
        assertThat(loans.owed(1, 2)).isZero();
    }

    // Loot goes to where there is room for it, and has no way back.
    @Test
    void steal_isNotOwed() {
        Thief thief = thief(Stealing.mely(), 2);
        busyWithShorts(1, 5);
        ready(1, handler(Stealing.mely(), 50_000, 1), 1);
        assertThat(steals(thief)).isEqualTo(1);
        assertThat(loans.owed(1, 0)).isZero();
    }
}
