// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.mely.bench.stingy.model.StageModel;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// The counts are the best that the region has room for, and what is not managed is named.
class PlannerTest {
    private static Map<String, Integer> counts(Planner planner) {
        return planner.plan().objects().stream().collect(Collectors.toMap(PlannedObject::name, PlannedObject::count));
    }

    private static PlannedObject object(MemoryPlan plan, String name) {
        return plan.objects().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    // The vectors of spec §2: derived by exhaustive search.
    @ParameterizedTest
    @CsvSource({
        "1, 1, 6, 1, 3, 3, 1.0000",
        "1, 1, 7, 1, 3, 4, 0.9167",
        "1, 1, 8, 1, 4, 4, 0.7500",
        "1, 1, 20, 10, 6, 14, 1.0476",
        "200, 100, 2000, 1, 6, 8, 0.4583",
        "200, 100, 2000, 8, 4, 12, 1.1667"
    })
    void counts_equalTheVectors(long size1, long size2, long tau, double w1, int n1, int n2, double work)
            throws InfeasibleException {
        Planner planner = new Planner(Models.figure2(size1, size2, w1).in(tau));
        assertThat(counts(planner)).isEqualTo(Map.of("O1", n1, "O2", n2));
        assertThat(planner.work()).isCloseTo(work, within(5e-5));
        assertThat(planner.gap()).isZero();
    }

    @Test
    void counts_equalTheVectorOfThreeObjects() throws InfeasibleException {
        Planner planner = new Planner(Models.threeObjects().in(4096));
        assertThat(counts(planner)).isEqualTo(Map.of("R", 11, "B", 5, "H", 11));
        assertThat(planner.work()).isCloseTo(0.5818, within(5e-5));
    }

    @Test
    void oneRequestThatDoesNotFit_isRefusedWithTheMissingBytes() {
        StageModel model = Models.figure2(200, 100, 1).in(299);
        assertThatThrownBy(() -> new Planner(model))
                .isInstanceOf(InfeasibleException.class)
                .hasMessageContaining("in stage 2 it needs 300 bytes, the region has 299, 1 are missing");
    }

    @Test
    void objectsThatNeverMeet_needRoomForOneEachAllTheSame() throws InfeasibleException {
        Models models = new Models()
                .object("a", 100)
                .object("b", 100)
                .stage("first", 1, "", "a", "a", "second")
                .stage("second", 1, "", "b", "b", "");
        assertThatThrownBy(() -> new Planner(models.in(199)))
                .isInstanceOf(InfeasibleException.class)
                .hasMessageContaining("all of them take 200 bytes, the region has 199, 1 are missing");
        assertThat(counts(new Planner(models.in(200)))).isEqualTo(Map.of("a", 1, "b", 1));
        assertThat(counts(new Planner(models.in(300)))).isEqualTo(Map.of("a", 2, "b", 2));
    }

    // Spec §9, check 5.
    @Test
    void objectOfACycle_isManagedOnlyWithACount() throws InfeasibleException {
        Models models = new Models()
                .object("input", 100)
                .object("head", 10)
                .stage("accept", 1, "", "", "", "parse")
                .stage("parse", 1, "", "input", "", "parse answer")
                .stage("answer", 1, "", "head", "input head", "");
        MemoryPlan plan = new Planner(models.in(1000)).plan();
        assertThat(plan.objects()).extracting(PlannedObject::name).containsExactly("head");
        assertThat(plan.unmanaged().get("input")).contains("cycle", "parse", "count");

        Models counted = new Models()
                .object("input", 100, 2)
                .object("head", 10)
                .stage("accept", 1, "", "", "", "parse")
                .stage("parse", 1, "", "input", "", "parse answer")
                .stage("answer", 1, "", "head", "input head", "");
        MemoryPlan countedPlan = new Planner(counted.in(1000)).plan();
        PlannedObject input = object(countedPlan, "input");
        assertThat(input.ownCount()).isEqualTo(2);
        assertThat(input.count()).isEqualTo(8); // four requests: 840 bytes, and a fifth would need 1050
        // A request may have it already, and then must not wait for another one.
        StageUse parse = countedPlan.stages().get(0);
        assertThat(parse.name()).isEqualTo("parse");
        assertThat(parse.allocs()).isEmpty();
        assertThat(parse.mayAlloc()).isEqualTo(Map.of("input", 1));
    }

    @Test
    void objectThatARequestMayHaveTwice_isManagedOnlyWithACount() throws InfeasibleException {
        Models models = new Models()
                .object("line", 10)
                .stage("first", 1, "", "line", "", "second")
                .stage("second", 1, "", "line", "line", "");
        assertThat(new Planner(models.in(100)).plan().unmanaged().get("line"))
                .contains("may have it already when stage second allocates it");
    }

    @Test
    void objectThatNobodyFrees_isGlobal() throws InfeasibleException {
        Models models = new Models()
                .object("log", 50)
                .object("head", 100)
                .stage("read", 1, "", "log head", "", "write")
                .stage("write", 1, "", "", "head", "");
        MemoryPlan plan = new Planner(models.in(1000)).plan();
        assertThat(plan.unmanaged().get("log")).contains("global", "write");
        assertThat(object(plan, "head").count()).isEqualTo(10);

        StageModel model = models.in(1000);
        StageModel withFinals = new StageModel(1000, 1, 64, model.objects(), model.stages());
        MemoryPlan kept = new Planner(withFinals).plan();
        assertThat(kept.unmanaged()).isEmpty();
        assertThat(object(kept, "head").count()).isEqualTo(9);
        assertThat(object(kept, "log").count()).isEqualTo(1);
        assertThat(kept.stages().get(0).allocs()).doesNotContainKey("log"); // no stage waits for it
    }

    // Spec §9, check 7.
    @Test
    void objectsThatNeverMeet_shareAnArea_andThoseThatMeetDoNotOverlap() throws InfeasibleException {
        MemoryPlan plan = new Planner(Models.threeObjects().line(64).in(8192)).plan();
        assertThat(object(plan, "B").area()).isEqualTo(object(plan, "H").area());
        assertThat(object(plan, "R").area()).isNotEqualTo(object(plan, "B").area());
        long end = 0;
        for (MemoryPlan.Area area : plan.areas()) {
            assertThat(area.offset()).isEqualTo(end).isEqualTo(area.offset() / 64 * 64);
            end += area.bytes();
        }
        assertThat(end).isLessThanOrEqualTo(8192).isEqualTo(plan.usedBytes());
    }

    @Test
    void sizes_areWholeLines() throws InfeasibleException {
        MemoryPlan plan = new Planner(Models.figure2(65, 1, 1).line(64).in(192)).plan();
        assertThat(plan.areas()).extracting(MemoryPlan.Area::bytes).containsExactlyInAnyOrder(128L, 64L);
    }

    @Test
    void largeRegion_isSolvedToTheEnd() throws InfeasibleException {
        Models models = new Models().line(64);
        String[] sizes = {"64", "128", "192", "320", "576", "64", "1024", "64"};
        for (int i = 0; i < sizes.length; i++) {
            models.object("o" + i, Long.parseLong(sizes[i]));
        }
        for (int i = 0; i < sizes.length; i++) {
            String frees = i == sizes.length - 1 ? "o0 o3 o6 o7" : i == 4 ? "o1 o2" : i == 6 ? "o4 o5" : "";
            models.stage("s" + i, 1 + i % 3, "", "o" + i, frees, i == sizes.length - 1 ? "" : "s" + (i + 1));
        }
        Planner planner = new Planner(models.in(1 << 20));
        assertThat(planner.gap()).isZero();
        check(planner);
        Planner again = new Planner(models.in(1 << 20));
        assertThat(again.plan()).isEqualTo(planner.plan());
    }

    // Spec §9, check 2, and the sum of §10.3.
    @Test
    void randomAcyclicGraphs_keepTheConstraints() {
        long seed = Long.getLong("mely.seed", 20061106);
        Random random = new Random(seed);
        int feasible = 0;
        for (int i = 0; i < 10_000; i++) {
            StageModel model = Models.random(random, 7, 6, 40, 1000);
            try {
                check(new Planner(model));
                feasible++;
            } catch (InfeasibleException e) {
                assertThat(e.getMessage()).contains("are missing");
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ", graph " + i + ": " + model, e);
            }
        }
        assertThat(feasible).isGreaterThan(5_000);
    }

