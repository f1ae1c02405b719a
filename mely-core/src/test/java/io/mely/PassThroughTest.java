// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.policy.PoolPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// Stages that are called by their senders: spec stages §1.1, and §15 check 1.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PassThroughTest {
    private static final StageOptions CALLED = StageOptions.defaults().withGroup("called");

    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private final List<ErrorHandler.Failure> failures = Collections.synchronizedList(new ArrayList<>());
    private Mely mely = build(2, Policy.colored());

    private Mely build(int cores, Policy main) {
        return Mely.builder()
                .cores(cores)
                .policy(main)
                .policy("called", Policy.passThrough())
                .errorHandler(failures::add)
                .build();
    }

    private void run() {
        mely.start();
        assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).isDrained()).isTrue();
        MelyStats stats = mely.stats();
        assertThat(stats.sent()).isEqualTo(stats.run() + stats.refused());
    }

    @AfterEach
    void close() {
        mely.close();
    }

    private Stage<String> noting(String name, StageOptions options) {
        return mely.stage(name, options, event -> ran.add(name + event));
    }

    /** The senders are the same, whether the second stage is called or has a queue. */
    private List<String> order(String group) {
        ran.clear();
        mely.close();
        mely = Mely.builder()
                .cores(1)
                .policy("called", Policy.passThrough())
                .policy("queued", Policy.centralQueue())
                .build();
        Stage<String> second = noting("second", StageOptions.defaults().withGroup(group));
        Stage<String> first = mely.stage("first", event -> {
            ran.add("begins");
            second.send(event);
            ran.add("ends");
        });
        first.send(mely.color(1), "x");
        run();
        return List.copyOf(ran);
    }

    @Test
    void aStageIsCalledOrHasAQueue_byItsGroupAlone() {
        assertThat(order("called")).containsExactly("begins", "secondx", "ends");
        assertThat(order("queued")).containsExactly("begins", "ends", "secondx");
    }

    @Test
    void sender_ofAnyThread_runsTheHandlerItself() {
        List<Thread> threads = new ArrayList<>();
        Stage<String> called = mely.stage("called", CALLED, event -> threads.add(Thread.currentThread()));
        called.send("from outside");
        assertThat(threads).containsExactly(Thread.currentThread());
        run();
        assertThat(called.stats().run()).isEqualTo(1);
        assertThat(called.stats().pending()).isZero();
    }

    @Test
    void eventInTheSendersColor_isCalled_andInAnotherColorItWaits() {
        mely.close();
        mely = build(1, Policy.colored());
        Stage<String> called = mely.stage(
                "called", CALLED, event -> ran.add(event + Color.current().slot()));
        Color mine = mely.colorAt(6);
        mine.execute(() -> {
            called.send(mine, "mine");
            called.send(mely.colorAt(6), "same");
            called.send(mely.colorAt(8), "other");
            called.send("none");
            ran.add("ends");
        });
        run();
        assertThat(ran).containsExactly("mine6", "same6", "none6", "ends", "other8");
    }

    /** Called stages a and b in a ring: each round is one event, however many rounds a client asks for. */
    private void ringRuns(int rounds, boolean isColored) {
        List<Stage<Integer>> ring = new ArrayList<>();
        Map<Thread, AtomicInteger> depths = new ConcurrentHashMap<>();
        AtomicInteger deepest = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            Handler<Integer> handler = left -> {
                AtomicInteger depth = depths.computeIfAbsent(Thread.currentThread(), thread -> new AtomicInteger());
                deepest.accumulateAndGet(depth.incrementAndGet(), Math::max);
                ran.add("x");
                Stage<Integer> next = ring.get(1 - left % 2);
                boolean isSent =
                        left == 0 || (isColored ? next.offer(Color.current(), left - 1) : next.offer(left - 1));
                assertThat(isSent).isTrue();
                depth.decrementAndGet();
            };
            ring.add(mely.stage("ring" + i, CALLED, handler));
        }
        Color color = mely.color(1);
        color.execute(() -> {
            if (isColored) {
                ring.get(1 - rounds % 2).send(color, rounds);
            } else {
                ring.get(1 - rounds % 2).send(rounds);
            }
        });
        run();
        assertThat(ran).hasSize(rounds + 1);
        assertThat(deepest).hasValue(2);
    }

    @Test
    void cycleOfCalledStages_isLeftBeforeAHandlerIsEnteredAgain() {
        ringRuns(20_001, true);
    }

    @Test
    void cycleOfCalledStages_withoutColors() {
        ringRuns(20_000, false);
    }

    @Test
    void stageThatSendsToItself_isEnteredOnce_onAThreadOfAnyKind() {
        List<Stage<Integer>> self = new ArrayList<>();
        self.add(mely.stage("self", CALLED, left -> {
            ran.add("begins" + left);
            if (left > 0) {
                self.get(0).send(left - 1);
            }
            ran.add("ends" + left);
        }));
        self.get(0).send(1);
        assertThat(ran).containsExactly("begins1", "ends1");
        run();
        assertThat(ran).containsExactly("begins1", "ends1", "begins0", "ends0");
    }

    @Test
    void eventInAnotherColor_waitsInTheGroupOfStagesWithoutOne() {
        mely.close();
        mely = build(2, Policy.of("pool", PoolPolicy.shared(1)));
        AtomicReference<String> thread = new AtomicReference<>();
        Stage<String> called = mely.stage(
                "called", CALLED, event -> thread.set(Thread.currentThread().getName()));
        called.send(mely.color(5), "x");
        run();
        assertThat(thread.get()).contains("pool-0");
    }

    @Test
    void singleThreadedStage_isNeverCalledByTwo() {
        int[] unguarded = {0};
        Stage<String> single = mely.stage("single", CALLED.asSingleThreaded(), event -> unguarded[0]++);
        Stage<String> first = mely.stage("first", single::send);
        for (int i = 0; i < 5_000; i++) {
            first.send(mely.colorAt(i % 64), "x");
        }
        run();
        assertThat(unguarded[0]).isEqualTo(5_000);
    }

    @Test
    void handlerThatThrows_isReported_andItsSenderGoesOn() {
        Stage<String> called = mely.stage("called", CALLED, event -> {
            throw new IllegalStateException(event);
        });
        Color color = mely.color(3);
        color.execute(() -> ran.add("sent " + called.offer("in a color")));
        ran.add("sent " + called.offer("outside"));
        run();
        assertThat(ran).containsExactly("sent true", "sent true");
        assertThat(failures).extracting(ErrorHandler.Failure::event).containsExactly("outside", "in a color");
        assertThat(failures).allSatisfy(failure -> assertThat(failure.stage()).isSameAs(called));
        assertThat(failures.get(0).core()).isEqualTo(-1);
        assertThat(failures.get(1).color()).isSameAs(color);
        assertThat(called.stats().failed()).isEqualTo(2);
    }

    /** As between any two handlers. */
    @Test
    void interruptThatItLeaves_isNotForItsSender() {
        Stage<String> called = mely.stage("called", CALLED, event -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("planned");
        });
        Color color = mely.color(3);
        color.execute(() -> {
            called.send("x");
            ran.add("interrupted " + Thread.currentThread().isInterrupted());
        });
        run();
        assertThat(ran).containsExactly("interrupted false");
    }

    @Test
    void whatItSends_isSentAsByItsSender() {
        AtomicReference<Stage<String>> last = new AtomicReference<>();
        Stage<String> called = mely.stage("called", CALLED, event -> last.get().send(Color.current(), event));
        last.set(noting("last", StageOptions.defaults()));
        Color color = mely.color(3);
        Stage<String> first = mely.stage("first", event -> {
            called.send(event);
            called.send(Color.current(), event + event);
        });
        first.send(color, "x");
        run();
        assertThat(ran).containsExactly("lastx", "lastxx");
    }

    @Test
    void afterTheClose_itIsRefused() {
        Stage<String> called = noting("called", CALLED);
        run();
        assertThat(called.offer("late")).isFalse();
        assertThat(called.stats().refused()).isEqualTo(1);
        assertThat(ran).isEmpty();
    }

    @Test
    void stagesWithoutAGroup_cannotBeCalled() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Mely.builder().policy(Policy.passThrough()))
                .withMessageContaining("pass-through");
    }
}
