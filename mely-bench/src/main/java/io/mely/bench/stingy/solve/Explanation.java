// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import io.mely.bench.report.TextTable;
import io.mely.bench.stingy.model.StageModel;
import io.mely.deploy.stingy.AreaSize;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Says of a plan what people ask: which stage holds the fewest requests and for want of what, what a little more memory would buy, and what is left out and why. */
public final class Explanation {
    /** More memory is tried from one KB on, doubled so often: up to 1 GB. */
    private static final int DOUBLINGS = 20;

    /** Stages that limit alike are named up to so many. */
    private static final int NAMED_MAX = 3;

    private final Planner planner;
    private final StageModel model;
    private final MemoryPlan plan;

    /**
     * Explains a plan.
     *
     * @param planner that has made it
     */
    public Explanation(Planner planner) {
        this.planner = planner;
        model = planner.model();
        plan = planner.plan();
    }

    /** Some lines for a terminal. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        long used = plan.usedBytes();
        text.append(String.format(
                Locale.ROOT,
                "%,d of %,d bytes are used; areas: %d. Work per request: %.4f%s.%n",
                used,
                plan.regionBytes(),
                plan.areas().size(),
                planner.work(),
                planner.gap() == 0
                        ? ", and no plan has less"
                        : String.format(
                                Locale.ROOT,
                                "; the search was cut short, less by %.3g %% may be possible",
                                100 * planner.gap())));
        if (!plan.objects().isEmpty()) {
            text.append('\n')
                    .append(objects())
                    .append('\n')
                    .append(stages())
                    .append('\n')
                    .append(limit())
                    .append(more());
        }
        plan.unmanaged()
                .forEach((object, reason) -> text.append("not managed: ")
                        .append(object)
                        .append(": ")
                        .append(reason)
                        .append('\n'));
        return text.toString();
    }

    private String objects() {
        List<List<String>> rows = new ArrayList<>();
        for (PlannedObject object : plan.objects()) {
            List<String> sharing = plan.objects().stream()
                    .filter(other -> other.area() == object.area() && !other.equals(object))
                    .map(PlannedObject::name)
                    .toList();
            rows.add(List.of(
                    object.name(),
                    Long.toString(object.sizeBytes()),
                    Integer.toString(object.count()),
                    Long.toString(AreaSize.slotBytes(object.sizeBytes(), plan.lineBytes()) * object.count()),
                    object.area() + (sharing.isEmpty() ? "" : ", with " + String.join(", ", sharing))));
        }
        return TextTable.of(List.of("object", "bytes", "instances", "all", "area"), rows);
    }

    private String stages() {
        List<List<String>> rows = new ArrayList<>();
        List<String> empty = new ArrayList<>();
        for (int stage = 0; stage < model.stages().size(); stage++) {
            String name = model.stages().get(stage).name();
            long level = planner.level(stage);
            if (level == 0) {
                empty.add(name);
            } else {
                BitSet rest = planner.lives().within(stage);
                rest.stream()
                        .filter(object -> planner.requests()[object] == level)
                        .forEach(rest::clear);
                rows.add(List.of(
                        name,
                        Long.toString(level),
                        String.format(Locale.ROOT, "%.0f %%", 100 * share(stage)),
                        scarce(stage),
                        rest.stream().mapToObj(this::name).collect(Collectors.joining(", "))));
            }
        }
        String table = TextTable.of(List.of("stage", "requests", "of the work", "scarce", "live, too"), rows);
        return empty.isEmpty() ? table : table + "Nothing lives in " + String.join(", ", empty) + ".\n";
    }

    private double share(int stage) {
        long level = planner.level(stage);
        return level == 0 || planner.work() == 0 ? 0 : model.stages().get(stage).weight() / level / planner.work();
    }

    private String scarce(int stage) {
        return planner.lives().within(stage).stream()
                .filter(object -> planner.requests()[object] == planner.level(stage))
                .mapToObj(this::name)
                .collect(Collectors.joining(", "));
    }

    private String name(int object) {
        return model.objects().get(object).name();
    }

    private String limit() {
        double most = IntStream.range(0, model.stages().size())
                .mapToDouble(this::share)
                .max()
                .orElse(0);
        int[] limiting = IntStream.range(0, model.stages().size())
                .filter(stage -> planner.level(stage) > 0 && share(stage) >= most * (1 - 1e-9))
                .toArray();
        if (limiting.length == 0) {
            return "";
        }
        String names = IntStream.of(limiting)
                .limit(NAMED_MAX)
                .mapToObj(stage -> model.stages().get(stage).name())
                .collect(Collectors.joining(", "));
        boolean isOne = limiting.length == 1;
        return String.format(
                Locale.ROOT,
                "%s %s%s: %s holds %d requests, for want of %s, and has %.0f %% of the work.%n",
                isOne ? "Stage" : "Stages",
                names,
                isOne
                        ? " limits"
                        : limiting.length <= NAMED_MAX
                                ? " limit"
                                : " and " + (limiting.length - NAMED_MAX) + " more limit",
                isOne ? "it" : "each",
                planner.level(limiting[0]),
                scarce(limiting[0]),
                100 * most);
    }

    /** The least more memory, of some sizes, that changes the objective. */
    private String more() {
        for (int doubling = 0; doubling < DOUBLINGS; doubling++) {
            long bytes = 1024L << doubling;
            try {
                Planner larger = planner.larger(bytes);
                if (larger.work() < planner.work() * (1 - 1e-9)) {
                    return String.format(
                            Locale.ROOT,
                            "%s %,d KB more of region: %.2f %% less work (%s).%n",
                            doubling == 0 ? "With" : "One KB more would change nothing; with",
                            bytes >> 10,
                            100 * (1 - larger.work() / planner.work()),
                            changes(larger));
                }
            } catch (InfeasibleException impossible) {
                throw new AssertionError("a larger region has room for what a smaller one has", impossible);
            }
        }
        return "";
    }

    private String changes(Planner larger) {
        List<String> changes = new ArrayList<>();
        for (int object = 0; object < planner.requests().length; object++) {
            long before = planner.requests()[object];
            long after = larger.requests()[object];
            if (before != after) {
                changes.add(name(object) + " for " + after + " requests instead of " + before);
            }
        }
        return String.join(", ", changes);
    }
}