    /** C1, C2, the sum of the areas, and that counts are whole requests. */
    private static void check(Planner planner) {
        Lives lives = planner.lives();
        StageModel model = planner.model();
        Problem problem = planner.problem();
        long[] requests = planner.requests();
        for (int stage = 0; stage < model.stages().size(); stage++) {
            BitSet start = lives.atStart(stage);
            BitSet fresh = lives.allocated(stage);
            fresh.andNot(start);
            long sum = start.stream()
                            .mapToLong(object -> problem.bytes(object) * requests[object])
                            .sum()
                    + fresh.stream().mapToLong(object -> problem.bytes(object)).sum();
            assertThat(sum).as("C1 of stage %s", stage).isLessThanOrEqualTo(model.regionBytes());
        }
        BitSet[] less = lives.notMoreThan();
        for (int object = 0; object < less.length; object++) {
            long most = requests[object];
            less[object].stream()
                    .forEach(other -> assertThat(requests[other]).as("C2").isLessThanOrEqualTo(most));
        }
        long areas = 0;
        for (int color = 0; color < problem.colors(); color++) {
            int wanted = color;
            long largest = 0;
            for (int object = 0; object < requests.length; object++) {
                if (problem.color()[object] == wanted) {
                    largest = Math.max(largest, problem.bytes(object) * requests[object]);
                }
            }
            assertThat(problem.areaBytes(color, requests)).isGreaterThanOrEqualTo(largest);
            areas += largest;
        }
        assertThat(areas).as("spec §10.3").isLessThanOrEqualTo(model.regionBytes());
        assertThat(planner.plan().usedBytes()).isLessThanOrEqualTo(model.regionBytes());
        lives.managed().stream().forEach(object -> assertThat(requests[object]).isPositive());
    }

