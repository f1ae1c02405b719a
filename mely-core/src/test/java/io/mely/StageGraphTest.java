// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.mely.StageGraph.Edge;
import io.mely.StageGraph.Node;
import io.mely.StageGraph.Warning;
import io.mely.StageGraph.Warning.Kind;
import io.mely.policy.PoolPolicy;
import io.mely.runtime.Hooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StageGraphTest {
    private final FakeClock clock = new FakeClock();

    private static void run(Mely mely) {
        mely.start();
        closes(mely);
    }

    private static void closes(Mely mely) {
        assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).isDrained()).isTrue();
    }

    private MelyBuilder builder() {
        return Hooks.NONE
                .withClock(clock)
                .on(Mely.builder())
                .cores(2)
                .policy("central", Policy.centralQueue())
                .policy("called", Policy.passThrough())
                .policy("pool", Policy.of("pool", PoolPolicy.perStage(3)));
    }

    private static StageOptions in(String group) {
        return StageOptions.defaults().withGroup(group);
    }

    @Test
    void edges_countWhoSendsToWhom_inEveryGroup_andAcrossCalls() {
        Mely mely = builder().build();
        Stage<String> last = mely.stage("last", event -> {});
        Stage<String> called = mely.stage("called", in("called"), last::send);
        Stage<String> pooled = mely.stage("pooled", in("pool"), event -> called.send(event));
        Stage<String> central = mely.stage("central", in("central"), event -> {
            called.send(event);
            pooled.send(event);
        });
        Stage<String> first = mely.stage("first", event -> {
            central.send(event);
            central.send(mely.color(7), event);
            last.send(Color.current(), event); // in the record of the event that runs
        });
        called.send("from outside");
        for (int i = 0; i < 3; i++) {
            first.send(mely.color(i), "x");
        }
        run(mely);
        StageGraph graph = mely.graph();
        assertThat(graph.nodes())
                .extracting(Node::name)
                .containsExactly("execute", "last", "called", "pooled", "central", "first");
        assertThat(graph.nodes())
                .extracting(Node::group)
                .containsExactly("main", "main", "called", "pool", "central", "main");
        assertThat(graph.nodes()).extracting(Node::threads).startsWith(2, 2, 2).endsWith(2, 2);
        assertThat(graph.edges())
                .containsExactly(
                        new Edge(-1, 1, 1),
                        new Edge(2, 1, 12),
                        new Edge(5, 1, 3),
                        new Edge(-1, 2, 1),
                        new Edge(3, 2, 6),
                        new Edge(4, 2, 6),
                        new Edge(4, 3, 6),
                        new Edge(5, 4, 6),
                        new Edge(-1, 5, 3));
        assertThat(graph.warnings()).isEmpty();
    }

    // The stage whose event begins has not sent it.
    @Test
    void whatAWaiterForRoomSends_comesFromNoStage() {
        Mely mely = builder().build();
        Stage<String> after = mely.stage("after", event -> {});
        Stage<String> full = mely.stage("full", StageOptions.defaults().withCapacity(1), event -> {});
        full.send("x");
        assertThat(full.whenRoom(() -> after.send(mely.color(1), "y"))).isTrue();
        run(mely);
        assertThat(mely.graph().edges()).containsExactly(new Edge(-1, 1, 1), new Edge(-1, 2, 1));
    }

    private static final long S = 1_000_000_000;

    @Test
    void loads_areOfTheThreads_andTheHighestIsTheBottleneck() {
        Node half = GraphNodes.node("half", 2, 1_000_000, 1_000, 1_000);
        Node most = GraphNodes.node("most", 1, 1_000_000, 850, 800);
        Node idle = GraphNodes.node("idle", 1, S, 0, 0);
        assertThat(half.arrivalsPerS()).isEqualTo(1_000);
        assertThat(half.servicePerS()).isEqualTo(1_000);
        assertThat(half.rho()).isCloseTo(.5, within(1e-9));
        assertThat(new StageGraph(List.of(half, most, idle), List.of()).bottleneck())
                .isSameAs(most);
        assertThat(new StageGraph(List.of(idle), List.of()).bottleneck()).isNull();
    }

    @Test
    void warnings_nameWhatIsOdd() {
        List<Node> nodes = List.of(
                GraphNodes.node("execute", 1, 1, 0, 0),
                GraphNodes.node("a", 1, 1_000_000, 950, 950),
                GraphNodes.node("b", 1, 1_000, 1, 1),
                GraphNodes.node("c", 1, 1_000, 0, 0));
        List<Edge> edges = new ArrayList<>(List.of(new Edge(-1, 1, 9), new Edge(1, 2, 9), new Edge(1, 3, 9)));
        assertThat(new StageGraph(nodes, edges).warnings())
                .containsExactly(
                        new Warning(Kind.SATURATED, List.of(1), "stage a is saturated: its load is 0.95"),
                        new Warning(Kind.DEAD, List.of(3), "stage c has been sent nothing"));
        edges.add(new Edge(2, 1, 1));
        assertThat(new StageGraph(nodes, edges).warnings())
                .contains(new Warning(Kind.CYCLE, List.of(1, 2), "events may go round: a -> b -> a"));
        edges.set(3, new Edge(3, 3, 1));
        assertThat(new StageGraph(nodes, edges).warnings())
                .contains(new Warning(Kind.CYCLE, List.of(3), "events may go round: c -> c"));
    }

    @Test
    void since_isWhatHasHappenedBetween_alsoOfStagesThatWereMade() {
        Mely mely = builder().build().start();
        Stage<String> one = mely.stage("same name", event -> {});
        one.send("x");
        Await.until("it ran", () -> mely.stats().run() == 1);
        StageGraph earlier = mely.graph();
        clock.advance(S);
        Stage<String> other = mely.stage("same name", event -> one.send(event));
        other.send("y");
        closes(mely);
        StageGraph graph = mely.graph().since(earlier);
        assertThat(graph.edges()).containsExactly(new Edge(2, 1, 1), new Edge(-1, 2, 1));
        assertThat(graph.nodes().get(1).arrivalsPerS()).isEqualTo(1);
        assertThat(graph.nodes().get(1).stats().run()).isEqualTo(1);
    }
}
