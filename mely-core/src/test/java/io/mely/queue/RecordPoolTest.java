// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

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

// Pools hand out each record to one holder at a time, never more of them than the bound, and lose none on the way
// between threads.
class RecordPoolTest {
    private static final int CHAIN = RecordDepot.CHAIN;

    private static List<EventRecord> takeAll(RecordPool pool) {
        List<EventRecord> taken = new ArrayList<>();
        for (EventRecord record = pool.take(); record != null; record = pool.take()) {
            taken.add(record);
        }
        return taken;
    }

    private static Set<EventRecord> distinct(List<EventRecord> records) {
        Set<EventRecord> set = Collections.newSetFromMap(new IdentityHashMap<>());
        set.addAll(records);
        return set;
    }

    // The bound is rounded up to whole chains, of which there are at least two; what a pool may hold back, two chains,
    // comes on top.
    @ParameterizedTest
    @CsvSource({"1, 256", "128, 256", "129, 320", "1024, 1152", "1025, 1216"})
    void take_stopsAtTheBound(int recordsMax, int expected) {
        RecordPool pool = new RecordPool(new RecordDepot(recordsMax));
        List<EventRecord> taken = takeAll(pool);
        assertThat(taken).hasSize(expected);
        assertThat(distinct(taken)).hasSize(expected);
        assertThat(pool.take()).isNull();
    }

    // Events that need no record count like the others.
    @Test
    void credits_areUnderTheSameBound() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool pool = new RecordPool(depot);
        pool.useCredits();
        int credits = 0;
        while (pool.takeCredit()) {
            credits++;
        }
        assertThat(credits).isEqualTo(4 * CHAIN + 2 * CHAIN + CHAIN);
        assertThat(pool.take()).isNull();

