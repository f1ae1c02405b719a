// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static io.mely.BuilderAccess.tune;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.runtime.Hooks;
import io.mely.spi.Poller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every policy promises: the same interface, order and exclusion by color, and books that close. A policy of another module has a subclass there: this is in the test-jar.
 *
 * <p>Long, as it is one promise: one subclass gets all of it.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class PolicyContract {
    private static final Duration PATIENCE = Duration.ofSeconds(Await.PATIENCE_S);
    private static final int STRESS_EVENTS = (int) Math.min(60_000, Long.getLong("mely.stress.events", 60_000));

    /**
     * A policy, set up.
     *
     * @param name for messages
     * @param policy of all stages
     * @param isSerial whether an event without a color has the default color, and not none
     * @param hasPriorities whether it looks at priorities
     * @param change what else is set
     */
    public record Setting(
            String name, Policy policy, boolean isSerial, boolean hasPriorities, UnaryOperator<MelyBuilder> change) {
        /** Sets nothing else. */
        public Setting(String name, Policy policy, boolean isSerial, boolean hasPriorities) {
            this(name, policy, isSerial, hasPriorities, UnaryOperator.identity());
        }

        MelyBuilder builder(int cores) {
            return change.apply(Mely.builder())
                    .name(name)
                    .policy(policy)
                    .cores(cores)
                    .pinned(false)
                    .colors(64);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** The policies under test. */
    protected abstract Stream<Setting> settings();

    /** How many events threads outside send in the stress test. */
    protected int stressEvents() {
        return STRESS_EVENTS;
    }

    Stream<Setting> prioritySettings() {
        return settings().filter(Setting::hasPriorities);
    }

    Stream<Setting> serialSettings() {
        return settings().filter(Setting::isSerial);
    }

    private static void closes(Mely mely) {
        assertThat(mely.close(PATIENCE)).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
        booksClose(mely);
    }

    private static void booksClose(Mely mely) {
        MelyStats stats = mely.stats();
        assertThat(stats.run() + stats.refused() + stats.discarded())
                .as("invariant 3: %s", stats)
                .isEqualTo(stats.sent());
        assertThat(stats.cores())
                .allSatisfy(core -> assertThat(core.stealsByDistance().values().stream()
                                .mapToLong(Long::longValue)
                                .sum())
                        .isEqualTo(core.steals()));
    }

    // ------------------------------------------------------------------ libasync-smp §6

    // Check 1: a program without colors runs serially, in the same order on many cores as on one.
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("serialSettings")
    void withoutColors_theOrderIsThatOfOneCore(Setting setting) {
        assertThat(serialOrder(setting, 3)).isEqualTo(serialOrder(setting, 1)).hasSize(1_000);
    }

    private static List<Integer> serialOrder(Setting setting, int cores) {
        List<Integer> order = new ArrayList<>(); // not safe for several threads: that is the point
        Mely mely = setting.builder(cores).build();
        AtomicReference<Stage<Integer>> stage = new AtomicReference<>();
        stage.set(mely.stage("serial", number -> {
            order.add(number);
            if (number < 500) {
                stage.get().offer(number + 500);
            }
        }));
        for (int i = 0; i < 500; i++) {
            stage.get().offer(i);
        }
        mely.start();
        closes(mely);
        return order;
    }

    // Check 2: one color never overlaps; two colors do: their handlers wait for each other.
    @ParameterizedTest
    @MethodSource("settings")
    void differentColors_meet(Setting setting) {
        Mely mely = setting.builder(2).build().start();
        CyclicBarrier meeting = new CyclicBarrier(2);
        AtomicInteger met = new AtomicInteger();
        Stage<String> stage = mely.stage("meets", event -> {
            meeting.await(Await.PATIENCE_S, TimeUnit.SECONDS);
            met.incrementAndGet();
        });
        stage.offer(mely.colorAt(2), "on core 0");
        stage.offer(mely.colorAt(3), "on core 1");
        Await.until("they meet", () -> met.get() == 2);
        closes(mely);
    }

    // Check 3: what a handler sends without a color has the default color.
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("serialSettings")
    void colors_areNotInherited(Setting setting) {
        Mely mely = setting.builder(2).build();
        List<Integer> slots = Collections.synchronizedList(new ArrayList<>());
        Stage<String> inner =
                mely.stage("inner", event -> slots.add(Color.current().slot()));
        Stage<String> outer = mely.stage("outer", event -> {
            slots.add(Color.current().slot());
            inner.offer(event);
        });
        outer.offer(mely.colorAt(5), "x");
        mely.start();
        closes(mely);
        assertThat(slots).containsExactly(5, 0);
    }

    /** What a handler leaves interrupted would close the channels of the next: neither its own color's nor another's sees it. */
    @ParameterizedTest
    @MethodSource("settings")
    void interruptOfAHandler_endsWithIt(Setting setting) {
        Mely mely = setting.builder(1).build();
        List<Boolean> seen = Collections.synchronizedList(new ArrayList<>());
        Stage<String> stage = mely.stage("leaves its thread interrupted", event -> {
            seen.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
        });
        for (int slot = 1; slot <= 40; slot++) {
            assertThat(stage.offer(mely.colorAt(slot), "first") && stage.offer(mely.colorAt(slot), "second"))
                    .isTrue();
        }
        mely.start();
        mely.close();
        assertThat(seen).hasSize(80).containsOnly(false);
    }

    /** Nor does who is told of a failure, whose log may be a channel, or the event that a poller sends before it leaves one so. */
    @ParameterizedTest
    @MethodSource("settings")
    void interruptOfAFailureAndOfAPoller_endsWithIt(Setting setting) {
        List<Boolean> seen = Collections.synchronizedList(new ArrayList<>());
        Runnable look = () -> seen.add(Thread.currentThread().isInterrupted());
        AtomicReference<Runnable> inBlock = new AtomicReference<>();
        Mely mely = setting.builder(1)
                .errorHandler(failure -> look.run())
                .pollers(seat -> new Poller() {
                    @Override
                    public int poll() {
                        return 0;
                    }

                    @Override
                    public int block(long timeoutNs) {
                        Runnable once = inBlock.getAndSet(null);
                        if (once == null) {
                            LockSupport.parkNanos(1_000_000);
                            return 0;
                        }
                        once.run();
                        Thread.currentThread().interrupt();
                        return 1;
                    }

                    @Override
                    public void wakeup() {}
                })
                .build()
                .start();
        Stage<String> fails = mely.stage("fails", event -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("planned");
        });
        Color color = mely.color(1);
        assertThat(fails.offer(color, "x")).isTrue();
        inBlock.set(() -> color.execute(look));
        Await.until("both have looked", () -> seen.size() == 2);
        mely.close();
        assertThat(seen).containsOnly(false);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void keysAndColors_areTheSameLanes_inOrder(Setting setting) {
        Mely mely = setting.builder(2).build();
        int keys = 50;
        Map<Integer, List<String>> ran = new ConcurrentHashMap<>();
        Map<Integer, List<String>> sent = new ConcurrentHashMap<>();
        Stage<String> stage = mely.stage(
                "keyed",
                event -> ran.computeIfAbsent(Color.current().slot(), slot -> new ArrayList<>())
                        .add(event));
        IntConsumer sends = round -> {
            for (long key = 0; key < keys; key++) {
                Color color = mely.color(key);
                List<String> lane = sent.computeIfAbsent(color.slot(), slot -> new ArrayList<>());
                String event = round + "/" + key + "/";
                assertThat(stage.offer(key, event + "key")).isTrue();
                assertThat(stage.offer(color, event + "color")).isTrue();
                lane.addAll(List.of(event + "key", event + "color"));
            }
        };
        sends.accept(0);
        mely.start();
        Await.until("all from outside have run", () -> mely.stats().run() == 2 * keys);
        mely.colorAt(0).execute(() -> sends.accept(1));
        closes(mely);
        assertThat(ran).isEqualTo(sent);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void singleThreadedStages_haveColorsOfTheirOwn_whateverKeyOrSlotIsGiven(Setting setting) {
        Mely mely = setting.builder(2).build();
        int stages = 20;
        Map<Integer, List<Integer>> ran = new ConcurrentHashMap<>();
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < stages; i++) {
            int me = i;
            Stage<Integer> stage =
                    mely.stage("single-" + i, StageOptions.defaults().asSingleThreaded(), event -> {
                        Color here = Color.current();
                        assertThat(here.isCurrent()).isTrue();
                        ran.computeIfAbsent(here.slot(), slot -> new ArrayList<>())
                                .add(100 * me + event);
                    });
            assertThat(stage.color().slot()).isGreaterThanOrEqualTo(mely.colors());
            assertThat(slots.add(stage.color().slot())).isTrue();
            assertThat(stage.offer(7L, 0)).isTrue();
            assertThat(stage.offer(mely.colorAt(3), 1)).isTrue();
            assertThat(stage.offer(mely.colorAt(1), 2)).isTrue();
            assertThat(stage.offer(3)).isTrue();
        }
        mely.start();
        closes(mely);
        assertThat(ran.keySet()).isEqualTo(slots);
        assertThat(ran.values()).allSatisfy(lane -> {
            int first = lane.get(0);
            assertThat(lane).containsExactly(first, first + 1, first + 2, first + 3);
        });
    }

    // Check 8, as far as it has a meaning here: a timer cancelled from its own color never runs. Where a handler has a
    // thread of its own, a core may send the timer before that: then the cancel says so, and the timer's event runs.
    @ParameterizedTest
    @MethodSource("settings")
    void timers_fire_andACancelInTheColorIsFinal(Setting setting) {
        Mely mely = setting.builder(2).build().start();
        AtomicInteger fired = new AtomicInteger();
        AtomicInteger doomedRan = new AtomicInteger();
        List<Boolean> answers = new CopyOnWriteArrayList<>();
        Color color = mely.colorAt(7);
        color.schedule(Duration.ZERO, fired::incrementAndGet);
        Stage<String> stage = mely.stage("late", event -> fired.incrementAndGet());
        color.execute(() -> {
            color.schedule(Duration.ofNanos(1_000), stage, "in a handler");
            Timer doomed = color.schedule(Duration.ZERO, doomedRan::incrementAndGet);
            answers.add(doomed.cancel());
            answers.add(doomed.cancel());
        });
        Await.until("both fire", () -> fired.get() == 2);
        Timer waiting = color.schedule(Duration.ofDays(1), fired::incrementAndGet);
        assertThat(waiting.isPending()).isTrue();
        assertThat(mely.close(PATIENCE)).isEqualTo(new Mely.CloseReport(true, 0, 1, 0));
        assertThat(waiting.isPending()).isFalse();
        assertThat(answers).hasSize(2).endsWith(false);
        assertThat(doomedRan).hasValue(answers.get(0) ? 0 : 1);
        booksClose(mely);
    }

    // Check 10: what is sent beyond a depth goes to the drop handler.
    @ParameterizedTest
    @MethodSource("settings")
    void dropBeyondADepth_goesToTheDropHandler(Setting setting) {
        Mely mely = setting.builder(1).build();
        List<Object> dropped = new ArrayList<>();
        AtomicInteger ran = new AtomicInteger();
        StageOptions options =
                StageOptions.defaults().withCapacity(100).withDropHandler((stage, event) -> dropped.add(event));
        Stage<Integer> normal = mely.stage("normal", options, event -> ran.incrementAndGet());
        for (int i = 0; i < 150; i++) {
            assertThat(normal.offer(mely.colorAt(i % 8), i)).isEqualTo(i < 100);
        }
        mely.start();
        closes(mely);
        assertThat(dropped).hasSize(50).startsWith(100).endsWith(149);
        assertThat(ran).hasValue(100);
    }

    // Sources that have more to send than the stage takes wait for room. Nothing is lost, nobody waits for good, and
    // what one source sends stays in order. Half of them wait on a thread outside, half in a color.
    @ParameterizedTest
    @MethodSource("settings")
    void whenRoom_sourcesWait_andEverythingRuns(Setting setting) throws Exception {
        int sources = 30;
        int each = 200;
        Mely mely = setting.builder(2).build();
        AtomicInteger wrong = new AtomicInteger();
        int[] last = new int[sources]; // each by its own color
        Stage<int[]> work = mely.stage("work", StageOptions.defaults().withCapacity(3), event -> {
            if (last[event[0]]++ != event[1]) {
                wrong.incrementAndGet();
            }
        });
        ExecutorService loop = Executors.newSingleThreadExecutor();
        try {
            mely.start();
            CountDownLatch toCome = new CountDownLatch(sources);
            for (int i = 0; i < sources; i++) {
                int source = i;
                Executor executor = i % 2 == 0 ? loop : mely.colorAt(1 + sources + i);
                int[] next = {0};
                Runnable pump = new Runnable() {
                    @Override
                    public void run() {
                        while (next[0] < each) {
                            if (work.offer(mely.colorAt(1 + source), new int[] {source, next[0]})) {
                                next[0]++;
                            } else if (work.whenRoom(() -> executor.execute(this))) {
                                return;
                            }
                        }
                        toCome.countDown();
                    }
                };
                executor.execute(pump);
            }
            Await.until("all are sent", () -> toCome.getCount() == 0);
            closes(mely);
            assertThat(work.stats().run()).isEqualTo((long) sources * each);
            assertThat(wrong).hasValue(0);
        } finally {
            loop.shutdownNow();
        }
    }

    // Check 11: a color starts on the core its slot says.
    @ParameterizedTest
    @MethodSource("settings")
    void colors_startOnSlotModuloCores(Setting setting) {
        Mely mely = setting.builder(3).build();
        for (int slot = 0; slot < mely.colors(); slot++) {
            assertThat(mely.colorAt(slot).homeCore()).isEqualTo(slot % 3);
        }
        mely.close();
    }

    // Check 12: independent instances share nothing but the machine.
    @ParameterizedTest
    @MethodSource("settings")
    void nCopies_areIndependent(Setting setting) {
        List<Mely> copies = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            copies.add(setting.builder(1).build().start());
        }
        Stage<String> stage = copies.get(0).stage("s", event -> {});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stage.offer(copies.get(1).colorAt(1), "x"))
                .withMessageContaining("another runtime");
        Mely other = Mely.builder()
                .policy(Policy.colored(Stealing.off()))
                .cores(1)
                .pinned(false)
                .build();
        assertThatIllegalArgumentException().isThrownBy(() -> stage.offer(other.defaultColor(), "x"));
        other.close();
        closes(copies.get(0));
        copies.get(1).colorAt(1).execute(() -> {});
        closes(copies.get(1));
        assertThat(copies.get(1).stats().run()).isEqualTo(1);
        closes(copies.get(2));
    }

    // ------------------------------------------------------------------ what all promise

    @ParameterizedTest
    @MethodSource("settings")
    void priorities_neverReorderAColor(Setting setting) {
        Mely mely = setting.builder(2).build();
        List<Integer> ran = new ArrayList<>();
        List<Stage<Integer>> stages = new ArrayList<>();
        for (int priority = 0; priority < StageOptions.PRIORITIES; priority++) {
            stages.add(mely.stage("p" + priority, StageOptions.defaults().withPriority(priority), ran::add));
        }
        for (int i = 0; i < 1_000; i++) {
            stages.get(i * 5 % stages.size()).offer(mely.colorAt(9), i);
        }
        mely.start();
        closes(mely);
        assertThat(ran).isSorted().hasSize(1_000);
    }

    // A hint, but not a void one: on one core, what is urgent runs before what came earlier and is not.
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("prioritySettings")
    void priorities_areAHint(Setting setting) {
        Mely mely = setting.builder(1).build();
        List<String> ran = new ArrayList<>();
        Stage<String> calm = mely.stage("calm", StageOptions.defaults().withPriority(0), ran::add);
        Stage<String> urgent = mely.stage("urgent", StageOptions.defaults().withPriority(7), ran::add);
        calm.offer(mely.colorAt(1), "calm");
        urgent.offer(mely.colorAt(2), "urgent");
        mely.start();
        closes(mely);
        assertThat(ran).containsExactly("urgent", "calm");
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aHandlerThatThrows_isReportedOnce(Setting setting) {
        List<ErrorHandler.Failure> failures = Collections.synchronizedList(new ArrayList<>());
        Mely mely = setting.builder(2).errorHandler(failures::add).build().start();
        Stage<String> throwing = mely.stage("throws", event -> {
            throw new IllegalStateException(event);
        });
        AtomicInteger after = new AtomicInteger();
        throwing.offer(mely.colorAt(6), "boom");
        mely.colorAt(6).execute(after::incrementAndGet);
        closes(mely);
        assertThat(after).hasValue(1);
        assertThat(failures).hasSize(1);
        ErrorHandler.Failure failure = failures.get(0);
        assertThat(failure.stage()).isSameAs(throwing);
        assertThat(failure.color()).isSameAs(mely.colorAt(6));
        assertThat(failure.event()).isEqualTo("boom");
        assertThat(mely.stats().failed()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void pendingEventsMax_refuses(Setting setting) {
        Mely mely = setting.builder(1).pendingEventsMax(1_024).build();
        AtomicInteger ran = new AtomicInteger();
        Stage<String> stage = mely.stage("s", event -> ran.incrementAndGet());
        int accepted = 0;
        while (stage.offer(mely.colorAt(accepted % 16), "x")) {
            accepted++;
            assertThat(accepted).isLessThan(10_000);
        }
        assertThat(accepted).isBetween(1_024, 1_024 + 512);
        mely.start();
        closes(mely);
        assertThat(ran).hasValue(accepted);
        assertThat(mely.stats().refused()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void singleThreadedStages_haveAColorOfTheirOwn(Setting setting) {
        Mely mely = setting.builder(3).build();
        int[] unguarded = {0};
        Stage<String> stage = mely.stage("single", StageOptions.defaults().asSingleThreaded(), e -> unguarded[0]++);
        for (int i = 0; i < 5_000; i++) {
            stage.offer(mely.colorAt(i % 64), "x");
        }
        assertThat(stage.color().slot()).isGreaterThanOrEqualTo(mely.colors());
        mely.start();
        closes(mely);
        assertThat(unguarded[0]).isEqualTo(5_000);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void blockingWork_completesInTheColor(Setting setting) {
        Mely mely = setting.builder(2).build().start();
        AtomicReference<Color> completedIn = new AtomicReference<>();
        Color color = mely.colorAt(11);
        color.execute(() -> {
            CompletableFuture<Void> unused =
                    mely.blocking(() -> 42).thenAccept(value -> completedIn.set(Color.current()));
        });
        Await.until("it is completed", () -> completedIn.get() != null);
        assertThat(completedIn.get()).isSameAs(color);
        assertThat(mely.color(123_456_789L)).isSameAs(mely.color(123_456_789L));
        assertThat(color.isCurrent()).isFalse();
        closes(mely);
    }

    // Check 7: with nothing to run every core sleeps in its poller, and is woken by the next event.
    @ParameterizedTest
    @MethodSource("settings")
    void idleCores_sleep_andAreWoken(Setting setting) {
        Mely mely =
                tune(setting.builder(2), p -> p.withSpin(Duration.ZERO)).build().start();
        AtomicInteger ran = new AtomicInteger();
        for (int round = 1; round <= 50; round++) {
            int least = 2 + round - 1; // one at least was woken in each round before, and sleeps again
            Await.until("all sleep", () -> {
                List<MelyStats.CoreStats> cores = mely.stats().cores();
                return cores.stream().allMatch(core -> core.sleeps() >= 1)
                        && cores.stream().mapToLong(MelyStats.CoreStats::sleeps).sum() >= least;
            });
            mely.colorAt(1).execute(ran::incrementAndGet);
            mely.colorAt(2).execute(ran::incrementAndGet);
            int until = 2 * round;
            Await.until("woken", () -> ran.get() == until);
        }
        closes(mely);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void close_drainsChains(Setting setting) {
        Mely mely = setting.builder(2).build().start();
        AtomicInteger ran = new AtomicInteger();
        AtomicReference<Stage<Integer>> chain = new AtomicReference<>();
        chain.set(mely.stage("chain", left -> {
            ran.incrementAndGet();
            if (left > 0) {
                chain.get().offer(mely.color(left), left - 1);
            }
        }));
        for (int i = 0; i < 20; i++) {
            chain.get().offer(mely.color(1_000 + i), 499);
        }
        closes(mely);
        assertThat(ran).hasValue(10_000);
        assertThat(chain.get().offer(1)).isFalse();
        booksClose(mely);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void close_withoutPatience_discardsAndCounts(Setting setting) throws Exception {
        Mely mely = setting.builder(1).build();
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Stage<String> holds = mely.stage("holds", event -> {
            isInside.countDown();
            mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS);
        });
        for (int i = 0; i < 100; i++) {
            holds.offer(mely.colorAt(1), "x");
        }
        mely.start();
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        Thread releaser = new Thread(() -> {
            Await.until("the close has given up", () -> mely.toString().contains("phase=stopped"));
            mayEnd.countDown();
        });
        releaser.start();
        Mely.CloseReport report = mely.close(Duration.ZERO);
        releaser.join(60_000);
        assertThat(report.isDrained()).isFalse();
        assertThat(report.discardedEvents()).isBetween(90L, 99L);
        booksClose(mely);
    }

    // What waits behind the running event when a close gives up is discarded, though time is left in the slice.
    @ParameterizedTest
    @MethodSource("settings")
    void close_withoutPatience_runsNoEventMore(Setting setting) {
        List<Object> told = new ArrayList<>();
        ErrorHandler errors = new ErrorHandler() {
            @Override
            public void onError(Failure failure) {
                told.add(failure);
            }

            @Override
            public void onDiscarded(Stage<?> stage, Object event) {
                assertThat(stage.name()).isEqualTo("others");
                told.add(event);
            }
        };
        Mely mely = tune(
                        setting.builder(1).errorHandler(errors),
                        p -> p.withThreadsPerCore(1).withTimeSlice(Duration.ofSeconds(Await.PATIENCE_S)))
                .build();
        AtomicInteger ran = new AtomicInteger(); // of other colors: they may come first
        AtomicInteger ranOfColor = new AtomicInteger();
        AtomicInteger ranBefore = new AtomicInteger(-1);
        Stage<String> holds = mely.stage("holds", event -> {
            ranBefore.set(ran.get());
            Await.until("the close has given up", () -> mely.toString().contains("phase=stopped"));
        });
        Stage<AtomicInteger> others = mely.stage("others", AtomicInteger::incrementAndGet);
        assertThat(holds.offer(mely.colorAt(1), "x")).isTrue();
        for (int i = 0; i < 20; i++) {
            assertThat(others.offer(mely.colorAt(1), ranOfColor) && others.offer(mely.colorAt(2 + i), ran))
                    .isTrue();
        }
        mely.start();
        Await.until("it runs", () -> ranBefore.get() >= 0);
        Mely.CloseReport report = mely.close(Duration.ZERO);
        assertThat(ranOfColor).hasValue(0);
        if (mely.stats().pools().threads() == 0) { // else another thread runs other colors until the close
            assertThat(ran).hasValue(ranBefore.get());
        }
        assertThat(report).isEqualTo(new Mely.CloseReport(false, 40 - ran.get(), 0, 0));
        assertThat(told)
                .hasSize(40 - ran.get())
                .filteredOn(event -> event == ranOfColor)
                .hasSize(20);
        booksClose(mely);
    }

    // Before the start nothing leaves, so the bound is met at once; then two threads and handlers press on it.
    @ParameterizedTest
    @MethodSource("settings")
    void boundOfAStage_isExact_andItsFiguresAgree(Setting setting) throws Exception {
        Mely mely = setting.builder(2).build();
        AtomicLong accepted = new AtomicLong();
        AtomicLong refused = new AtomicLong();
        AtomicLong ran = new AtomicLong();
        AtomicReference<Stage<Integer>> stage = new AtomicReference<>();
        stage.set(mely.stage("bounded", StageOptions.defaults().withCapacity(8), number -> {
            ran.incrementAndGet();
            if (number % 3 == 0) {
                (stage.get().offer(Color.current(), number + 1) ? accepted : refused).incrementAndGet();
            }
        }));
        for (int i = 0; i < 10; i++) {
            assertThat(stage.get().offer(mely.colorAt(1 + i % 5), 1)).isEqualTo(i < 8);
        }
        mely.start();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    (stage.get().offer(mely.colorAt(1 + i % 5), i) ? accepted : refused).incrementAndGet();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        closes(mely);
        StageStats stats = stage.get().stats();
        assertThat(stats.sent()).isEqualTo(8 + accepted.get());
        assertThat(stats.refused()).isEqualTo(2 + refused.get());
        assertThat(stats.run()).isEqualTo(stats.sent()).isEqualTo(ran.get());
        assertThat(stats.pending()).isZero();
        assertThat(stats.sojourn().count()).isBetween(1L, stats.run());
    }

    // ------------------------------------------------------------------ stress

    private static final class Lane {
        final Color color;
        final AtomicInteger inside = new AtomicInteger();
        final long[] lastOfSender;
        long runs; // not atomic: exclusion and memory order guard it

        Lane(Color color, int senders) {
            this.color = color;
            lastOfSender = new long[senders];
        }
    }

    private record Message(Lane lane, int sender, long number, int hops) {}

    // Two threads and the handlers themselves send at random; the seed is printed. Exclusion, order per sender, nothing
    // lost or twice.
    @ParameterizedTest
    @MethodSource("settings")
    void stress_keepsEveryPromise(Setting setting) throws Exception {
        long seed = Seed.of("PolicyContract " + setting);
        int outside = 2;
        Mely mely = Hooks.NONE
                .withPlacement(slot -> slot % 5 == 0 ? 1 : 0) // skewed, so that there is something to steal
                .on(setting.builder(2))
                .build()
                .start();
        List<Lane> lanes = new ArrayList<>();
        for (int slot = 0; slot < 16; slot++) {
            lanes.add(new Lane(mely.colorAt(slot), outside + 1));
        }
        AtomicReference<String> wrong = new AtomicReference<>();
        AtomicLong hopsSent = new AtomicLong();
        AtomicReference<List<Stage<Message>>> stages = new AtomicReference<>();
        Handler<Message> handler = message -> {
            Lane lane = message.lane();
            if (lane.inside.getAndIncrement() != 0) {
                wrong.compareAndSet(null, "invariant 1: two at once in " + lane.color);
            }
            lane.runs++;
            if (message.sender() < outside) {
                if (message.number() <= lane.lastOfSender[message.sender()]) {
                    wrong.compareAndSet(null, "invariant 2: out of order in " + lane.color);
                }
                lane.lastOfSender[message.sender()] = message.number();
            }
            if (message.hops() > 0) {
                Random random = new Random(seed + message.number());
                Lane next = random.nextInt(4) == 0 ? lane : lanes.get(random.nextInt(lanes.size()));
                Message hop = new Message(next, outside, message.number(), message.hops() - 1);
                if (stages.get().get(random.nextInt(3)).offer(next.color, hop)) {
                    hopsSent.incrementAndGet();
                } else {
                    wrong.compareAndSet(null, "a handler was refused");
                }
            }
            lane.inside.decrementAndGet();
        };
        stages.set(List.of(
                mely.stage("low", StageOptions.defaults().withPriority(1), handler),
                mely.stage("normal", handler),
                mely.stage(
                        "high",
                        StageOptions.defaults().withPriority(6).withProcessingTime(Duration.ofNanos(50_000)),
                        handler)));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < outside; i++) {
            int sender = i;
            Thread thread = new Thread(() -> {
                Random random = new Random(seed + sender);
                for (long number = 1; number <= stressEvents() / outside; number++) {
                    Lane lane = lanes.get(random.nextInt(lanes.size()));
                    Message message = new Message(lane, sender, number, random.nextInt(3));
                    if (!stages.get().get(random.nextInt(3)).offer(lane.color, message)) {
                        wrong.compareAndSet(null, "an outside thread was refused");
                    }
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        closes(mely);
        assertThat(wrong.get()).isNull();
        long runs = lanes.stream().mapToLong(lane -> lane.runs).sum();
        assertThat(runs)
                .isEqualTo(stressEvents() / outside * outside + hopsSent.get())
                .isEqualTo(mely.stats().run());
    }
}
