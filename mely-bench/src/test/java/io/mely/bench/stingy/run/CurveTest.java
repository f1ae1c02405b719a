// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.stingy.model.BufferProgram;
import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import io.mely.bench.stingy.solve.Planner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

// A program's buffers with and without a plan.
class CurveTest {
    private static final Path MACHINE = Path.of("../config/machines/development-2-epyc.conf");
    private static final String SMALL_CACHES = "caches = [{ size = 16K, ways = 8, cpus = 1, latency = 5 },"
            + " { size = 64K, ways = 16, cpus = 1, latency = 15 }]";

    private static StageNode stage(String name, Map<String, Integer> allocs, List<String> frees, String... next) {
        return new StageNode(
                name,
                1,
                false,
                new TreeMap<>(allocs),
                new TreeSet<>(frees),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(List.of(next)));
    }

    private static StageModel model(StageNode... stages) {
        List<MemoryObject> objects =
                List.of(new MemoryObject("input", 1_025, 0, false, ""), new MemoryObject("reply", 4_097, 0, false, ""));
        return new StageModel(48 << 10, 64, 0, objects, List.of(stages));
    }

    private static BufferProgram program(StageNode... stages) throws Exception {
        StageModel model = model(stages);
        return new BufferProgram(model, new Planner(model).plan());
    }

    private static BufferProgram pipeline() throws Exception {
        return program(
                stage("read", Map.of("input", 1), List.of(), "answer"),
                stage("answer", Map.of("reply", 1), List.of("input"), "write"),
                stage("write", Map.of(), List.of("reply")));
    }

    private static Curve curve(BufferProgram program, String engine) {
        return new Curve(
                MachineSpec.read(MACHINE, SMALL_CACHES),
                program,
                engine,
                500,
                20,
                1 << 10,
                new Curve.Costs(100, 40),
                1);
    }

    // The paper's figure 3: where the buffers no longer fit into the cache, throughput stays at its level, and at few
    // requests nothing is lost.
    @Test
    void stingy_staysAtItsLevel() throws Exception {
        Curve curve = curve(pipeline(), Curve.ENGINE);
        List<String> said = new ArrayList<>();
        curve.run(List.of(128, 1, 4), said::add);
        assertThat(said).hasSize(3);
        assertThat(curve.rows()).extracting(Curve.Row::inFlight).containsExactly(1, 4, 128);
        assertThat(curve.rows())
                .allSatisfy(row -> assertThat(row.gain()).as("%s", row).isGreaterThanOrEqualTo(0.98));
        assertThat(curve.rows().get(2).gain()).isGreaterThanOrEqualTo(1.12);
        assertThat(curve.rows().get(2).missRatio()).isLessThanOrEqualTo(0.5);
        assertThat(curve.text()).contains("At 128 in flight: +", "region 49,152 bytes");
        assertThat(curve.csv().lines().toList()).hasSize(4).last().asString().startsWith("128,");
        assertThat(curve.throughputSvg()).startsWith("<svg").contains("ordinary allocator", "Stingy");
        assertThat(curve.missesSvg()).startsWith("<svg").contains("misses a request");
    }

    // A color runs its request to the end, so few buffers are live at once, and a plan brings little.
    @Test
    void colors_runThroughAtOnce() throws Exception {
        Curve curve = curve(pipeline(), "mely");
        curve.run(List.of(32), said -> {});
        assertThat(curve.rows().get(0).gain()).isBetween(0.9, 1.1);
        assertThat(Curve.engines()).contains("mely", "cohort").doesNotContain("libasync-mp", "seda");
    }

    @Test
    void share_isOfTheCacheThatHasMost() {
        assertThat(Curve.share(MachineSpec.read(MACHINE))).isEqualTo(2 << 20);
        assertThat(Curve.share(MachineSpec.read(MACHINE, SMALL_CACHES))).isEqualTo(64 << 10);
    }

    @Test
    void programThatDoesNotEnd_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> program(
                        stage("read", Map.of(), List.of(), "answer"),
                        stage("answer", Map.of(), List.of(), "read", "answer")))
                .withMessageContaining("a request would never end: from stage read on");
        assertThatIllegalArgumentException().isThrownBy(() -> program()).withMessageContaining("no stages");
    }

    // Two ways, one of which goes round: requests end.
    @Test
    void cycles_endWhenAnotherNextStageComesInTurn() throws Exception {
        BufferProgram cyclic = program(
                stage("read", Map.of("input", 1), List.of(), "answer"),
                stage("answer", Map.of(), List.of(), "answer", "write"),
                stage("write", Map.of("reply", 1), List.of("input", "reply")));
        assertThat(cyclic.entries()).containsExactly(0);
        assertThat(cyclic.site(0)).isZero();
        Curve curve = curve(cyclic, "cohort");
        curve.run(List.of(8), said -> {});
        assertThat(curve.rows().get(0).stingy().extras().get("requests")).isPositive();
    }

    @Test
    void here_runsWithAndWithout() throws Exception {
        String text = new Here(pipeline(), 0, 400, 1).measure(List.of(1, 32));
        assertThat(text).contains("One core here", "requests/CPU s");
        assertThat(text.lines().filter(line -> line.matches(" +(1|32) .*"))).hasSize(2);
        assertThat(text.contains("No misses: ")).isEqualTo(!MissCounter.whyNot().isEmpty());
    }

    // Where the system has counters at all, one of threads that have ended is read.
    @Test
    void counter_countsThreadsThatWereStarted() throws Exception {
        try (MissCounter counter = MissCounter.of(MissCounter.Event.PAGE_FAULTS)) {
            Thread thread = new Thread(() -> {
                byte[][] touched = new byte[64][];
                for (int i = 0; i < touched.length; i++) {
                    touched[i] = new byte[1 << 16];
                }
                assertThat(touched[63]).isNotNull();
            });
            thread.start();
            thread.join();
            OptionalDouble count = counter.count();
            assumeTrue(count.isPresent(), "no perf_event_open");
            assertThat(count.getAsDouble()).isPositive();
        }
    }
}
