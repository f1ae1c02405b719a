// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Seed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Pools hand out each record to one holder at a time and lose none on the way between threads; and never more credits
// than the bound.
class RecordPoolTest {
    private static final int CHAIN = RecordDepot.CHAIN;

    private static List<EventRecord> take(RecordPool pool, int count) {
        List<EventRecord> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(pool.take());
        }
        return taken;
    }

    /** With their credits. */
    private static void give(RecordPool pool, List<EventRecord> records) {
        for (EventRecord record : records) {
            assertThat(pool.takeCredit()).isTrue();
            pool.give(record);
        }
    }

    private static Set<EventRecord> distinct(List<EventRecord> records) {
        Set<EventRecord> set = Collections.newSetFromMap(new IdentityHashMap<>());
        set.addAll(records);
        return set;
    }

    private static int takeAllCredits(RecordPool pool) {
        int taken = 0;
        while (pool.takeCredit()) {
            taken++;
        }
        return taken;
    }

    // ------------------------------------------------------------------ credits

    // The bound is rounded up to whole chains, of which there are at least two; what a pool may hold back comes on top.
    @ParameterizedTest
    @CsvSource({"1, 144", "128, 144", "129, 208", "1024, 1040", "1025, 1104"})
    void takeCredit_stopsAtTheBound(int pendingMax, int expected) {
        RecordPool pool = new RecordPool(new RecordDepot(pendingMax));
        assertThat(takeAllCredits(pool)).isEqualTo(expected);
        assertThat(pool.takeCredit()).isFalse();
        assertThat(pool.hasCredit()).isFalse();
        assertThat(pool.hasRecord()).as("records are not bounded").isTrue();
    }

    @Test
    void hasCredit_theNextTakeSucceeds() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        int taken = 0;
        while (pool.hasCredit()) {
            assertThat(pool.takeCredit()).isTrue();
            taken++;
        }
        assertThat(taken).isEqualTo(144);
    }

    @Test
    void giveCredit_makesRoomAgain() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        takeAllCredits(pool);
        pool.giveCredit();
        assertThat(pool.takeCredit()).isTrue();
        assertThat(pool.takeCredit()).isFalse();
    }

    // An event gives its credit back, whether its record is pooled or its color's own.
    @Test
    void give_returnsTheCredit() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        int bound = takeAllCredits(pool);
        ColorQueue color = new ColorQueue(1, 0);
        for (int i = 0; i < bound; i++) {
            pool.give(i % 2 == 0 ? color : pool.take());
        }
        assertThat(takeAllCredits(pool)).isEqualTo(bound);
    }

    // A pool keeps 64 credits at most: what it is given beyond that goes to the depot, where another thread finds it.
    @Test
    void giveCredit_beyondWhatAPoolKeeps_isForOthers() {
        RecordDepot depot = new RecordDepot(256);
        RecordPool filling = new RecordPool(depot);
        RecordPool dry = new RecordPool(depot);
        int bound = takeAllCredits(filling);
        assertThat(bound).isEqualTo(256 + 2 * depot.keepsMax());
        assertThat(dry.takeCredit()).isFalse();
        for (int i = 0; i < depot.keepsMax(); i++) {
            filling.giveCredit();
        }
        assertThat(dry.takeCredit()).as("these stay").isFalse();
        for (int i = depot.keepsMax(); i < bound; i++) {
            filling.giveCredit();
        }
        assertThat(takeAllCredits(dry)).isGreaterThanOrEqualTo(256);
    }

    // Threads that sit on credits do not make another one starve: the bound is on what is outside of pools.
    @Test
    void takeCredit_othersHoldAllTheyMay_stillGetsTheWholeBound() {
        RecordDepot depot = new RecordDepot(256);
        for (int i = 0; i < 10; i++) {
            RecordPool idle = new RecordPool(depot);
            for (int j = 0; j < 100; j++) {
                assertThat(idle.takeCredit()).isTrue();
            }
            for (int j = 0; j < 100; j++) {
                idle.giveCredit();
            }
        }
        assertThat(takeAllCredits(new RecordPool(depot))).isGreaterThanOrEqualTo(256);
    }

    @Test
    void credits_aroundTheEdge_stayLocal() {
        RecordDepot depot = new RecordDepot(128);
        RecordPool pool = new RecordPool(depot);
        RecordPool other = new RecordPool(depot);
        assertThat(pool.takeCredit()).isTrue();
        pool.giveCredit();
        assertThat(takeAllCredits(other)).isPositive();
        for (int i = 0; i < 1_000; i++) {
            assertThat(pool.takeCredit()).isTrue();
            pool.giveCredit();
            assertThat(other.takeCredit()).as("nothing came back").isFalse();
        }
    }

    // ------------------------------------------------------------------ records

    @Test
    void take_givesUnlinkedRecords_eachOnce() {
        RecordPool pool = new RecordPool(new RecordDepot(256));
        List<EventRecord> taken = take(pool, 5 * CHAIN);
        assertThat(distinct(taken)).hasSize(5 * CHAIN);
        assertThat(taken).allSatisfy(record -> assertThat(record.nextPlain()).isEqualTo(EventRecord.NONE));
        give(pool, taken);
        List<EventRecord> again = take(pool, 5 * CHAIN);
        assertThat(again).allSatisfy(record -> assertThat(record.nextPlain()).isEqualTo(EventRecord.NONE));
        assertThat(distinct(again)).as("none was made").isEqualTo(distinct(taken));
    }

    @Test
    void give_isTakenNext() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        List<EventRecord> taken = take(pool, CHAIN);
        give(pool, taken.subList(5, 6));
        assertThat(pool.hasRecord()).isTrue();
        assertThat(pool.take()).isSameAs(taken.get(5));
    }

    @Test
    void give_letsGoOfTheEvent() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        EventRecord record = pool.take();
        record.set(Lane.handler(1), "event", 1);
        give(pool, List.of(record));
        assertThat(record.event()).isNull();
        assertThat(record.weight()).isZero();
    }

    @Test
    void give_ownRecordOfAColor_staysThere() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        ColorQueue color = new ColorQueue(1, 0);
        color.set(Lane.handler(1), "event", 1);
        EventRecord behind = pool.take();
        color.nextPlain(behind.id);
        give(pool, List.of(color));
        assertThat(color.event()).isNull();
        assertThat(color.nextPlain()).as("ready to be used again").isEqualTo(EventRecord.NONE);
        assertThat(take(pool, 3 * CHAIN)).doesNotContain(color);
    }

    // A pool keeps two chains at most: the third goes to the depot, where another thread finds it.
    @Test
    void give_beyondTwoChains_spillsToTheDepot() {
        RecordDepot depot = new RecordDepot(8 * CHAIN);
        RecordPool filling = new RecordPool(depot);
        List<EventRecord> taken = take(filling, 4 * CHAIN);
        Set<EventRecord> known = distinct(taken);

        give(filling, taken.subList(0, 2 * CHAIN));
        assertThat(known).as("two chains stay").doesNotContain(new RecordPool(depot).take());
        give(filling, taken.subList(2 * CHAIN, 2 * CHAIN + 1));
        assertThat(known).containsAll(take(new RecordPool(depot), CHAIN));
        give(filling, taken.subList(2 * CHAIN + 1, 4 * CHAIN));
        assertThat(known).containsAll(take(new RecordPool(depot), CHAIN));
        assertThat(known).containsAll(take(filling, 2 * CHAIN));
    }

    // After a burst the depot keeps what it has room for. The numbers of the others are given to those that are made
    // later.
    @Test
    void give_moreThanTheDepotHolds_isDropped_andItsNumbersAreUsedAgain() {
        RecordDepot depot = new RecordDepot(2 * CHAIN);
        RecordPool taking = new RecordPool(depot);
        RecordPool filling = new RecordPool(depot);
        List<EventRecord> taken = take(taking, 12 * CHAIN);
        Set<EventRecord> known = distinct(taken);
        give(filling, taken);
        List<EventRecord> again = take(taking, 10 * CHAIN);
        again.addAll(take(filling, 2 * CHAIN));
        assertThat(distinct(again)).hasSize(12 * CHAIN);
        assertThat(again.stream().filter(known::contains))
                .as("two chains of the depot, two of the pool")
                .hasSize(4 * CHAIN);
        assertThat(again.stream().map(record -> record.id).distinct())
                .hasSize(12 * CHAIN)
                .allMatch(id -> id <= 12 * CHAIN);
        for (EventRecord record : again) {
            assertThat(depot.index().at(record.id)).isSameAs(record);
        }
    }

    // A thread that takes and gives around the edge of a chain does not go to the depot each time.
    @Test
    void takeAndGive_atTheEdgeOfAChain_staysLocal() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool pool = new RecordPool(depot);
        Set<EventRecord> known = distinct(take(pool, 2 * CHAIN));
        give(pool, new ArrayList<>(known));
        for (int i = 0; i < 100; i++) {
            List<EventRecord> two = take(pool, 2);
            give(pool, two);
            assertThat(known).containsAll(two).as("at the depot").doesNotContain(new RecordPool(depot).take());
        }
    }

    @Test
    void drainTo_movesTheRecords_andReturnsTheCredits() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool heir = new RecordPool(depot);
        RecordPool leaving = new RecordPool(depot);
        List<EventRecord> taken = take(leaving, 2 * CHAIN);
        give(leaving, taken.subList(0, CHAIN + CHAIN / 2));
        leaving.drainTo(heir);

        assertThat(take(heir, CHAIN + CHAIN / 2))
                .containsExactlyInAnyOrderElementsOf(taken.subList(0, CHAIN + CHAIN / 2));
        assertThat(takeAllCredits(heir)).as("of one pool").isEqualTo(4 * CHAIN + depot.keepsMax());
    }

    // Random traffic between pools: no record is with two holders, no credit is lost, and in the end all are still
    // there.
    @Test
    void randomTraffic_losesAndDoublesNothing() {
        Random random = new Random(Seed.of("RecordPoolTest"));
        RecordDepot depot = new RecordDepot(16 * CHAIN);
        int bound = 16 * CHAIN + 3 * depot.keepsMax();
        RecordPool[] pools = {new RecordPool(depot), new RecordPool(depot), new RecordPool(depot)};
        List<EventRecord> held = new ArrayList<>();
        Set<EventRecord> holds = distinct(held);
        Set<EventRecord> known = distinct(held);
        boolean isFull = false;
        int drift = 0;
        for (int i = 0; i < 300_000; i++) {
            if (i % 500 == 0) {
                drift = random.nextInt(5) - 2;
            }
            RecordPool pool = pools[random.nextInt(pools.length)];
            if (random.nextInt(5) + drift >= 2) {
                if (!pool.takeCredit()) {
                    isFull = true;
                    continue;
                }
                EventRecord record = pool.take();
                assertThat(holds.add(record)).as("not held twice").isTrue();
                known.add(record);
                held.add(record);
            } else if (!held.isEmpty()) {
                EventRecord record = held.remove(random.nextInt(held.size()));
                holds.remove(record);
                pool.give(record);
            }
            assertThat(held.size()).isLessThanOrEqualTo(bound);
        }
        assertThat(isFull).as("the walk reaches the bound").isTrue();
        assertThat(known.size()).as("records are used again").isLessThanOrEqualTo(bound + 3 * 3 * CHAIN);
        held.forEach(pools[0]::give);
        int credits = 0;
        for (RecordPool pool : pools) {
            credits += takeAllCredits(pool);
        }
        assertThat(credits).isEqualTo(bound);
    }
}
