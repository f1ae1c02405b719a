// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.FakeClock;
import io.mely.Stealing;
import io.mely.profile.HandlerProfile;
import io.mely.steal.Loans;
import io.mely.steal.StealCosts;
import io.mely.steal.Thief;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// What a thief finds in a short-queue: worthy colors behind short events at once, all others once the victim is stuck,
// and what it has lent when it is idle.
class ShortQueueThiefTest {
    private static final int[][] DISTANCES = {{0, 3}, {3, 0}};

    private final FakeClock clock = new FakeClock();
    private final StealCosts costs = new StealCosts(new int[] {3}, Stealing.mely());
    private final Cores cores = new Cores(2, costs.intervals(), true);
    private final Loans loans = new Loans(2);
    private final CoreQueue victim = cores.queues[1];
    private final HandlerProfile brief = Lane.handler(100);
    private final HandlerProfile lengthy = Lane.handler(50_000);
    private boolean isEngaged;
    private final Thief thief = thief(0);

    private Thief thief(int me) {
        return new Thief(
                me, cores.queues, core -> isEngaged, DISTANCES, Stealing.mely(), costs, loans, cores.pool(me), clock);
    }

    @AfterEach
    void validate() {
        cores.validate();
    }

    /** A color whose event runs on core 1, the first of a group with those of others. */
    private Lane runs(Lane... others) {
        Lane first = cores.lane(1);
        first.sendOutside(brief, 1);
        for (Lane other : others) {
            other.sendOutside(brief, 1);
        }
        assertThat(cores.claimShorts(1)).isTrue();
        assertThat(victim.nextShort()).isTrue();
        return first;
    }

    /** Looks for so many times 100 us; the colors taken. */
    private List<Lane> stealsWithin(int looks) {
        List<Lane> taken = new ArrayList<>();
        for (int i = 0; i < looks; i++) {
            ColorQueue stolen = thief.steal(true);
            if (stolen != null) {
                taken.add(cores.of(stolen));
                cores.runStolen(0, stolen, thief.isMarked());
                for (Lane more = cores.runNext(0); more != null; more = cores.runNext(0)) {
                    taken.add(more);
                }
            }
            clock.advance(100_000);
        }
        return taken;
    }

    private void ends() {
        assertThat(cores.runShorts(1)).isEmpty();
        cores.endShorts(1);
        cores.runRest(1);
    }

    @Test
    void restOfAGroup_isRescued_alsoIfMoreComesForTheColorThatRuns() {
        Lane second = cores.lane(1);
        Lane third = cores.lane(1);
        Lane first = runs(second, third);
        first.sendOutside(lengthy, 1);
        cores.drain(1);
        assertThat(victim.hasWorthy()).isTrue();
        assertThat(stealsWithin(10)).containsExactlyInAnyOrder(second, third);
        assertThat(victim.hasWorthy()).as("the color that runs is nobody's").isFalse();
        assertThat(victim.hasReady()).isFalse();
        ends();
        assertThat(first.home()).isEqualTo(1);
    }

    @Test
    void worthyColor_behindItsEventInAGroup_isStolenAtOnce() {
        Lane second = cores.lane(1);
        Lane first = runs(second);
        second.sendOutside(lengthy, 3);
        cores.drain(1);
        assertThat(stealsWithin(1)).containsExactly(second);
        ends();
        assertThat(first.home()).isEqualTo(1);
    }

    // As without a short-queue: what is in it counts for a plenty.
    @Test
    void lentColors_comeHome() {
        List<Lane> lanes = lent(64);
        for (int i = 0; i < 100; i++) {
            lanes.stream().filter(lane -> lane.home() == 1).forEach(Lane::sendOrShort);
            stealsWithin(3);
            while (cores.claimShorts(1)) {
                cores.runShorts(1);
                cores.endShorts(1);
            }
            cores.runRest(1);
        }
        assertThat(lanes).filteredOn(lane -> lane.home() == 0).hasSizeGreaterThan(lanes.size() / 2);
    }

    // Where short events run straight from the inbox, too; of few colors all have an event in the group that runs.
    @ParameterizedTest
    @ValueSource(ints = {64, 4})
    void lentColors_comeHome_fromTheInbox(int count) {
        List<Lane> lanes = lent(count);
        for (int i = 0; i < 100; i++) {
            for (Lane lane : lanes) {
                lane.sendOutside(brief, lane.home() == 1 ? 8 : 0);
            }
            while (cores.claimShorts(1)) {
                stealsWithin(1);
                cores.runShorts(1);
                cores.endShorts(1);
            }
            stealsWithin(1);
            cores.drain(1);
            cores.runRest(1);
        }
        assertThat(lanes).filteredOn(lane -> lane.home() == 0).hasSizeGreaterThan(count / 2);
    }

    /** Colors of core 0 that core 1 has rescued. */
    private List<Lane> lent(int count) {
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lanes.add(cores.lane(0).send(brief, 1));
        }
        isEngaged = true;
        Thief rescuer = thief(1);
        for (ColorQueue stolen = rescuer.steal(true); stolen != null; stolen = rescuer.steal(true)) {
            cores.runStolen(1, stolen, rescuer.isMarked());
            cores.runRest(1);
        }
        isEngaged = false;
        assertThat(lanes).allMatch(lane -> lane.home() == 1);
        return lanes;
    }
}
