// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.policy.CentralQueue;
import io.mely.simulation.Stock;
import io.mely.spi.StageGroup;
import io.mely.spi.Supply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Stages whose events take something before they run: who waits, for how long, and who goes first.
class SteppedSupplyTest {
    private static final String GROUP = "aside";

    private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
    private Stepper stepper;

    @AfterEach
    void close() {
        stepper.close();
    }

    private void build(int cores, MelyBuilder builder) {
        build(cores, builder, Policy.centralQueue());
    }

    private static MelyBuilder withoutSpin() {
        return Mely.builder().policy(Policy.colored().withSpin(Duration.ZERO));
    }

    private void build(int cores, MelyBuilder builder, Policy aside) {
        stepper = new Stepper(builder.cores(cores).policy(GROUP, aside));
    }

    /** Steps the core until it has nothing to run, and would sleep. */
    private void settle() {
        stepper.run(0);
        while (Hooks.runtime(stepper.mely).parked().get() != 0) {
            stepper.rest(0);
            stepper.run(0);
        }
    }

    private static StageOptions with(Stock stock) {
        return StageOptions.defaults().withSupply(stock);
    }

    private Color color(int slot) {
        return stepper.mely.colorAt(slot);
    }

    /** A stage whose events keep what they take until it is freed. */
    private Stage<String> keeper(Stock stock, Deque<Stock.Item> kept, StageOptions options) {
        return stepper.mely.stage("keeper", options, name -> {
            ran.add(name);
            kept.add(stock.alloc());
        });
    }

    // spec Stingy §9, check 4: the run of the paper's figure 2. Three of O1 and four of O2: the fourth task is refused
    // at stage 2, and runs there after stage 3 has freed an O1.
    @ParameterizedTest
    @ValueSource(strings = {StageOptions.GROUP_DEFAULT, GROUP})
    void figure2_fourthTaskWaitsForAnO1(String group) {
        build(1, Mely.builder().policy(Policy.colored().withBatchThreshold(1))); // stage by stage
        Stock o1 = new Stock(1, 3, 1);
        Stock o2 = new Stock(1, 4, 1);
        Stock.Item[] ones = new Stock.Item[5];
        Stock.Item[] twos = new Stock.Item[5];
        StageOptions options = StageOptions.defaults().withGroup(group);
        AtomicReference<Stage<Integer>> second = new AtomicReference<>();
        AtomicReference<Stage<Integer>> third = new AtomicReference<>();
        Stage<Integer> first = stepper.mely.stage("1", options.withSupply(o2), task -> {
            ran.add("1." + task);
            twos[task] = o2.alloc();
            second.get().offer(color(task), task);
        });
        second.set(stepper.mely.stage("2", options.withSupply(o1), task -> {
            ran.add("2." + task);
            ones[task] = o1.alloc();
            third.get().offer(color(task), task);
        }));
        third.set(stepper.mely.stage("3", options, task -> {
            ran.add("3." + task);
            o1.free(ones[task]);
            o2.free(twos[task]);
        }));
        for (int task = 1; task <= 4; task++) {
            first.offer(color(task), task);
        }
        stepper.run(0);
        assertThat(ran).hasSize(12);
        assertThat(ran.indexOf("2.4")).isGreaterThan(ran.indexOf("3.1"));
        assertThat(o1.fallbacks() + o2.fallbacks() + o1.passed() + o2.passed()).isZero();
        assertThat(o1.refused()).as("task 4, once").isEqualTo(1);
        assertThat(o1.live(0) + o2.live(0)).isZero();
    }

