// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.Await;
import io.mely.FakeClock;
import io.mely.Handler;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Sized;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.runtime.Hooks;
import io.mely.spi.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// Visits, services and disciplines on one core, whose events are all sent before it starts: spec stages §15, checks 2,
// 5, 6 and 7.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VisitPolicyTest {
    private static final String GROUP = "staged";

    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final FakeClock clock = new FakeClock();
    private Mely mely = Mely.builder().cores(1).build();

    private record Sizes(String name, long size) implements Sized {
        @Override
        public String toString() {
            return name;
        }
    }

    private void build(VisitPolicy policy, int cores) {
        mely.close();
        mely = Hooks.NONE
                .withClock(clock)
                .on(Mely.builder())
                .cores(cores)
                .policy(GROUP, Policy.of(GROUP, policy))
                .build();
    }

    private void build(VisitPolicy policy) {
        build(policy, 1);
    }

    private <E> Stage<E> stage(String name, Handler<E> handler) {
        return mely.stage(name, StageOptions.defaults().withGroup(GROUP), event -> {
            ran.add(name + event);
            handler.handle(event);
        });
    }

    private <E> Stage<E> stage(String name) {
        return stage(name, event -> {});
    }

    private void run() {
        mely.start();
        drain();
    }

    private void drain() {
        assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).isDrained()).isTrue();
    }

    @AfterEach
    void close() {
        mely.close();
    }

    private static final class Adding implements Handler<Integer> {
        private Stage<Integer> to;
        private int left = 3;

        @Override
        public void handle(Integer event) {
            if (left > 0) {
                left--;
                to.send(event + 10);
            }
        }
    }

    /** Six events, of which the first three add one each; another stage has one event. Returns how many the first visit runs. */
    private int firstVisit(Service service) {
        build(VisitPolicy.roundRobin().withService(service));
        Adding adding = new Adding();
        adding.to = stage("a", adding);
        Stage<Integer> other = stage("b");
        for (int i = 0; i < 6; i++) {
            adding.to.send(i);
        }
        other.send(0);
        run();
        assertThat(ran).hasSize(10);
        return ran.indexOf("b0");
    }

    @Test
    void exhaustive_alsoRunsWhatComesMeanwhile() {
        assertThat(firstVisit(Service.exhaustive())).isEqualTo(9);
    }

    @Test
    void gated_runsWhatWaitedAtFirst() {
        assertThat(firstVisit(Service.gated())).isEqualTo(6);
    }

    @Test
    void gatedByNumber_runsAsMany() {
        assertThat(firstVisit(Service.gated(4))).isEqualTo(4);
        ran.clear();
        assertThat(firstVisit(Service.gated(40))).isEqualTo(6);
    }

    @Test
    void timed_endsWithTheEventThatIsRunWhenTheTimeHasPassed() {
        build(VisitPolicy.roundRobin().withService(Service.timed(Duration.ofNanos(50_000))));
        Stage<Integer> one = stage("a", event -> clock.advance(20_000));
        Stage<Integer> other = stage("b");
        for (int i = 0; i < 6; i++) {
            one.send(i);
        }
        other.send(0);
        run();
        assertThat(ran).containsExactly("a0", "a1", "a2", "b0", "a3", "a4", "a5");
    }

    @Test
    void aVisitOutlastsTheTimeSliceOfTheCore() {
        build(VisitPolicy.roundRobin());
        Stage<Integer> one = stage("a", event -> clock.advance(10_000_000));
        Stage<Integer> other = stage("b");
        one.send(0);
        one.send(1);
        other.send(0);
        run();
        assertThat(ran).containsExactly("a0", "a1", "b0");
    }

    @Test
    void cutoff_leavesWhatIsLargeForTheNextVisit_whichBeginsWithIt() {
        build(VisitPolicy.roundRobin().withService(Service.cutoff(10)));
        Stage<Sizes> one = stage("a");
        Stage<Sizes> other = stage("b");
        one.send(new Sizes("large", 11));
        one.send(new Sizes("first", 10));
        one.send(new Sizes("huge", 1_000));
        one.send(new Sizes("second", 0));
        other.send(new Sizes("x", 0));
        run();
        assertThat(ran).containsExactly("afirst", "asecond", "bx", "alarge", "ahuge");
    }

    @Test
    void smallestFirst_byTheSizeOfTheEvent_andOfThatOfItsStageIfItHasNone() {
        build(VisitPolicy.roundRobin().withDiscipline(Discipline.SMALLEST_FIRST));
        Stage<Object> stage = mely.stage(
                "sorted",
                StageOptions.defaults().withGroup(GROUP).withProcessingTime(Duration.ofNanos(40)),
                event -> ran.add(event.toString()));
        for (long size : new long[] {50, 10, 1_000_000, 30, 10}) {
            stage.send(new Sizes("of" + size, size));
        }
        stage.send("unsized");
        stage.send((Sized) () -> {
            throw new IllegalStateException("planned");
        });
        run();
        assertThat(ran).startsWith("of10", "of10", "of30", "unsized").endsWith("of50", "of1000000");
    }

    @Test
    void lastInFirstOut() {
        build(VisitPolicy.roundRobin().withDiscipline(Discipline.LAST_IN_FIRST_OUT));
        Stage<Integer> stage = stage("s");
        for (int i = 0; i < 4; i++) {
            stage.send(i);
        }
        run();
        assertThat(ran).containsExactly("s3", "s2", "s1", "s0");
    }

    @Test
    void colorsKeepTheirOrder_whateverTheDiscipline() {
        for (Discipline discipline : Discipline.values()) {
            ran.clear();
            build(VisitPolicy.roundRobin().withDiscipline(discipline));
            Stage<Sizes> one = stage("a");
            Stage<Sizes> other = stage("b");
            for (int i = 9; i > 0; i--) {
                (i % 3 == 0 ? other : one).send(mely.color(5), new Sizes(i + "", i));
            }
            run();
            assertThat(ran).as("%s", discipline).containsExactly("b9", "a8", "a7", "b6", "a5", "a4", "b3", "a2", "a1");
        }
    }

    private void threshold(boolean isThirdBeyond) {
        build(VisitPolicy.cohort().withSwitch(10, Duration.ofDays(1)));
        List<Stage<Integer>> stages = new ArrayList<>();
        stages.add(stage("b", event -> {
            if (event == 5 && isThirdBeyond) {
                sendAll(stages.get(2), 11);
            }
        }));
        stages.add(stage(
                "a",
                event -> { // the first that is visited
                    if (event == 9) {
                        sendAll(stages.get(0), 11);
                    }
                }));
        stages.add(stage("c"));
        sendAll(stages.get(1), 100);
        run();
    }

    private String runs() {
        return String.join("", ran).replaceAll("[0-9]", "");
    }

    @Test
    void threshold_interruptsAVisit_untilTheOtherStageIsEmpty() {
        threshold(false);
        assertThat(runs()).isEqualTo("a".repeat(10) + "b".repeat(11) + "a".repeat(90));
    }

    @Test
    void threshold_insideOfASwitch_waitsForItsEnd() {
        threshold(true);
        assertThat(runs()).isEqualTo("a".repeat(10) + "b".repeat(11) + "c".repeat(11) + "a".repeat(90));
    }

    private static void sendAll(Stage<Integer> to, int events) {
        for (int i = 0; i < events; i++) {
            to.send(i);
        }
    }

    @Test
    void threshold_ofTime_interruptsForAStageThatHasWaited() {
        build(VisitPolicy.cohort().withSwitch(1_000, Duration.ofMillis(5)));
        Stage<Integer> waits = stage("b");
        Stage<Integer> visited = stage("a", event -> clock.advance(2_000_000));
        sendAll(visited, 6);
        waits.send(0);
        run();
        assertThat(ran).containsExactly("a0", "a1", "a2", "b0", "a3", "a4", "a5");
    }

    @Test
    void stacks_takeWhatTheCoreItselfSends_theYoungestFirst_beforeTheQueue() {
        build(VisitPolicy.cohort().withStacks());
        Stage<Integer> shared = stage("t");
        Stage<Integer> sends = stage("s", event -> sendAll(shared, 3));
        shared.send(8);
        shared.send(9);
        sends.send(0);
        run();
        assertThat(ran).containsExactly("s0", "t2", "t1", "t0", "t8", "t9");
    }

    @Test
    void stacks_areNotForSingleThreadedStages() {
        build(VisitPolicy.cohort().withStacks());
        Stage<Integer> single = mely.stage(
                "t", StageOptions.defaults().withGroup(GROUP).asSingleThreaded(), event -> ran.add("t" + event));
        Stage<Integer> sends = stage("s", event -> sendAll(single, 3));
        single.send(8);
        sends.send(0);
        run();
        assertThat(ran).containsExactly("s0", "t8", "t0", "t1", "t2");
    }

    @Test
    void aCoreThatMeetsABusySingleThreadedStage_goesOn() {
        build(VisitPolicy.roundRobin(), 2);
        CountDownLatch otherHasRun = new CountDownLatch(1);
        Stage<Integer> single =
                mely.stage("single", StageOptions.defaults().withGroup(GROUP).asSingleThreaded(), event -> {
                    assertThat(otherHasRun.await(Await.PATIENCE_S, TimeUnit.SECONDS))
                            .isTrue();
                    ran.add("single");
                });
        Stage<Integer> other = stage("other", event -> otherHasRun.countDown());
        single.send(0);
        single.send(1);
        other.send(2);
        run();
        assertThat(ran).containsExactly("other2", "single", "single");
    }

    // Check 4: a pipeline with work everywhere. The end is visited until it is empty, then the stage before it.
    @Test
    void srpt_keepsTheEndOfAPipelineEmpty() {
        build(VisitPolicy.srpt("c", "b", "a"));
        Stage<Integer> end = stage("c");
        Stage<Integer> middle = stage("b", end::send);
        Stage<Integer> begin = stage("a", middle::send);
        for (Stage<Integer> each : List.of(begin, middle, end)) {
            sendAll(each, 2);
        }
        run();
        assertThat(runs()).isEqualTo("cc" + "bb" + "cc" + "aa" + "bb" + "cc");
    }

    // Check 7 on two cores: the core that is in the handler runs what that has sent.
    @Test
    void stacks_areRunByTheCoreThatHasSent() {
        AtomicReference<Workers> workers = new AtomicReference<>();
        mely.close();
        mely = Mely.builder()
                .cores(2)
                .policy(GROUP, Policy.of(GROUP, of -> {
                    workers.set(of);
                    return VisitPolicy.roundRobin().withStacks().create(of);
                }))
                .build();
        Map<Integer, Integer> sentOn = new ConcurrentHashMap<>();
        List<Integer> elsewhere = Collections.synchronizedList(new ArrayList<>());
        Stage<Integer> there = stage("b", event -> {
            if (sentOn.get(event) != workers.get().handlerCore()) {
                elsewhere.add(event);
            }
        });
        Stage<Integer> here = stage("a", event -> {
            sentOn.put(event, workers.get().handlerCore());
            there.send(event);
        });
        sendAll(here, 1_000);
        run();
        assertThat(there.stats().run()).isEqualTo(1_000);
        assertThat(elsewhere).isEmpty();
    }

    // A core does not visit the stages of the other part, so nothing may lie on its stacks there.
    @Test
    void stacks_areOfCoresThatVisitTheStage() {
        Partition partition = new Partition(2, Map.of("a", 0, "b", 1), 1, 0, 0);
        build(VisitPolicy.cohort().withPartition(partition).withStacks(), 2);
        Stage<Integer> there = stage("b");
        Stage<Integer> here = stage("a", there::send);
        for (int i = 0; i < 50; i++) {
            here.send(i);
        }
        run();
        assertThat(there.stats().run()).isEqualTo(50);
    }

    @Test
    void stacks_ofReplicas_areOfCoresThatVisitThem() {
        build(VisitPolicy.cohort().withReplicas(2).withStacks(), 2);
        Stage<Integer> there = stage("b");
        Stage<Integer> here = stage("a", event -> there.send(mely.color(event), event));
        for (int i = 0; i < 50; i++) {
            here.send(i);
        }
        run();
        assertThat(there.stats().run()).isEqualTo(50);
    }

    // Ten lanes on the stack of a core that is in a handler are no reason for another core to pass over one that it can
    // run.
    @Test
    void stacksOfOtherCores_areNotWhatACoreChoosesBy() throws Exception {
        mely.close();
        mely = Mely.builder()
                .cores(2)
                .policy(Policy.colored().withThreadsPerCore(1))
                .policy(GROUP, Policy.of(GROUP, VisitPolicy.longestQueueFirst().withStacks()))
                .build();
        CountDownLatch hasSent = new CountDownLatch(1);
        CountDownLatch otherHasRun = new CountDownLatch(1);
        Stage<Integer> onStack = stage("a");
        Stage<Integer> other = stage("b", event -> otherHasRun.countDown());
        Stage<Integer> first = stage("c", event -> {
            for (int i = 0; i < 10; i++) {
                onStack.send(i);
            }
            hasSent.countDown();
            assertThat(otherHasRun.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        });
        mely.start();
        first.send(0);
        assertThat(hasSent.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        other.send(0);
        drain();
        assertThat(ran).contains("b0").hasSize(12);
        assertThat(first.stats().failed()).isZero();
    }

    // What a color of another group sends goes to the replicas in turn, or that color's core would run it all.
    @Test
    void replicas_shareWhatAColorSends() {
        List<Visits> groups = new ArrayList<>();
        VisitPolicy policy = VisitPolicy.roundRobin().withReplicas(2);
        mely.close();
        mely = Mely.builder()
                .cores(2)
                .policy(GROUP, Policy.of(GROUP, workers -> {
                    Visits made = (Visits) policy.create(workers);
                    groups.add(made);
                    return made;
                }))
                .build();
        Stage<Integer> to = stage("a");
        Stage<Integer> from = mely.stage("from", to::send);
        for (int i = 0; i < 10; i++) {
            from.send(mely.color(1), i);
        }
        run();
        assertThat(ran).hasSize(10);
        for (int core = 0; core < 2; core++) {
            StageVisitor visitor = (StageVisitor) groups.get(0).visitor(core);
            assertThat(visitor.successes()).as("core %d", core).isPositive();
        }
    }

    @Test
    void visits_areCounted_andThoseThatFindSomething() {
        List<Visits> groups = new ArrayList<>();
        VisitPolicy policy = VisitPolicy.roundRobin();
        mely.close();
        mely = Mely.builder()
                .cores(1)
                .policy(GROUP, Policy.of(GROUP, workers -> {
                    Visits made = (Visits) policy.create(workers);
                    groups.add(made);
                    return made;
                }))
                .build();
        Stage<Integer> one = stage("a");
        Stage<Integer> other = stage("b");
        other.send(0);
        other.send(1);
        run();
        StageVisitor visitor = (StageVisitor) groups.get(0).visitor(0);
        assertThat(visitor.successes()).isEqualTo(1);
        assertThat(visitor.visits()).as("the first stage was visited in vain").isGreaterThanOrEqualTo(2);
        assertThat(one.stats().run()).isZero();
    }

    @Test
    void badArguments_areNamed() {
        assertThatIllegalArgumentException().isThrownBy(() -> Service.gated(0)).withMessageContaining("most=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Service.cutoff(-1))
                .withMessageContaining("sizeMax=-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Service.timed(Duration.ZERO))
                .withMessageContaining("time=PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VisitPolicy.cohort().withSwitch(-1, Duration.ZERO))
                .withMessageContaining("waitingMax=-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VisitPolicy.cohort().withSwitch(0, Duration.ofNanos(-1)))
                .withMessageContaining("unvisitedMax=PT-0.000000001S");
    }
}