        Lane color = new Lane(1, 0);
        for (int i = 0; i < credits; i++) {
            pool.give(color); // of a color's own record it takes the credit
        }
        assertThat(takeAll(pool)).as("all but what the pool keeps as credits").hasSizeBetween(6 * CHAIN, 7 * CHAIN);
        assertThat(pool.takeCredit()).isTrue();
    }

    @Test
    void credits_aroundTheEdge_stayLocal() {
        RecordDepot depot = new RecordDepot(2 * CHAIN);
        RecordPool pool = new RecordPool(depot);
        pool.useCredits();
        RecordPool other = new RecordPool(depot);
        assertThat(pool.takeCredit()).isTrue();
        pool.giveCredit();
        int left = takeAll(other).size();
        for (int i = 0; i < 1_000; i++) {
            assertThat(pool.takeCredit()).isTrue();
            pool.giveCredit();
            assertThat(other.take()).as("nothing came back").isNull();
        }
        assertThat(left).isPositive();
    }

    @Test
    void give_makesRoomAgain() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        List<EventRecord> taken = takeAll(pool);
        assertThat(pool.take()).isNull();
        pool.give(taken.get(5));
        assertThat(pool.take()).isSameAs(taken.get(5));
        assertThat(pool.take()).isNull();
    }

    @Test
    void take_givesUnlinkedRecords() {
        RecordPool pool = new RecordPool(new RecordDepot(256));
        List<EventRecord> taken = takeAll(pool);
        assertThat(taken).allSatisfy(record -> assertThat(record.nextPlain()).isEqualTo(EventRecord.NONE));
        taken.forEach(pool::give);
        assertThat(takeAll(pool))
                .allSatisfy(record -> assertThat(record.nextPlain()).isEqualTo(EventRecord.NONE));
    }

    @Test
    void give_letsGoOfTheEvent() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        EventRecord record = pool.take();
        record.set(Lane.handler(1), "event", 1);
        pool.give(record);
        assertThat(record.event()).isNull();
        assertThat(record.isConsumed()).isTrue();
    }

    // A pool keeps two chains at most: the third goes to the depot, where another thread finds it.
    @Test
    void give_beyondTwoChains_spillsToTheDepot() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool filling = new RecordPool(depot);
        RecordPool dry = new RecordPool(depot);
        List<EventRecord> taken = takeAll(filling);
        assertThat(taken).hasSize(8 * CHAIN);
        assertThat(dry.take()).isNull();

        for (int i = 0; i < 2 * CHAIN; i++) {
            filling.give(taken.get(i));
        }
        assertThat(dry.take()).as("two chains stay").isNull();
        filling.give(taken.get(2 * CHAIN));
        assertThat(takeAll(dry)).hasSize(CHAIN);
        for (int i = 2 * CHAIN + 1; i < 4 * CHAIN; i++) {
            filling.give(taken.get(i));
        }
        assertThat(takeAll(dry)).hasSize(CHAIN);
        assertThat(takeAll(filling)).hasSize(2 * CHAIN);
    }

    // Threads that sit on full pools do not make another one starve: the bound is on what is outside of pools.
    @Test
    void take_othersHoldFullPools_stillGetsTheWholeBound() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        for (int i = 0; i < 10; i++) {
            RecordPool idle = new RecordPool(depot);
            List<EventRecord> taken = new ArrayList<>();
            for (int j = 0; j < 2 * CHAIN; j++) {
                taken.add(idle.take());
            }
            taken.forEach(idle::give);
        }
        assertThat(takeAll(new RecordPool(depot)).size()).isGreaterThanOrEqualTo(4 * CHAIN);
    }

    // What the pools were allowed on top does not fit into the depot: it is forgotten, and may be made again.
    @Test
    void give_moreThanTheDepotHolds_isForgotten() {
        RecordDepot depot = new RecordDepot(2 * CHAIN);
        RecordPool taking = new RecordPool(depot);
        RecordPool filling = new RecordPool(depot);
        List<EventRecord> taken = takeAll(taking);
        assertThat(taken).hasSize(6 * CHAIN);
        for (int round = 0; round < 3; round++) {
            taken.forEach(filling::give);
            taken = takeAll(taking);
            assertThat(taken).hasSize(4 * CHAIN);
            taken.addAll(takeAll(filling));
            assertThat(distinct(taken)).hasSize(6 * CHAIN);
        }
    }

    // A thread that takes and gives around the edge of a chain does not go to the depot each time.
    @Test
    void takeAndGive_atTheEdgeOfAChain_staysLocal() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool pool = new RecordPool(depot);
        RecordPool other = new RecordPool(depot);
        List<EventRecord> taken = new ArrayList<>();
        for (int i = 0; i < 2 * CHAIN; i++) {
            taken.add(pool.take());
        }
        taken.forEach(pool::give);
        assertThat(takeAll(other)).hasSize(6 * CHAIN);
        for (int i = 0; i < 100; i++) {
            EventRecord a = pool.take();
            EventRecord b = pool.take();
            pool.give(b);
            pool.give(a);
            assertThat(other.take()).isNull();
        }
        assertThat(takeAll(pool)).hasSize(2 * CHAIN);
    }

    @Test
    void drainTo_movesAllRecordsAndTheRightToThem() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool heir = new RecordPool(depot);
        RecordPool leaving = new RecordPool(depot);
        List<EventRecord> taken = takeAll(leaving);
        assertThat(taken).hasSize(8 * CHAIN);
        taken.subList(0, CHAIN + CHAIN / 2).forEach(leaving::give);
        leaving.drainTo(heir);

        List<EventRecord> moved = takeAll(heir);
        assertThat(moved).hasSize(CHAIN + CHAIN / 2);
        assertThat(distinct(taken)).containsAll(moved);
        assertThat(takeAll(new RecordPool(depot)))
                .as("two chains less for a pool less, two more for this one")
                .isEmpty();
    }

    // Random traffic between pools: no record is with two holders, and in the end all are still there.
    @Test
    void randomTraffic_losesAndDoublesNothing() {
        Random random = new Random(Seed.of("RecordPoolTest"));
        int bound = 16 * CHAIN + 3 * 2 * CHAIN;
        RecordDepot depot = new RecordDepot(16 * CHAIN);
        RecordPool[] pools = {new RecordPool(depot), new RecordPool(depot), new RecordPool(depot)};
        List<EventRecord> held = new ArrayList<>();
        Set<EventRecord> holds = Collections.newSetFromMap(new IdentityHashMap<>());
        int drift = 0;
        for (int i = 0; i < 300_000; i++) {
            if (i % 500 == 0) {
                drift = random.nextInt(5) - 2;
            }
            RecordPool pool = pools[random.nextInt(pools.length)];
            if (random.nextInt(5) + drift >= 2) {
                EventRecord record = pool.take();
                if (record != null) {
                    assertThat(holds.add(record)).as("held twice").isTrue();
                    held.add(record);
                }
            } else if (!held.isEmpty()) {
                EventRecord record = held.remove(random.nextInt(held.size()));
                holds.remove(record);
                pool.give(record);
            }
            assertThat(held.size()).isLessThanOrEqualTo(bound);
        }
        for (EventRecord record : held) {
            pools[0].give(record);
        }
        List<EventRecord> all = new ArrayList<>();
        for (RecordPool pool : pools) {
            all.addAll(takeAll(pool));
        }
        assertThat(all).hasSize(bound);
        assertThat(distinct(all)).hasSize(bound);
    }
}