    // Who is refused is not tried again before there is stock, and then in the order of arrival.
    @ParameterizedTest
    @ValueSource(strings = {StageOptions.GROUP_DEFAULT, GROUP})
    void waiting_isFirstInFirstOut_andTriesNothing(String group) {
        build(1, withoutSpin());
        Stock stock = new Stock(1, 2, 1, Integer.MAX_VALUE);
        Deque<Stock.Item> kept = new ArrayDeque<>();
        Stage<String> keeper = keeper(stock, kept, with(stock).withGroup(group));
        boolean[] isOver = {false};
        AtomicReference<Stage<String>> busy = new AtomicReference<>();
        busy.set(stepper.mely.stage(
                "busy",
                name -> { // so the core always has something else to run
                    stepper.clock.advance(150_000);
                    if (!isOver[0]) {
                        busy.get().offer(color(40), name);
                    }
                }));
        busy.get().offer(color(40), "busy");
        for (int slot = 1; slot <= 6; slot++) {
            keeper.offer(color(slot), "" + slot);
        }
        for (int i = 0; i < 50; i++) {
            stepper.step(0);
        }
        assertThat(ran).containsExactly("1", "2");
        assertThat(stock.tries())
                .as("two got it, one was refused, the others wait behind it")
                .isEqualTo(3);
        for (int free = 0; free < 4; free++) {
            stock.free(kept.poll());
            keeper.offer(color(10 + free), "new " + free);
            stepper.step(0);
        }
        assertThat(ran).containsExactly("1", "2", "3", "4", "5", "6");
        assertThat(stock.passed()).isZero();
        isOver[0] = true;
        settle();
        assertThat(ran).hasSize(10).endsWith("new 0", "new 1", "new 2", "new 3");
        assertThat(stock.passed()).isEqualTo(4);
    }

    // Before it sleeps, a core runs the first of those that wait, with the ordinary allocator; not while it spins, as
    // others
    // may free what is needed.
    @Test
    void idleCore_runsWithout() {
        build(1, withoutSpin());
        Stock stock = new Stock(1, 1, 1);
        Deque<Stock.Item> kept = new ArrayDeque<>();
        Stage<String> keeper = keeper(stock, kept, with(stock));
        keeper.offer(color(1), "a");
        keeper.offer(color(2), "b");
        keeper.offer(color(3), "c");
        stepper.run(0);
        assertThat(ran).containsExactly("a");
        settle();
        assertThat(ran).containsExactly("a", "b", "c");
        assertThat(stock.passed()).isEqualTo(2);
        assertThat(stock.fallbacks()).isEqualTo(2);
        assertThat(stock.live(0)).isEqualTo(1);
    }

    // Nor does it starve beside other work: after so many slices it runs without.
    @Test
    void busyCore_runsTheFirstWithout_afterSoManySlices() {
        build(1, Mely.builder());
        Stock stock = new Stock(1, 1, 1, 5);
        Deque<Stock.Item> kept = new ArrayDeque<>();
        Stage<String> keeper = keeper(stock, kept, with(stock));
        int[] slices = {0};
        List<Integer> at = new ArrayList<>();
        AtomicReference<Stage<String>> busy = new AtomicReference<>();
        busy.set(stepper.mely.stage("busy", name -> {
            stepper.clock.advance(150_000);
            at.add(ran.size());
            if (++slices[0] < 40) {
                busy.get().offer(color(40), name);
            }
        }));
        busy.get().offer(color(40), "busy");
        keeper.offer(color(1), "a");
        keeper.offer(color(2), "b");
        keeper.offer(color(3), "c");
        stepper.run(0);
        assertThat(ran).containsExactly("a", "b", "c");
        assertThat(at.indexOf(2)).as("b ran after its bound").isBetween(5, 9);
        assertThat(at.indexOf(3)).as("c ran as long after").isBetween(10, 18);
        assertThat(stock.passed()).isEqualTo(2);
    }

    /** Of events that are called so, none needs anything. */
    private record Picky(Stock stock, String loose) implements Supply {
        @Override
        public int cores() {
            return stock.cores();
        }

        @Override
        public boolean isNeededBy(Object event) {
            return !((String) event).startsWith(loose);
        }

        @Override
        public boolean tryTake(int core, int events) {
            return stock.tryTake(core, events);
        }

        @Override
        public boolean isAvailable(int core) {
            return stock.isAvailable(core);
        }

        @Override
        public void pass(int core) {
            stock.pass(core);
        }

        @Override
        public void giveBack(int core) {
            stock.giveBack(core);
        }

