// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static io.mely.BuilderAccess.tune;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.mely.runtime.Hooks;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// Several groups in one runtime: colors keep their order across them, one close covers them.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupsTest {
    private static final String GROUP = "aside";
    private static final StageOptions ASIDE = StageOptions.defaults().withGroup(GROUP);
    private static final Duration PATIENCE = Duration.ofSeconds(Await.PATIENCE_S);

    private static MelyBuilder builder() {
        return Mely.builder().cores(2).colors(64).policy(GROUP, Policy.centralQueue());
    }

    private static void closes(Mely mely) {
        assertThat(mely.close(PATIENCE)).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
    }

    @Test
    void color_acrossTwoGroups_keepsItsOrder() {
        Mely mely = builder().build();
        List<List<Integer>> ran = new ArrayList<>(); // by color; not safe for several threads: that is the point
        for (int i = 0; i < 8; i++) {
            ran.add(new ArrayList<>());
        }
        List<Stage<Integer>> stages = new ArrayList<>();
        Handler<Integer> handler = number -> ran.get(Color.current().slot() - 1).add(number);
        stages.add(mely.stage("cores'", handler));
        stages.add(mely.stage("group's", ASIDE, handler));
        mely.start();
        for (int i = 0; i < 20_000; i++) {
            assertThat(stages.get(i / 3 % 2).offer(mely.colorAt(1 + i % 8), i)).isTrue();
        }
        closes(mely);
        for (int color = 0; color < 8; color++) {
            List<Integer> expected = new ArrayList<>();
            for (int i = color; i < 20_000; i += 8) {
                expected.add(i);
            }
            assertThat(ran.get(color)).isEqualTo(expected);
        }
    }

    // A chain that goes to and fro between the groups in one color, and in another color each time.
    @Test
    void handlers_sendFromGroupToGroup() {
        Mely mely = builder().build();
        AtomicReference<Stage<Integer>> there = new AtomicReference<>();
        AtomicReference<Stage<Integer>> here = new AtomicReference<>();
        AtomicInteger ran = new AtomicInteger();
        here.set(mely.stage("here", left -> {
            ran.incrementAndGet();
            if (left > 0) {
                assertThat(there.get().offer(Color.current(), left - 1)).isTrue();
                assertThat(there.get().offer(mely.colorAt(1 + left % 60), 0)).isTrue();
            }
        }));
        there.set(mely.stage("there", ASIDE, left -> {
            ran.incrementAndGet();
            if (left > 0) {
                assertThat(here.get().offer(Color.current(), left - 1)).isTrue();
            }
        }));
        mely.start();
        for (int slot = 1; slot < 9; slot++) {
            assertThat(here.get().offer(mely.colorAt(slot), 1_000)).isTrue();
        }
        closes(mely);
        assertThat(ran).hasValue(8 * (1_001 + 500));
    }

    // What one hold of a lock hands over comes in order: the central queue is first in, first out for colors, too.
    @Test
    void colorsThatAreHandedOver_comeInOrder() {
        Mely mely = builder().cores(1).build();
        List<Integer> ran = new ArrayList<>();
        Stage<Integer> stage = mely.stage("s", ASIDE, ran::add);
        for (int slot = 1; slot <= 20; slot++) {
            assertThat(stage.offer(mely.colorAt(slot), slot)).isTrue();
        }
        mely.start();
        closes(mely);
        assertThat(ran).isSorted().hasSize(20);
    }

    // While the home of a color is in a handler, another core runs what a group has of that color.
    @Test
    void homeInAHandler_holdsUpNoGroup() throws InterruptedException {
        Mely mely = Hooks.NONE
                .withPlacement(slot -> 0)
                .on(tune(builder(), p -> p.withThreadsPerCore(1)))
                .build()
                .start();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch isInside = new CountDownLatch(1);
        mely.colorAt(1).execute(() -> {
            isInside.countDown();
            try {
                assertThat(release.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        AtomicInteger ran = new AtomicInteger();
        Stage<String> stage = mely.stage("s", ASIDE, event -> ran.incrementAndGet());
        for (int slot = 2; slot <= 9; slot++) {
            assertThat(stage.offer(mely.colorAt(slot), "x")).isTrue();
        }
        Await.until("all have run", () -> ran.get() == 8);
        release.countDown();
        closes(mely);
    }

    // Commands are events of the group of stages that name none: a color is serial whichever way it is used.
    @Test
    void commandsAndEvents_ofOneColor_areSerial() {
        Mely mely = Mely.builder()
                .cores(2)
                .colors(64)
                .policy(Policy.of("threads", ThreadsGroup::new))
                .build()
                .start();
        List<Integer> ran = new ArrayList<>(); // not safe for several threads: that is the point
        Stage<Integer> stage = mely.stage("s", ran::add);
        for (int i = 0; i < 10_000; i++) {
            int number = i;
            if (i % 2 == 0) {
                assertThat(stage.offer(mely.colorAt(7), number)).isTrue();
            } else {
                mely.colorAt(7).execute(() -> ran.add(number));
            }
        }
        closes(mely);
        assertThat(ran).hasSize(10_000).isSorted();
        assertThat(mely.stats().pools().run()).isEqualTo(10_000);
    }

    @Test
    void afterAStop_aVisitRunsNoMore() {
        Mely mely = tune(builder(), p -> p.withThreadsPerCore(1).withTimeSlice(Duration.ofSeconds(10)))
                .cores(1)
                .build();
        AtomicReference<Thread> closer = new AtomicReference<>();
        AtomicInteger ran = new AtomicInteger();
        Stage<Integer> stage = mely.stage("s", ASIDE, number -> {
            if (ran.incrementAndGet() == 1) {
                Thread thread = new Thread(() -> mely.close(Duration.ZERO));
                thread.start();
                closer.set(thread);
                Await.until("stopped", () -> !mely.isAccepting());
                Await.until("stopped for good", () -> !stageAccepts(mely));
            }
        });
        for (int i = 0; i < 100; i++) {
            assertThat(stage.offer(i)).isTrue();
        }
        mely.start();
        Await.until("the close has begun", () -> closer.get() != null);
        Await.until("the close has ended", () -> !closer.get().isAlive());
        assertThat(ran).hasValue(1);
        assertThat(mely.stats().discarded()).isEqualTo(99);
    }

    private static boolean stageAccepts(Mely mely) {
        return mely.isAccepting() || !mely.toString().contains("stopped");
    }

    @Test
    void eventsWithoutAColor_runBesideEachOther_andHaveNone() {
        Mely mely = builder().build().start();
        CyclicBarrier meeting = new CyclicBarrier(2);
        Stage<String> stage = mely.stage("meets", ASIDE, event -> {
            assertThatIllegalStateException().isThrownBy(Color::current);
            meeting.await(Await.PATIENCE_S, TimeUnit.SECONDS);
        });
        for (int i = 0; i < 100; i++) {
            assertThat(stage.offer("x")).isTrue();
        }
        closes(mely);
        assertThat(mely.stats().run()).isEqualTo(100);
        assertThat(mely.stats().cores())
                .allSatisfy(core -> assertThat(core.failed()).isZero());
    }

    @Test
    void singleThreadedStageOfAGroup_neverRunsTwiceAtOnce() {
        Mely mely = builder().build().start();
        List<Integer> ran = new ArrayList<>(); // not safe for several threads: that is the point
        Stage<Integer> stage = mely.stage("single", ASIDE.asSingleThreaded(), ran::add);
        for (int i = 0; i < 10_000; i++) {
            assertThat(stage.offer(i)).isTrue();
        }
        closes(mely);
        assertThat(ran).hasSize(10_000).isSorted();
    }

    @Test
    void failureWithoutAColor_isToldOfItsStage() {
        List<ErrorHandler.Failure> failures = Collections.synchronizedList(new ArrayList<>());
        Mely mely = builder().errorHandler(failures::add).build().start();
        Stage<String> stage = mely.stage("throws", ASIDE, event -> {
            throw new IllegalStateException(event);
        });
        assertThat(stage.offer("on purpose")).isTrue();
        closes(mely);
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).stage()).isSameAs(stage);
        assertThat(failures.get(0).cause()).hasMessage("on purpose");
    }

    // While handlers of a group wait on both cores, the cores have other threads, and go on.
    @Test
    void waitingHandlersOfAGroup_holdUpNobody() {
        Mely mely = builder().build().start();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(4);
        Stage<String> waits = mely.stage("waits", ASIDE, event -> {
            waiting.countDown();
            assertThat(release.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        });
        for (int slot = 1; slot <= 4; slot++) {
            assertThat(waits.offer(mely.colorAt(slot), "x")).isTrue();
        }
        Await.until("all four wait", () -> waiting.getCount() == 0);
        AtomicInteger ran = new AtomicInteger();
        Stage<String> others = mely.stage("others", event -> ran.incrementAndGet());
        for (int slot = 1; slot <= 20; slot++) {
            assertThat(others.offer(mely.colorAt(10 + slot), "y")).isTrue();
        }
        Await.until("others run", () -> ran.get() == 20);
        release.countDown();
        closes(mely);
    }

    // A group's own threads may wait: the cores do not notice, and one close covers both.
    @Test
    void threadsOfAGroup_runWhatMayWait_andSendBack() throws InterruptedException {
        Mely mely = Mely.builder()
                .cores(1)
                .colors(64)
                .policy(Policy.colored().withThreadsPerCore(1))
                .policy(GROUP, Policy.of("threads", ThreadsGroup::new))
                .build()
                .start();
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger back = new AtomicInteger();
        Stage<Integer> answers = mely.stage("answers", number -> back.addAndGet(number));
        Stage<Integer> waits = mely.stage("waits", ASIDE, number -> {
            assertThat(Color.current().slot()).isEqualTo(number);
            assertThat(release.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(answers.offer(Color.current(), number)).isTrue();
            Color.current().execute(() -> back.addAndGet(100));
            Timer timer = Color.current().schedule(Duration.ofMillis(1), answers, 1_000);
            assertThat(timer.isPending()).isTrue();
        });
        for (int slot = 1; slot <= 4; slot++) {
            assertThat(waits.offer(mely.colorAt(slot), slot)).isTrue();
        }
        AtomicInteger ran = new AtomicInteger();
        for (int slot = 5; slot < 50; slot++) {
            mely.colorAt(slot).execute(ran::incrementAndGet);
        }
        Await.until("the core goes on", () -> ran.get() == 45);
        release.countDown();
        Await.until("all are back", () -> back.get() == 10 + 400 + 4_000);
        closes(mely);
        assertThat(mely.stats().pools().threads()).isEqualTo(2);
        assertThat(mely.stats().pools().run()).isEqualTo(4);
        assertThat(mely.stats().pools().sent()).isEqualTo(8);
    }

    @Test
    void closeWithoutPatience_countsWhatWaitsInAGroup() {
        Mely mely = builder().build();
        Stage<String> stage = mely.stage("never runs", ASIDE, event -> {});
        for (int i = 0; i < 10; i++) {
            assertThat(stage.offer(mely.colorAt(1 + i), "colored") && stage.offer("not"))
                    .isTrue();
        }
        Mely.CloseReport report = mely.close(Duration.ZERO);
        assertThat(report.discardedEvents()).isEqualTo(20);
        assertThat(stage.offer("late")).isFalse();
    }

    // A core that is in one group's handler when a close gives up does not go on to the next group.
    @Test
    void closeWithoutPatience_runsNothingOfTheNextGroup() {
        Mely mely = tune(builder(), p -> p.withThreadsPerCore(1)).cores(1).build();
        CountDownLatch isInside = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        Stage<String> holds = mely.stage("holds", event -> {
            isInside.countDown();
            Await.until("the close has given up", () -> mely.toString().contains("phase=stopped"));
        });
        Stage<String> aside = mely.stage("aside", ASIDE, event -> ran.incrementAndGet());
        assertThat(holds.offer(mely.colorAt(1), "x")).isTrue();
        mely.start();
        Await.until("it runs", () -> isInside.getCount() == 0);
        for (int i = 0; i < 10; i++) {
            assertThat(aside.offer("not colored")).isTrue();
        }
        assertThat(mely.close(Duration.ZERO)).isEqualTo(new Mely.CloseReport(false, 10, 0, 0));
        assertThat(ran).hasValue(0);
    }

    @Test
    void pendingEventsMax_holdsForAGroup() {
        Mely mely = builder().pendingEventsMax(1_024).build();
        Stage<String> stage = mely.stage("waits", ASIDE, event -> {});
        int accepted = 0;
        while (stage.offer("x")) {
            accepted++;
        }
        assertThat(accepted).isBetween(1_024, 2_048);
        mely.start();
        closes(mely);
        assertThat(mely.stats().run()).isEqualTo(accepted);
    }

    @Test
    void unknownGroup_isNamed_withThoseThatThereAre() {
        try (Mely mely = builder().build()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> mely.stage("s", StageOptions.defaults().withGroup("asied"), event -> {}))
                    .withMessage("group must be one of [aside, main]: group=asied, stage=s");
        }
    }

    // Cores steal for all groups: what a group says of it would be ignored.
    @Test
    void stealingOfAGroup_isRefused() {
        MelyBuilder builder = Mely.builder().policy(GROUP, Policy.colored(Stealing.off()));
        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessageStartingWith(
                        "the cores are tuned by the policy of group main: set it there, group=aside: policy=");
        Mely.builder()
                .policy(Policy.colored(Stealing.off()))
                .policy(GROUP, Policy.colored(Stealing.off()))
                .build()
                .close();
    }

    // A policy of one's own, in a dozen lines: last in, first out, by whatever core comes.
    @Test
    void policyOfOnesOwn_ordersLanes_andNeverColors() {
        List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
        Mely mely = Mely.builder()
                .cores(1)
                .colors(64)
                .policy(Policy.of("last-in-first-out", LastInFirstOut::new))
                .build();
        Stage<Integer> stage = mely.stage("s", ran::add);
        for (int i = 0; i < 4; i++) {
            assertThat(stage.offer(mely.colorAt(9), 10 + i)).isTrue();
            assertThat(stage.offer(i)).isTrue();
        }
        mely.start();
        closes(mely);
        assertThat(ran)
                .containsSubsequence(3, 2, 1, 0)
                .containsSubsequence(10, 11, 12, 13)
                .hasSize(8);
    }

    private static final class LastInFirstOut implements StageGroup, StageGroup.Sink, StageGroup.Visitor {
        private final Workers workers;
        private final ConcurrentLinkedQueue<Lane> added = new ConcurrentLinkedQueue<>();

        LastInFirstOut(Workers workers) {
            this.workers = workers;
        }

        @Override
        public Sink sink(Stage<?> stage) {
            return this;
        }

        @Override
        public Visitor visitor(int core) {
            return this;
        }

        @Override
        public void add(Lane lane) {
            added.add(lane);
            workers.wakeOne();
        }

        @Override
        public int run(Worker worker) {
            List<Lane> all = new ArrayList<>(added);
            Lane last = all.isEmpty() ? null : all.get(all.size() - 1);
            if (last == null || !added.remove(last)) {
                return 0;
            }
            worker.run(last);
            return 1;
        }

        @Override
        public boolean hasWork() {
            return !added.isEmpty();
        }
    }
}
