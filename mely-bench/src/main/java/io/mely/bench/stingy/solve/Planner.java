// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import io.mely.deploy.stingy.AreaSize;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Makes the plan of a program: as many requests in flight as the region holds, shared out so that the stages run in the longest runs.
 *
 * <p>A request counts whole: it has all the instances of an object that it may have at once, its {@code count}, or else what one event allocates. Stages in which nothing lives hold any number of
 * requests, and do not matter.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Milliseconds for tens of objects; seconds at most, see {@link LevelSearch}. <b>Source.</b> spec: Stingy §2, §10.
 */
public final class Planner {
    private final StageModel model;
    private final boolean isShared;
    private final Lives lives;
    private final Problem problem;
    private final Colors colors;
    private final int[] countPerRequest;
    private final long[] requests;
    private final double gap;
    private final long finalBytes;

    /**
     * Makes a plan in which objects that never live together share an area.
     *
     * @param model of the program
     * @throws InfeasibleException if one request does not fit
     */
    public Planner(StageModel model) throws InfeasibleException {
        this(model, true);
    }

    /**
     * Makes a plan.
     *
     * @param model of the program
     * @param isShared whether objects that never live together share an area
     * @throws InfeasibleException if one request does not fit
     */
    public Planner(StageModel model, boolean isShared) throws InfeasibleException {
        this.model = model;
        this.isShared = isShared;
        lives = new Lives(model);
        int objects = model.objects().size();
        countPerRequest = new int[objects];
        long[] slots = new long[objects];
        long[] bytes = new long[objects];
        long finals = 0;
        for (int object = 0; object < objects; object++) {
            countPerRequest[object] = countPerRequest(model.objects().get(object));
            slots[object] = AreaSize.slotBytes(model.objects().get(object).sizeBytes(), model.lineBytes());
            bytes[object] = countPerRequest[object] * slots[object];
            finals += lives.finals().get(object) ? bytes[object] : 0;
        }
        finalBytes = finals;
        colors = Colors.of(lives, model.stages().size(), bytes, isShared);
        int[] color = new int[objects];
        for (int object = 0; object < objects; object++) {
            color[object] = colors.of(object);
        }
        List<BitSet> within = new ArrayList<>();
        for (int stage = 0; stage < model.stages().size(); stage++) {
            within.add(lives.within(stage));
        }
        double[] weights =
                model.stages().stream().mapToDouble(StageNode::weight).toArray();
        problem = new Problem(
                slots,
                countPerRequest,
                color,
                colors.count(),
                within,
                weights,
                lives.notMoreThan(),
                model.regionBytes() - finalBytes);
        checkFeasible();
        Levels levels = new Levels(problem);
        LevelSearch search = new LevelSearch(levels);
        requests = levels.requests(search.best());
        gap = search.gap();
    }

    private int countPerRequest(MemoryObject object) {
        int most = Math.max(1, object.count());
        for (StageNode stage : model.stages()) {
            most = Math.max(most, stage.allocs().getOrDefault(object.name(), 0));
        }
        return most;
    }

    private void checkFeasible() throws InfeasibleException {
        long room = problem.regionBytes();
        String neediest = "";
        long most = 0;
        for (int stage = 0; stage < model.stages().size(); stage++) {
            long need = lives.within(stage).stream()
                    .mapToLong(object -> problem.bytes(object))
                    .sum();
            if (need > most) {
                most = need;
                neediest = model.stages().get(stage).name();
            }
        }
        String region = "the region has " + room + (finalBytes > 0 ? " beside the global objects' " + finalBytes : "");
        if (most > room) {
            throw new InfeasibleException("one request does not fit: in stage " + neediest + " it needs " + most
                    + " bytes, " + region + ", " + (most - room) + " are missing");
        }
        long least = problem.leastBytes();
        if (least > room) {
            throw new InfeasibleException("one instance of each object does not fit: all of them take " + least
                    + " bytes, " + region + ", " + (least - room) + " are missing; most is needed in stage " + neediest
                    + ", "
                    + most);
        }
    }

    /** The plan. */
    public MemoryPlan plan() {
        int areas = colors.count();
        List<PlannedObject> planned = new ArrayList<>();
        for (int object = 0; object < requests.length; object++) {
            MemoryObject it = model.objects().get(object);
            int own = countPerRequest[object];
            if (lives.managed().get(object)) {
                int count = Math.toIntExact(own * requests[object]);
                planned.add(new PlannedObject(it.name(), it.sizeBytes(), count, own, colors.of(object), it.place()));
            } else if (lives.finals().get(object)) {
                planned.add(new PlannedObject(it.name(), it.sizeBytes(), own, own, areas++, it.place()));
            }
        }
        List<StageUse> uses = model.stages().stream()
                .map(this::use)
                .filter(use -> !use.allocs().isEmpty()
                        || !use.mayAlloc().isEmpty()
                        || !use.frees().isEmpty())
                .toList();
        return new MemoryPlan(model.regionBytes(), model.lineBytes(), planned, uses, lives.unmanaged());
    }

    private StageUse use(StageNode stage) {
        BitSet held = lives.atStart(model.stages().indexOf(stage));
        SortedMap<String, Integer> allocs = new TreeMap<>();
        SortedMap<String, Integer> mayAlloc = new TreeMap<>();
        stage.allocs().forEach((name, count) -> {
            if (isManaged(name)) {
                (held.get(place(name)) ? mayAlloc : allocs).put(name, count);
            }
        });
        SortedMap<String, Integer> frees = new TreeMap<>();
        for (Collection<String> names : List.of(stage.freesFirst(), stage.frees(), stage.mayFree())) {
            for (String name : names) {
                if (isManaged(name)) {
                    frees.put(name, countPerRequest[place(name)]);
                }
            }
        }
        return new StageUse(stage.name(), allocs, mayAlloc, frees);
    }

    private boolean isManaged(String object) {
        return lives.managed().get(place(object));
    }

    private int place(String object) {
        int place = 0;
        while (!model.objects().get(place).name().equals(object)) {
            place++;
        }
        return place;
    }

    // What an explanation needs.

    StageModel model() {
        return model;
    }

    /** The same with so much more region. */
    Planner larger(long bytes) throws InfeasibleException {
        return new Planner(model.withRegion(model.regionBytes() + bytes), isShared);
    }

    Lives lives() {
        return lives;
    }

    Problem problem() {
        return problem;
    }

    /** Requests that have an object at once, by place of the object. */
    long[] requests() {
        return requests;
    }

    /** The requests that a stage can hold: as many as its scarcest object serves; 0 if nothing lives in it. */
    long level(int stage) {
        return lives.within(stage).stream()
                .mapToLong(object -> requests[object])
                .min()
                .orElse(0);
    }

    /** The objective for one request, M/N: the instruction-fetch work. */
    public double work() {
        double sum = 0;
        for (int stage = 0; stage < model.stages().size(); stage++) {
            long level = level(stage);
            sum += level == 0 ? 0 : model.stages().get(stage).weight() / level;
        }
        return sum;
    }

    /** How much less, of {@link #work}, another plan's can be at most; 0: this one is best. */
    public double gap() {
        return gap;
    }
}