        @Override
        public int slicesMax() {
            return Integer.MAX_VALUE;
        }
    }

    // What needs nothing passes others that wait, but not those of its own color; many of them, as some carry a stamp.
    @ParameterizedTest
    @ValueSource(strings = {StageOptions.GROUP_DEFAULT, GROUP})
    void eventsThatNeedNothing_waitForNobody(String group) {
        build(1, withoutSpin());
        Stock stock = new Stock(1, 1, 1);
        Deque<Stock.Item> kept = new ArrayDeque<>();
        StageOptions options =
                StageOptions.defaults().withSupply(new Picky(stock, "loose")).withGroup(group);
        Stage<String> stage = stepper.mely.stage("keeper", options, name -> {
            ran.add(name);
            if (!name.startsWith("loose")) {
                kept.add(stock.alloc());
            }
        });
        stage.offer(color(1), "holds");
        stage.offer(color(2), "waits");
        stage.offer(color(2), "loose behind it");
        stepper.step(0);
        for (int i = 0; i < 1_000; i++) {
            stage.offer(color(3 + i % 7), "loose");
            stepper.step(0);
        }
        assertThat(ran).hasSize(1_001).startsWith("holds").doesNotContain("waits", "loose behind it");
        assertThat(stock.tries()).isEqualTo(2);
        stock.free(kept.poll());
        settle();
        assertThat(ran).hasSize(1_003).endsWith("waits", "loose behind it");
        assertThat(stock.passed()).isZero();
        stock.free(kept.poll());
        stock.checkAtEnd();
    }

    // Each event of a turn is checked: a batch of five takes three and waits.
    @Test
    void turn_takesForEachEvent_andKeepsTheOrder() {
        build(1, withoutSpin());
        Stock stock = new Stock(1, 3, 1, Integer.MAX_VALUE);
        Deque<Stock.Item> kept = new ArrayDeque<>();
        Stage<String> keeper = keeper(stock, kept, with(stock));
        for (int i = 0; i < 5; i++) {
            keeper.offer(color(1), "" + i);
        }
        stepper.mely.<String>stage("others", ran::add).offer(color(1), "behind");
        assertThat(stepper.step(0)).isEqualTo(3);
        assertThat(ran).containsExactly("0", "1", "2");
        keeper.offer(color(1), "5");
        stock.free(kept.poll());
        stepper.step(0);
        assertThat(ran).containsExactly("0", "1", "2", "3");
        settle();
        assertThat(ran).containsExactly("0", "1", "2", "3", "4", "behind", "5");
    }

    // spec Stingy §9, check 8.
    @Test
    void batch_isTakenWholeOrNotAtAll() {
        build(1, Mely.builder());
        Stock stock = new Stock(1, 3, 1);
        assertThat(stock.tryTake(0, 4)).isFalse();
        assertThat(stock.tryTake(0, 3)).isTrue();
        stock.giveBack(0);
        stock.checkAtEnd();
    }

    // What a handler took and did not use is given back, also if it throws.
    @Test
    void unused_isGivenBack() {
        build(1, Mely.builder().errorHandler(failure -> ran.add("failed")));
        Stock stock = new Stock(1, 2, 2);
        Stage<String> stage = stepper.mely.stage("uses one", with(stock), name -> {
            stock.free(stock.alloc());
            throw new IllegalStateException("planned");
        });
        for (int i = 0; i < 10; i++) {
            stage.offer(color(i), "x");
        }
        stepper.run(0);
        assertThat(ran).hasSize(10);
        assertThat(stock.refused() + stock.passed()).isZero();
        stock.checkAtEnd();
    }

