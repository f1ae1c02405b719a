// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Orders of visits: spec stages §4, §6, and §15 checks 3 and 4.
class OrdersTest {
    private final Mely mely = Mely.builder().cores(1).build();
    private final FakeStages stages = new FakeStages();

    @AfterEach
    void close() {
        mely.close();
    }

    private final class FakeStages implements VisitOrder.Stages {
        final List<Stage<?>> made = new ArrayList<>();
        int[] waiting = {};
        long[] arrived = {};
        long nowNs;

        void add(String name, long processingTimeNs) {
            made.add(mely.stage(
                    name, StageOptions.defaults().withProcessingTime(Duration.ofNanos(processingTimeNs)), event -> {}));
            waiting = new int[made.size()];
            arrived = new long[made.size()];
        }

        @Override
        public int count() {
            return made.size();
        }

        @Override
        public int waiting(int stage) {
            return waiting[stage];
        }

        @Override
        public long arrived(int stage) {
            return arrived[stage];
        }

        @Override
        public Stage<?> stage(int stage) {
            return made.get(stage);
        }

        @Override
        public long nowNs() {
            return nowNs;
        }
    }

    @Test
    void mg1_visitsAllStages_ofMoreThanATableHas() {
        for (int i = 0; i < 200; i++) {
            stages.add("s" + i, 1_000);
        }
        assertThat(walk(VisitPolicy.mg1(), 233)).contains(0, 143, 144, 199).doesNotContain(200);
        assertThat(Set.copyOf(walk(VisitPolicy.mg1(), 233))).hasSize(200);
    }

    private void four() {
        for (int i = 0; i < 4; i++) {
            stages.add("s" + i, 1_000);
        }
    }

    private List<Integer> walk(VisitPolicy policy, int visits, boolean... hasRun) {
        VisitOrder order = policy.orders().create(0, 1);
        Visit visit = new Visit(() -> stages.nowNs);
        List<Integer> walk = new ArrayList<>();
        for (int i = 0; i < visits; i++) {
            int next = order.next(stages, visit);
            walk.add(next);
            visit.begin(next, 1, 0);
            if (i < hasRun.length && hasRun[i]) {
                visit.countServed();
            }
        }
        return walk;
    }

    @Test
    void wavefront_goesToAndFro_andVisitsTheEndsTwice() {
        four();
        assertThat(walk(VisitPolicy.cohort(), 10)).containsExactly(1, 2, 3, 3, 2, 1, 0, 0, 1, 2);
    }

    @Test
    void wavefront_ofOneStage() {
        stages.add("only", 1_000);
        assertThat(walk(VisitPolicy.cohort(), 3)).containsExactly(0, 0, 0);
    }

    @Test
    void roundRobin_goesRound() {
        four();
        assertThat(walk(VisitPolicy.roundRobin(), 6)).containsExactly(0, 1, 2, 3, 0, 1);
    }

    @Test
    void srpt_beginsAtTheEnd_andAgainAfterEachSuccess() {
        four();
        assertThat(walk(VisitPolicy.srpt(), 7, false, true, false, false, false, true))
                .containsExactly(0, 1, 0, 1, 2, 3, 0);
    }

    @Test
    void srpt_takesTheOrderOfItsNames() {
        four();
        assertThat(walk(VisitPolicy.srpt("s3", "s1"), 5)).containsExactly(3, 1, 0, 2, 3);
    }

    @Test
    void dbr_slowestFirst_alsoBeforeTheFirstVisit() {
        stages.add("30 a second", 1_000_000_000 / 30);
        stages.add("10 a second", 1_000_000_000 / 10);
        stages.add("20 a second", 1_000_000_000 / 20);
        assertThat(walk(VisitPolicy.dbr(), 9, false, false, false, false, true))
                .as("each slowest one twice after a sort or a success")
                .containsExactly(1, 1, 2, 0, 1, 1, 1, 2, 0);
    }

    @Test
    void longestQueue_first_andTheFirstOfEqualOnes() {
        four();
        stages.waiting = new int[] {1, 5, 5, 2};
        assertThat(walk(VisitPolicy.longestQueueFirst(), 1)).containsExactly(1);
        stages.waiting = new int[4];
        assertThat(walk(VisitPolicy.longestQueueFirst(), 1)).containsExactly(0);
    }

    @Test
    void random_isReproducible_andReachesEachStage() {
        four();
        List<Integer> walk = walk(VisitPolicy.random(7), 100);
        assertThat(walk).isEqualTo(walk(VisitPolicy.random(7), 100));
        assertThat(walk).contains(0, 1, 2, 3);
    }

    @Test
    void mg1_visitsByLoad_fromTheSecondTableOn() {
        stages.add("busy", 1_000_000);
        stages.add("idle", 1_000_000);
        VisitOrder order = VisitPolicy.mg1().orders().create(0, 1);
        Visit visit = new Visit(() -> stages.nowNs);
        int[] first = visits(order, visit);
        assertThat(first[0]).as("equal, as nothing is known").isEqualTo(first[1]);
        stages.nowNs += 1_000_000_000;
        stages.arrived[0] = 500; // rho 0.5 and 0
        int[] second = visits(order, visit);
        assertThat(second[0]).isEqualTo(visitsOf(.7 * .5, 0));
        stages.nowNs += 50_000_000; // too short to measure anew
        stages.arrived[1] = 50;
        assertThat(visits(order, visit)).isEqualTo(second);
    }

    private int[] visits(VisitOrder order, Visit visit) {
        int[] visits = new int[2];
        for (int i = 0; i < 144; i++) {
            visits[order.next(stages, visit)]++;
        }
        return visits;
    }

    private static int visitsOf(double... rhos) {
        return (int) Arrays.stream(new PollingTable(144).table(rhos))
                .filter(stage -> stage == 0)
                .count();
    }

    @Test
    void mg1_eachCoreBeginsAtAnotherSlot() {
        four();
        List<Integer> ofFirst = walk(VisitPolicy.mg1(), 144);
        VisitOrder ofSecond = VisitPolicy.mg1().orders().create(1, 2);
        Visit visit = new Visit(() -> 0);
        for (int i = 72; i < 144; i++) {
            assertThat(ofSecond.next(stages, visit)).isEqualTo(ofFirst.get(i));
        }
    }

    @Test
    void fairShare_servesTheStageThatHasHadLeast_untilItIsASliceAhead() {
        stages.add("heavy", 1_000);
        stages.add("light", 1_000);
        VisitOrder order = VisitPolicy.fairShare().orders().create(0, 1);
        Visit visit = new Visit(() -> stages.nowNs);
        stages.waiting = new int[] {9, 0};
        assertThat(order.next(stages, visit)).isEqualTo(0);
        visit.begin(0, 9, 0);
        visit.countServed();
        stages.nowNs += 5_000_000; // one event: far more than its share
        assertThat(order.stays(stages, visit)).isFalse();
        stages.waiting = new int[] {9, 9};
        assertThat(order.next(stages, visit)).as("it has had nothing yet").isEqualTo(1);
        visit.begin(1, 9, 0);
        visit.countServed();
        stages.nowNs += 60_000;
        assertThat(order.stays(stages, visit)).isTrue();
        stages.nowNs += 60_000;
        assertThat(order.stays(stages, visit))
                .as("both count as equal when one comes anew")
                .isFalse();
        assertThat(order.next(stages, visit)).isEqualTo(0);
    }
}