    // The best of all counts that keep the constraints, by trying them all.
    @Test
    void smallGraphs_equalExhaustiveSearch() {
        long seed = Long.getLong("mely.seed", 1);
        Random random = new Random(seed);
        int feasible = 0;
        for (int i = 0; i < 1_500; i++) {
            StageModel model = Models.random(random, 5, 4, 12, 110);
            try {
                Planner planner = new Planner(model);
                double best = exhaustive(planner);
                assertThat(planner.gap()).isZero();
                assertThat(planner.work())
                        .as("seed %s, graph %s: %s, counts %s", seed, i, model, Arrays.toString(planner.requests()))
                        .isCloseTo(best, within(1e-9));
                feasible++;
            } catch (InfeasibleException e) {
                assertThat(e.getMessage()).contains("are missing");
            }
        }
        assertThat(feasible).isGreaterThan(700);
    }

    private static double exhaustive(Planner planner) {
        long[] requests = new long[planner.requests().length];
        Arrays.fill(requests, 1);
        return exhaustive(planner, planner.lives().managed().stream().toArray(), 0, requests);
    }

    private static double exhaustive(Planner planner, int[] objects, int at, long[] requests) {
        Problem problem = planner.problem();
        if (at == objects.length) {
            BitSet[] less = problem.notMoreThan();
            for (int object : objects) {
                long most = requests[object];
                if (less[object].stream().anyMatch(other -> requests[other] > most)) {
                    return Double.POSITIVE_INFINITY;
                }
            }
            double work = 0;
            for (int stage = 0; stage < problem.within().size(); stage++) {
                long level = problem.within().get(stage).stream()
                        .mapToLong(object -> requests[object])
                        .min()
                        .orElse(0);
                work += level == 0 ? 0 : problem.weight()[stage] / level;
            }
            return work;
        }
        double best = Double.POSITIVE_INFINITY;
        for (requests[objects[at]] = 1; problem.bytes(requests) <= problem.regionBytes(); requests[objects[at]]++) {
            best = Math.min(best, exhaustive(planner, objects, at + 1, requests));
        }
        requests[objects[at]] = 1;
        return best;
    }
}