    // An idle core with stock takes a color that waits on another one, and leaves it at home.
    @Test
    void idleCore_takesWhatWaitsElsewhere() {
        build(2, Mely.builder());
        Stock stock = new Stock(2, 1, 1, Integer.MAX_VALUE);
        Deque<Stock.Item> kept = new ArrayDeque<>();
        Stage<String> keeper = keeper(stock, kept, with(stock));
        keeper.offer(color(2), "a");
        keeper.offer(color(4), "b");
        keeper.offer(color(6), "c");
        assertThat(stepper.step(0)).isEqualTo(1);
        for (int i = 0; i < 10 && ran.size() == 1; i++) {
            stepper.step(1);
        }
        assertThat(ran).containsExactly("a", "b");
        assertThat(stock.live(1)).isEqualTo(1);
        assertThat(color(4).homeCore()).isZero();
        assertThat(stock.passed()).isZero();
        for (int i = 0; i < 10; i++) {
            assertThat(stepper.step(1))
                    .as("c waits on core 0, and core 1 has no more")
                    .isZero();
        }
    }

    @Test
    void idleCore_takesNothingIfItMayNotSteal() {
        build(2, Mely.builder().policy(Policy.colored(Stealing.off())));
        Stock stock = new Stock(2, 1, 1, Integer.MAX_VALUE);
        Stage<String> keeper = keeper(stock, new ArrayDeque<>(), with(stock));
        keeper.offer(color(2), "a");
        keeper.offer(color(4), "b");
        assertThat(stepper.step(0)).isEqualTo(1);
        for (int i = 0; i < 10; i++) {
            assertThat(stepper.step(1)).isZero();
        }
        assertThat(ran).containsExactly("a");
    }

    /** On one core a queue keeps colors serial and in order by itself. */
    private record KeepsColors(CentralQueue queue) implements StageGroup {
        @Override
        public Sink sink(Stage<?> stage) {
            return queue.sink(stage);
        }

        @Override
        public Visitor visitor(int core) {
            return queue.visitor(core);
        }

        @Override
        public boolean keepsColors() {
            return true;
        }
    }

    // A group that keeps its colors goes on with the color's next event: so none of its events is put aside.
    @Test
    void groupThatKeepsColors_waitsForNothing() {
        build(1, Mely.builder(), Policy.of("keeps", workers -> new KeepsColors(new CentralQueue(workers))));
        Stock stock = new Stock(1, 1, 1, Integer.MAX_VALUE);
        Deque<Stock.Item> kept = new ArrayDeque<>();
        Stage<String> keeper = keeper(stock, kept, with(stock).withGroup(GROUP));
        for (int i = 0; i < 4; i++) {
            keeper.offer(color(1), "" + i);
        }
        assertThat(stepper.step(0)).isEqualTo(4);
        assertThat(ran).containsExactly("0", "1", "2", "3");
        assertThat(stock.passed()).isEqualTo(3);
    }

    // All that is ready may be refused: that is no reason to poll late.
    @Test
    void refusals_countForTheSlice() {
        build(1, Mely.builder().policy(Policy.colored().withTimeSlice(Duration.ofNanos(1_000))));
        Stock stock = new Stock(1, 0, 1, Integer.MAX_VALUE);
        Stage<String> keeper = keeper(stock, new ArrayDeque<>(), with(stock));
        stepper.clock.tick(100); // each reading of the clock
        for (int slot = 1; slot <= 4_000; slot++) {
            keeper.offer(color(slot), "x");
        }
        stepper.step(0);
        assertThat(Hooks.runtime(stepper.mely).parked().get()).isLessThan(4_000);
    }

    @Test
    void parkedEvents_areDiscardedByACloseWithoutPatience() {
        build(1, Mely.builder());
        Stock stock = new Stock(1, 1, 1, Integer.MAX_VALUE);
        Stage<String> keeper = keeper(stock, new ArrayDeque<>(), with(stock));
        Stage<String> loose = stepper.mely.stage("loose", with(stock).withGroup(GROUP), ran::add);
        keeper.offer(color(1), "a");
        keeper.offer(color(2), "b");
        loose.offer("c");
        stepper.step(0);
        assertThat(ran).containsExactly("a");
        assertThat(stepper.mely.close(Duration.ZERO).discardedEvents()).isEqualTo(2);
    }

    @Test
    void supplyForFewerCores_isRefused() {
        build(2, Mely.builder());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stepper.mely.<String>stage("s", with(new Stock(1, 1, 1)), ran::add))
                .withMessageContaining("supply.cores=1, cores=2, stage=s");
    }
}
