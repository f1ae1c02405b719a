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

    // The bound is rounded up to whole chains, of which there are at least two.
    @ParameterizedTest
    @CsvSource({"1, 128", "128, 128", "129, 192", "1024, 1024", "1025, 1088"})
    void take_stopsAtTheBound(int recordsMax, int expected) {
        RecordPool pool = new RecordPool(new RecordDepot(recordsMax));
        List<EventRecord> taken = takeAll(pool);
        assertThat(taken).hasSize(expected);
        assertThat(distinct(taken)).hasSize(expected);
        assertThat(pool.take()).isNull();
    }

    @Test
    void give_makesRoomAgain() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        List<EventRecord> taken = takeAll(pool);
        pool.give(taken.get(5));
        assertThat(pool.take()).isSameAs(taken.get(5));
        assertThat(pool.take()).isNull();
    }

    @Test
    void take_givesUnlinkedRecords() {
        RecordPool pool = new RecordPool(new RecordDepot(256));
        List<EventRecord> taken = takeAll(pool);
        assertThat(taken).allSatisfy(record -> assertThat(record.nextPlain()).isNull());
        taken.forEach(pool::give);
        assertThat(takeAll(pool))
                .allSatisfy(record -> assertThat(record.nextPlain()).isNull());
    }

    @Test
    void give_letsGoOfTheEvent() {
        RecordPool pool = new RecordPool(new RecordDepot(128));
        EventRecord record = pool.take();
        record.set(Lane.handler(1), "event", 1);
        pool.give(record);
        assertThat(record.event()).isNull();
        assertThat(record.profile()).isNull();
    }

    // A pool keeps two chains at most: the third goes to the depot, where another thread finds it.
    @Test
    void give_beyondTwoChains_spillsToTheDepot() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool filling = new RecordPool(depot);
        RecordPool dry = new RecordPool(depot);
        List<EventRecord> taken = takeAll(filling);
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

    // A thread that takes and gives around the edge of a chain does not go to the depot each time.
    @Test
    void takeAndGive_atTheEdgeOfAChain_staysLocal() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool pool = new RecordPool(depot);
        List<EventRecord> taken = new ArrayList<>();
        for (int i = 0; i < 2 * CHAIN; i++) {
            taken.add(pool.take());
        }
        taken.forEach(pool::give);
        for (int i = 0; i < 100; i++) {
            EventRecord a = pool.take();
            EventRecord b = pool.take();
            pool.give(b);
            pool.give(a);
        }
        assertThat(takeAll(new RecordPool(depot)))
                .as("what the depot had from the start")
                .hasSize(2 * CHAIN);
        assertThat(takeAll(pool)).hasSize(2 * CHAIN);
    }

    @Test
    void takeLocal_neverAsksTheDepot() {
        RecordDepot depot = new RecordDepot(4 * CHAIN);
        RecordPool pool = new RecordPool(depot);
        assertThat(pool.takeLocal()).isNull();
        pool.give(pool.take());
        int local = 0;
        while (pool.takeLocal() != null) {
            local++;
        }
        assertThat(local).isEqualTo(CHAIN);
        assertThat(takeAll(pool)).hasSize(3 * CHAIN);
    }

    // Random traffic between pools: no record is with two holders, and in the end all are still there.
    @Test
    void randomTraffic_losesAndDoublesNothing() {
        Random random = new Random(Seed.of("RecordPoolTest"));
        int bound = 16 * CHAIN;
        RecordDepot depot = new RecordDepot(bound);
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
