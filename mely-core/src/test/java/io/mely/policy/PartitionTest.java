// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.mely.Await;
import io.mely.GraphNodes;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageGraph;
import io.mely.StageGraph.Edge;
import io.mely.StageGraph.Node;
import io.mely.StageOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// Replicas and partitions: spec stages §8, and §15 check 11.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PartitionTest {
    private static Node node(int number, long run) {
        return GraphNodes.node("s" + number, 1, 1_000, run, run);
    }

    /** Two cliques of stages with equal loads, joined by a light edge. */
    private static StageGraph cliques(int size) {
        List<Node> nodes = new ArrayList<>();
        List<Edge> edges = new ArrayList<>();
        for (int i = 0; i < 2 * size; i++) {
            nodes.add(node(i, 100));
            for (int j = 0; j < i; j++) {
                if (i / size == j / size) {
                    edges.add(new Edge(i, j, 50));
                }
            }
        }
        edges.add(new Edge(0, size, 3));
        edges.add(new Edge(-1, 0, 1_000));
        return new StageGraph(nodes, edges);
    }

    private static void halves(StageGraph graph, int size) {
        Partition partition = Partition.of(graph, 2);
        assertThat(partition.cutEvents()).isEqualTo(3);
        assertThat(partition.imbalance()).isCloseTo(1, within(1e-9));
        for (int i = 0; i < 2 * size; i++) {
            assertThat(partition.partOf().get("s" + i))
                    .isEqualTo(partition.partOf().get("s" + i / size * size));
        }
    }

    @Test
    void twoCliques_areCutAtTheLightEdge() {
        halves(cliques(4), 4);
    }

    @Test
    void moreStagesThanCanBeTried_areMadeBetterStepByStep() {
        halves(cliques(12), 12);
    }

    @Test
    void fourParts_ofFourPairs() {
        List<Node> nodes = IntStream.range(0, 8).mapToObj(i -> node(i, 10)).toList();
        List<Edge> edges = IntStream.range(0, 4)
                .mapToObj(i -> new Edge(2 * i, 2 * i + 1, 100))
                .toList();
        Partition partition = Partition.of(new StageGraph(nodes, edges), 4);
        assertThat(partition.cutEvents()).isZero();
        assertThat(partition.imbalance()).isCloseTo(1, within(1e-9));
    }

    @Test
    void unevenLoads_areReported() {
        Partition partition = Partition.of(new StageGraph(List.of(node(0, 300), node(1, 100)), List.of()), 2);
        assertThat(partition.partOf().get("s0")).isNotEqualTo(partition.partOf().get("s1"));
        assertThat(partition.imbalance()).isCloseTo(1.5, within(1e-9));
        Partition one = Partition.of(new StageGraph(List.of(node(0, 300), node(1, 100)), List.of()), 1);
        assertThat(one.imbalance()).isCloseTo(1, within(1e-9));
    }

    // ------------------------------------------------------------------ in a runtime

    private static Mely build(VisitPolicy policy, int cores) {
        return Mely.builder()
                .cores(cores)
                .colors(64)
                .policy(Policy.colored().withThreadsPerCore(1)) // a thread is a core
                .policy("staged", Policy.of("staged", policy))
                .build();
    }

    private static final StageOptions STAGED = StageOptions.defaults().withGroup("staged");

    private static void run(Mely mely) {
        mely.start();
        assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).isDrained()).isTrue();
    }

    @Test
    void aPartsStages_runOnItsCores() {
        Partition partition = new Partition(2, Map.of("a", 0, "b", 1), 1, 0, 0);
        Mely mely = build(VisitPolicy.roundRobin().withPartition(partition), 4);
        Map<String, Set<String>> threads = new ConcurrentHashMap<>();
        CyclicBarrier meeting = new CyclicBarrier(4);
        for (String name : List.of("a", "b")) {
            Stage<String> stage = mely.stage(name, STAGED, event -> {
                meeting.await(Await.PATIENCE_S, TimeUnit.SECONDS); // each core one
                threads.computeIfAbsent(name, key -> ConcurrentHashMap.newKeySet())
                        .add(Thread.currentThread().getName());
            });
            stage.send("x");
            stage.send("y");
        }
        run(mely);
        assertThat(threads.get("a")).hasSize(2).doesNotContainAnyElementsOf(threads.get("b"));
        assertThat(threads.get("b")).hasSize(2);
    }

    @Test
    void copies_keepWhatACoreSends_andTakeTheRestInTurn() {
        Mely mely = build(VisitPolicy.roundRobin().withReplicas(2), 2);
        Set<String> pairs = ConcurrentHashMap.newKeySet();
        CyclicBarrier meeting = new CyclicBarrier(2);
        Stage<String> second = mely.stage(
                "second",
                STAGED,
                first -> pairs.add(first + " " + Thread.currentThread().getName()));
        Stage<String> first = mely.stage("first", STAGED, event -> {
            meeting.await(Await.PATIENCE_S, TimeUnit.SECONDS); // they run on both cores
            for (int i = 0; i < 100; i++) {
                second.send(Thread.currentThread().getName());
            }
        });
        first.send("x");
        first.send("y");
        run(mely);
        assertThat(pairs).hasSize(2).allSatisfy(pair -> {
            String[] threads = pair.split(" ");
            assertThat(threads[1]).isEqualTo(threads[0]);
        });
    }

    // A single-threaded stage is in one part. What comes behind it must not be: that part would have all the work.
    @Test
    void copies_takeWhatASingleThreadedStageSendsInTurn() {
        Mely mely = build(VisitPolicy.cohort().withReplicas(2), 2);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        CyclicBarrier meeting = new CyclicBarrier(2);
        Stage<Integer> behind = mely.stage("behind", STAGED, event -> {
            meeting.await(Await.PATIENCE_S, TimeUnit.SECONDS); // they run on both cores
            threads.add(Thread.currentThread().getName());
        });
        Stage<Integer> single = mely.stage("single", STAGED.asSingleThreaded(), event -> {
            behind.send(1);
            behind.send(2);
        });
        single.send(0);
        run(mely);
        assertThat(threads).hasSize(2);
    }

    @Test
    void copies_keepColorsInOnePart() {
        Mely mely = build(VisitPolicy.cohort().withReplicas(2), 2);
        Map<Integer, Set<String>> threads = new ConcurrentHashMap<>();
        Stage<Integer> stage = mely.stage(
                "s",
                STAGED,
                event -> threads.computeIfAbsent(event, key -> ConcurrentHashMap.newKeySet())
                        .add(Thread.currentThread().getName()));
        for (int i = 0; i < 1_000; i++) {
            stage.send(mely.colorAt(i % 8), i % 8);
        }
        run(mely);
        assertThat(threads)
                .hasSize(8)
                .allSatisfy((color, its) -> assertThat(its).hasSize(1));
    }

    @Test
    void badArguments_areNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VisitPolicy.cohort().withReplicas(0))
                .withMessageContaining("copies=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> build(VisitPolicy.cohort().withReplicas(2), 3))
                .withMessageContaining("cores=3, parts=2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Partition.of(new StageGraph(List.of(), List.of()), 0))
                .withMessageContaining("parts=0");
    }
}
