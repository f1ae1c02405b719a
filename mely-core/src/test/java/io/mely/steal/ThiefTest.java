// SPDX-License-Identifier: Apache-2.0
package io.mely.steal;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.FakeClock;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.profile.HandlerProfile;
import io.mely.queue.ColorQueue;
import io.mely.queue.CoreQueue;
import io.mely.queue.Cores;
import io.mely.queue.Lane;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// A thief takes one whole color from the first victim that has one which pays, under each switch alone; it leaves the
// only color of an
// idle victim alone, and takes any color of a stuck one. Long: a test for each rule of one method, steal.
class ThiefTest {
    private static final Stealing BASE = Stealing.base();
    private static final Stealing LOCALITY = new Stealing(true, true, false, false);
    private static final Stealing TIME_LEFT = new Stealing(true, false, true, false);
    private static final Stealing PENALTY = new Stealing(true, false, false, true);
    private static final int COST = 700; // the guess at distance 3

    private final FakeClock clock = new FakeClock();
    private Cores cores;
    private final Set<Integer> engaged = new HashSet<>();
    private StealCosts costs;
    private Loans loans;

    /** Core 0 is the thief; core 1 shares a cache with it, the others do not. */
    private Thief thief(Stealing stealing, int count) {
        int[][] distances = new int[count][count];
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                distances[from][to] = from == to ? 0 : from / 2 == to / 2 ? 3 : 5;
            }
        }
        costs = new StealCosts(new int[] {3, 5}, stealing);
        loans = new Loans(count);
        cores = new Cores(count, costs.intervals());
        return new Thief(0, cores.queues, engaged::contains, distances, stealing, costs, loans, cores.pool(0), clock);
    }

    private static HandlerProfile handler(Stealing stealing, long timeNs, int penalty) {
        return new HandlerProfile("h", new StageOptions(timeNs, penalty, 3, false), stealing);
    }

    private Lane ready(int core, HandlerProfile handler, int events) {
        return cores.ready(core, handler, events);
    }

    private Lane pick(int core) {
        return cores.pick(core);
    }

    /** What the thief gets. It runs at once, and the rest of a rescue with it. */
    private Lane steal(Thief thief) {
        ColorQueue color = thief.steal(true);
        if (color != null) {
            cores.runStolen(0, color, thief.isMarked());
            while (cores.runNext(0) != null) {
                cores.drain(0);
            }
        }
        return cores.of(color);
    }

    // ------------------------------------------------------------------ what a steal does

    @Test
    void steal_movesTheWholeColorHome_andCounts() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile handler = handler(Stealing.mely(), 2_000, 1);
        Lane first = ready(1, handler, 1);
        Lane loot = ready(1, handler, 5);
        pick(1);

        assertThat(thief.seesLoot()).isTrue();
        assertThat(thief.steal(true)).isSameAs(loot.queue());
        assertThat(thief.isMarked()).isFalse();
        assertThat(loot.home()).isZero();
        assertThat(loot.timeLeft()).isEqualTo(10_000);
        assertThat(thief.steals()).isEqualTo(1);
        assertThat(thief.attempts()).isEqualTo(1);
        assertThat(thief.rescues()).isZero();
        assertThat(thief.stolenTime()).isEqualTo(10_000);
        assertThat(first.home()).isEqualTo(1);
        assertThat(cores.queues[1].readyCount()).isZero();
        assertThat(thief.seesLoot()).isFalse();
    }

    @Test
    void steal_nothingToSteal_locksNobody() {
        Thief thief = thief(Stealing.mely(), 4);
        assertThat(steal(thief)).isNull();
        assertThat(thief.attempts()).isZero();
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
        assertThat(cores.queues[2].readyCount()).isEqualTo(1);
        assertThat(thief.attempts()).isEqualTo(1);
        cores.queues[1].unlock();
    }

    // The cost includes twice what a steal took by the clock, at its own distance.
    @Test
    void steal_isMeasured() {
        thief(Stealing.mely(), 2);
        int[][] distances = {{0, 3}, {3, 0}};
        Thief thief = new Thief(
                0, cores.queues, core -> false, distances, Stealing.mely(), costs, loans, cores.pool(0), this::tick);
        HandlerProfile handler = handler(Stealing.mely(), 50_000, 1);
        ready(1, handler, 1);
        ready(1, handler, 1);
        assertThat(steal(thief)).isNotNull();
        assertThat(thief.stealTimeNs()).isEqualTo(1_500);
        assertThat(costs.minLeft(3))
                .isEqualTo(962); // 700 and an eighth of what is above it in twice 1,500, cut at four times 700
    }

    @Test
    void steal_ofSeveral_isOneTrip() {
        thief(Stealing.mely(), 2);
        int[][] distances = {{0, 3}, {3, 0}};
        Thief thief = new Thief(
                0, cores.queues, core -> false, distances, Stealing.mely(), costs, loans, cores.pool(0), this::tick);
        HandlerProfile handler = handler(Stealing.mely(), 5_000, 1);
        for (int i = 0; i < 6; i++) {
            ready(1, handler, 1);
        }
        assertThat(thief.steal(true)).isNotNull();
        assertThat(thief.steals()).isEqualTo(3);
        assertThat(thief.attempts()).isEqualTo(1);
        assertThat(thief.rescues()).isZero();
        assertThat(thief.stolenTime()).isEqualTo(15_000);
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
        assertThat(thief.steal(true)).isNotNull();
        assertThat(thief.steals()).isEqualTo(1);
        assertThat(cores.queues[1].readyCount()).isEqualTo(5);
    }

    private long tick() {
        clock.advance(1_500);
        return clock.nanoTime();
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
        for (ColorQueue color = thief.steal(false); color == null; color = thief.steal(false)) {
            looks++;
            assertThat(looks).isLessThanOrEqualTo(4);
        }
        assertThat(looks).isEqualTo(4);
    }

    // Before a sleep, and between two.
    @Test
    void wholeLooks_findFarLoot() {
        Thief thief = farLoot();
        assertThat(thief.seesLoot()).isTrue();
        assertThat(thief.steal(true)).isNotNull();
    }

    @Test
    void calledThief_looksThereFirst() {
        Thief thief = farLoot();
        thief.calledTo(31);
        assertThat(thief.steal(false)).isNotNull();
        assertThat(thief.attempts()).isEqualTo(1);
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
        Thief thief = thief(BASE, 4);
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
        assertThat(thief.neighbours()).containsExactly(1, 2, 3);
    }

    @Test
    void timeLeft_onlyWhatOutlastsTheSteal_penaltyIgnored() {
        Thief thief = thief(TIME_LEFT, 2);
        ready(1, handler(TIME_LEFT, COST, 1), 1);
        ready(1, handler(TIME_LEFT, COST - 1, 1), 1);
        assertThat(thief.seesLoot()).isFalse();
        assertThat(steal(thief)).isNull();
        assertThat(thief.attempts()).as("looked at without a lock").isZero();
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

    /** Colors that no steal pays for, behind one that runs. */
    private void busyWithShorts(int core, int count) {
        readyShorts(core, count + 1, 10);
        pick(core);
    }

    private void readyShorts(int core, int count, long timeNs) {
        HandlerProfile tiny = handler(Stealing.mely(), timeNs, 1);
        for (int i = 0; i < count; i++) {
            ready(core, tiny, 1);
        }
    }

    private int steals(Thief thief) {
        long before = thief.steals();
        steal(thief);
        return (int) (thief.steals() - before);
    }

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
        assertThat(steals(thief)).isEqualTo(Thief.RESCUE_MAX);
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
        Stealing stealing = isBase ? BASE : Stealing.mely();
        Thief thief = thief(stealing, 2);
        ready(1, handler(stealing, 100, 1), 1);
        pick(1);
        Lane sent = cores.lane(1).sendOutside(handler(stealing, 50, 1), 1);
        cores.lane(1).sendOutside(handler(stealing, 50, 1), 2); // so that the first has less than half
        assertThat(steal(thief)).isNull();

        clock.advance(Thief.STALL_NS - 1);
        assertThat(steal(thief)).isSameAs(isBase ? sent : null);
        assertThat(cores.queues[1].hasInbox()).isEqualTo(!isBase);
        assertThat(thief.attempts()).isEqualTo(isBase ? 1 : 0);
        if (!isBase) {
            clock.advance(1);
            assertThat(steal(thief)).isSameAs(sent);
            assertThat(thief.rescues()).isEqualTo(2);
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

    // Short events of many colors, which no thief wants: to look again and again moves them to lists for nothing.
    @Test
    void inbox_whoseHintBroughtNothing_isLookedAtLessAndLessOften() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        pick(1);
        CoreQueue victim = cores.queues[1];
        List<Integer> looks = new ArrayList<>();
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < 2 * CoreQueue.DRAIN_MAX; i++) {
                cores.lane(1).sendOutside(handler(Stealing.mely(), 1, 1), 1);
            }
            victim.hintLongInbox();
            long before = thief.attempts();
            assertThat(steal(thief)).isNull();
            if (thief.attempts() != before) {
                looks.add(round);
            }
            victim.beginTurn(); // it is not stuck
            clock.advance(10_000);
        }
        assertThat(looks).containsExactly(0, 1, 2, 3, 4, 6, 10, 18, 34);
        assertThat(victim.vainHints()).isEqualTo(6);

        Lane sent = cores.lane(1).sendOutside(handler(Stealing.mely(), 50_000, 1), 1);
        clock.advance(1_000_000);
        while (victim.hasInbox()) {
            cores.drain(1);
        }
        assertThat(steal(thief)).as("by way of its owner").isSameAs(sent);
        assertThat(victim.vainHints()).isZero();
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

    // ------------------------------------------------------------------ marks

    @Test
    void steal_inboxDrainedToItsEnd_leavesNoMark() {
        Thief thief = thief(Stealing.mely(), 2);
        ready(1, handler(Stealing.mely(), 50_000, 1), 1).sendOutside(handler(Stealing.mely(), 1, 1), 5);
        ready(1, handler(Stealing.mely(), 100, 1), 1);
        assertThat(thief.steal(true)).isNotNull();
        assertThat(thief.isMarked()).isFalse();
        assertThat(thief.hasMarks()).isFalse();
    }

    // The owner may be stuck, and no other thief idle: what is sent to the stolen color must not wait for them.
    @Test
    void drainMarked_untilTheMarkIsPassed() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile handler = handler(Stealing.mely(), 50_000, 1);
        Lane loot = ready(1, handler, 1);
        ready(1, handler(Stealing.mely(), 100, 1), 1).sendOutside(handler, 2 * CoreQueue.DRAIN_MAX);
        loot.sendOutside(handler, 1);
        ColorQueue stolen = thief.steal(true);
        assertThat(cores.of(stolen)).isSameAs(loot);
        assertThat(thief.isMarked()).isTrue();
        assertThat(thief.hasMarks()).isTrue();
        assertThat(cores.runStolen(0, stolen, true)).containsExactly(0);
        loot.send(handler, 1);
        assertThat(cores.runNext(0)).as("held").isNull();

        thief.drainMarked();
        assertThat(thief.hasMarks()).as("one drain is not enough").isTrue();
        cores.queues[1].lock();
        thief.drainMarked();
        assertThat(thief.hasMarks()).as("it does not wait for the lock").isTrue();
        cores.queues[1].unlock();
        thief.drainMarked();
        assertThat(thief.hasMarks()).isFalse();
        cores.drain(0);
        assertThat(cores.pick(0)).isSameAs(loot);
        assertThat(cores.runAll(0)).containsExactly(1, 2);
    }

    @Test
    void hasMarks_drainedByAnother_noticesThat() {
        Thief thief = thief(Stealing.mely(), 2);
        HandlerProfile handler = handler(Stealing.mely(), 50_000, 1);
        ready(1, handler, 1);
        ready(1, handler(Stealing.mely(), 100, 1), 1).sendOutside(handler, CoreQueue.DRAIN_MAX + 1);
        assertThat(thief.steal(true)).isNotNull();
        assertThat(thief.hasMarks()).isTrue();
        cores.drain(1);
        thief.drainMarked();
        assertThat(thief.hasMarks()).isFalse();
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
        assertThat(clock.reads() - reads).isEqualTo(3);
        assertThat(thief.attempts()).isEqualTo(1);
    }
}
