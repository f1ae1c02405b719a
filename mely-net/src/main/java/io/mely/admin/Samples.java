// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import io.mely.Activity;
import io.mely.Activity.State;
import io.mely.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What many looks at a runtime have seen: how each core's time was spent in the last second, which colors took it in the last ten, and which handlers take long.
 *
 * <p><b>Threads.</b> One.
 */
final class Samples {
    /** Who has been seen in one handler for so long is shown: what a person takes for a pause. */
    private static final long LONG_NS = 100_000_000;

    private static final int LONG_MAX = 20;
    private static final int STACK_MAX = 20;

    /** Colors are those of so many seconds, as in one there are a hundred looks only. */
    private static final int SECONDS = 10;

    /** Looks at one core, by what it did. */
    static final class Core {
        private final int core;
        private int looks;
        private int inHandler;
        private int asleep;
        private int further;

        private Core(int core) {
            this.core = core;
        }

        int core() {
            return core;
        }

        /** Part of the time in handlers, 0 to 1. */
        double handlerShare() {
            return (double) inHandler / looks;
        }

        /** Part of the time asleep, 0 to 1. */
        double sleepShare() {
            return (double) asleep / looks;
        }

        /** How many threads were on average in handlers in which the core had left them. */
        double further() {
            return (double) further / looks;
        }
    }

    /**
     * A color and the time that it takes.
     *
     * @param color its slot
     * @param stage the stage at which it was seen most
     * @param share of the time of one core
     * @param timeLeftNs what its events were expected to take, as it was seen last
     */
    record TopColor(int color, String stage, double share, long timeLeftNs) {}

    /** Looks of one second at colors. */
    private static final class Second {
        private int looks;
        private final Map<Integer, Map<String, Integer>> colors = new HashMap<>();
    }

    /** A handler that takes long, or took long. */
    static final class LongHandler {
        final String stage;
        final int color;
        final int core;
        final List<String> stack;
        private final long sinceNs;
        private long tookNs;
        private boolean isOver;

        private LongHandler(Activity it, Stage<?> stage, long sinceNs, List<String> stack) {
            this.stage = stage.name();
            color = it.color();
            core = it.core();
            this.sinceNs = sinceNs;
            this.stack = stack;
        }

        long tookNs() {
            return tookNs;
        }

        boolean isOver() {
            return isOver;
        }
    }

    /** What one thread was in when it was last seen. */
    private static final class Seen {
        private final Stage<?> stage;
        private final int color;
        private final long ran;
        private final long sinceNs;
        private @Nullable LongHandler shown;

        private Seen(Stage<?> stage, int color, long ran, long sinceNs) {
            this.stage = stage;
            this.color = color;
            this.ran = ran;
            this.sinceNs = sinceNs;
        }

        private boolean isThe(Activity it) {
            return it.stage() == stage && it.color() == color && it.ran() == ran;
        }
    }

    private final Map<Integer, Core> cores = new TreeMap<>();
    private final Deque<Second> seconds = new ArrayDeque<>(List.of(new Second()));
    private final Map<Integer, Long> timesLeft = new HashMap<>(); // of the colors in there
    private int inPools;
    private final Map<Thread, Seen> seen = new HashMap<>();
    private final Deque<LongHandler> longHandlers = new ArrayDeque<>();

    /** Takes one look. */
    void add(List<Activity> activity, long nowNs) {
        Second second = seconds.getLast();
        second.looks++;
        Set<Thread> inHandlers = new HashSet<>();
        Set<Integer> counted = new HashSet<>();
        for (Activity it : activity) {
            addThread(it, counted.add(it.core()));
            Stage<?> stage = it.stage();
            Thread thread = it.thread();
            if (stage == null) {
                continue;
            }
            if (it.color() >= 0) {
                second.colors
                        .computeIfAbsent(it.color(), color -> new HashMap<>())
                        .merge(stage.name(), 1, Integer::sum);
                timesLeft.put(it.color(), it.timeLeftNs());
            }
            if (thread != null) {
                inHandlers.add(thread);
                addHandler(it, stage, thread, nowNs);
            }
        }
        seen.entrySet().removeIf(each -> {
            boolean isGone = !inHandlers.contains(each.getKey());
            if (isGone) {
                end(each.getValue());
            }
            return isGone;
        });
    }

