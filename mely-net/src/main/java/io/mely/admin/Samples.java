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
 * What many looks at a runtime have seen: how each core's time is spent, which colors take it, and which handlers take long.
 *
 * <p><b>Threads.</b> One.
 */
final class Samples {
    /** Who has been seen in one handler for so long is shown: what a person takes for a pause. */
    private static final long LONG_NS = 100_000_000;

    private static final int LONG_MAX = 20;
    private static final int STACK_MAX = 20;

    /** Looks at one core, by what it did. */
    static final class Core {
        private final int core;
        private int looks;
        private int inHandler;
        private int asleep;

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
    }

    /**
     * A color and the time that it takes.
     *
     * @param color its slot
     * @param stage the stage at which it was seen most
     * @param share of the time of one core
     */
    record TopColor(int color, String stage, double share) {}

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
    private final Map<Integer, Map<String, Integer>> colors = new HashMap<>();
    private int looks;
    private final Map<Thread, Seen> seen = new HashMap<>();
    private final Deque<LongHandler> longHandlers = new ArrayDeque<>();

    /** Takes one look. */
    void add(List<Activity> activity, long nowNs) {
        looks++;
        Set<Thread> inHandlers = new HashSet<>();
        Set<Integer> counted = new HashSet<>();
        for (Activity it : activity) {
            if (it.core() >= 0
                    && counted.add(
                            it.core())) { // further threads of a core are those that it has left in their handlers
                Core core = cores.computeIfAbsent(it.core(), Core::new);
                core.looks++;
                core.inHandler += it.state() == State.HANDLER ? 1 : 0;
                core.asleep += it.state() == State.ASLEEP ? 1 : 0;
            }
            Stage<?> stage = it.stage();
            Thread thread = it.thread();
            if (stage == null) {
                continue;
            }
            if (it.color() >= 0) {
                colors.computeIfAbsent(it.color(), color -> new HashMap<>()).merge(stage.name(), 1, Integer::sum);
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

    private void addHandler(Activity it, Stage<?> stage, Thread thread, long nowNs) {
        Seen before = seen.get(thread);
        if (before == null || !before.isThe(it)) {
            end(before);
            seen.put(thread, new Seen(stage, it.color(), it.ran(), nowNs));
            return;
        }
        if (before.shown == null && nowNs - before.sinceNs >= LONG_NS) {
            before.shown = new LongHandler(it, stage, before.sinceNs, stackOf(thread));
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

    private static List<String> stackOf(Thread thread) {
        List<String> frames = new ArrayList<>();
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frames.size() == STACK_MAX) {
                break;
            }
            frames.add(frame.toString());
        }
        return frames;
    }

    /** By index. */
    List<Core> cores() {
        return List.copyOf(cores.values());
    }

    /** The colors that took most time, the first one most. */
    List<TopColor> topColors(int most) {
        List<TopColor> all = new ArrayList<>();
        colors.forEach((color, stages) -> {
            String stage = stages.entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .orElseThrow()
                    .getKey();
            int count = stages.values().stream().mapToInt(Integer::intValue).sum();
            all.add(new TopColor(color, stage, (double) count / looks));
        });
        all.sort(Comparator.comparingDouble(TopColor::share).reversed().thenComparing(TopColor::color));
        return all.subList(0, Math.min(most, all.size()));
    }

    /** Handlers that take long, the latest first. */
    List<LongHandler> longHandlers() {
        return List.copyOf(longHandlers);
    }

    /** Counts anew; what takes long is remembered. */
    void clear() {
        cores.clear();
        colors.clear();
        looks = 0;
    }
}