    /** Further threads of a core are those that it has left in their handlers. */
    private void addThread(Activity it, boolean hasCore) {
        boolean isInHandler = it.state() == State.HANDLER;
        if (it.core() < 0) {
            inPools += isInHandler ? 1 : 0;
            return;
        }
        Core core = cores.computeIfAbsent(it.core(), Core::new);
        if (!hasCore) {
            core.further += isInHandler ? 1 : 0;
            return;
        }
        core.looks++;
        core.inHandler += isInHandler ? 1 : 0;
        core.asleep += it.state() == State.ASLEEP ? 1 : 0;
    }

    private void addHandler(Activity it, Stage<?> stage, Thread thread, long nowNs) {
        Seen before = seen.get(thread);
        if (before == null || !before.isThe(it)) {
            end(before);
            seen.put(thread, new Seen(stage, it.color(), it.ran(), nowNs));
            return;
        }
        if (before.shown == null && nowNs - before.sinceNs >= LONG_NS) {
            before.shown = new LongHandler(it, stage, before.sinceNs, stack(List.of(thread.getStackTrace())));
            longHandlers.addFirst(before.shown);
            if (longHandlers.size() > LONG_MAX) {
                longHandlers.removeLast();
            }
        }
        if (before.shown != null) {
            before.shown.tookNs = nowNs - before.shown.sinceNs;
        }
    }

    private static void end(@Nullable Seen over) {
        if (over != null && over.shown != null) {
            over.shown.isOver = true;
        }
    }

    /** For people: the innermost calls. */
    static List<String> stack(List<StackTraceElement> frames) {
        return frames.stream().limit(STACK_MAX).map(StackTraceElement::toString).toList();
    }

    /** By index. */
    List<Core> cores() {
        return List.copyOf(cores.values());
    }

    /** How many threads that groups have beside the cores were in handlers, on average. */
    double inPools() {
        return (double) inPools / Math.max(1, seconds.getLast().looks);
    }

    /** The colors that took most time, the first one most. */
    List<TopColor> topColors(int most) {
        int looks = seconds.stream().mapToInt(second -> second.looks).sum();
        Map<Integer, Map<String, Integer>> colors = new HashMap<>();
        for (Second second : seconds) {
            second.colors.forEach((color, stages) -> {
                Map<String, Integer> sum = colors.computeIfAbsent(color, key -> new HashMap<>());
                stages.forEach((stage, count) -> sum.merge(stage, count, Integer::sum));
            });
        }
        List<TopColor> all = new ArrayList<>();
        colors.forEach((color, stages) -> {
            String stage = stages.entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .orElseThrow()
                    .getKey();
            int count = stages.values().stream().mapToInt(Integer::intValue).sum();
            all.add(new TopColor(color, stage, (double) count / looks, timesLeft.getOrDefault(color, 0L)));
        });
        all.sort(Comparator.comparingDouble(TopColor::share).reversed().thenComparing(TopColor::color));
        return all.subList(0, Math.min(most, all.size()));
    }

    /** Handlers that take long, the latest first. */
    List<LongHandler> longHandlers() {
        return List.copyOf(longHandlers);
    }

    /** A second begins: cores and pools are counted anew, colors are forgotten after ten, and what takes long is remembered. */
    void nextSecond() {
        cores.clear();
        inPools = 0;
        seconds.addLast(new Second());
        if (seconds.size() > SECONDS) {
            seconds.removeFirst();
        }
        timesLeft.keySet().removeIf(color -> seconds.stream().noneMatch(second -> second.colors.containsKey(color)));
    }
}
