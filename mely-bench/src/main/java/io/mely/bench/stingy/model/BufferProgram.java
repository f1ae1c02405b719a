// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.model;

import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A program as its model tells it, to be run: what a request does in each stage, by numbers.
 *
 * <p>A request begins in a stage to which events come from outside. In a stage it frees what that frees first, allocates what it does not hold yet, goes through all that it holds, and frees what the stage frees, also what it frees on some of its ways.
 * It goes on in one of the next stages, whichever comes in turn for the requests of the stage. Where there is none it ends, and frees the rest.
 *
 * <p><b>Threads.</b> Immutable. <b>Errors.</b> A model in which no request would end is an IllegalArgumentException.
 */
public final class BufferProgram {
    /**
     * What a request does in a stage.
     *
     * @param name of the stage
     * @param weight of its code
     * @param freesFirst objects, by number
     * @param allocs objects
     * @param counts how many of each of those
     * @param frees objects
     * @param next stages, by number; none: the request ends
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    public record Step(
            String name, double weight, int[] freesFirst, int[] allocs, int[] counts, int[] frees, int[] next) {}

    private final MemoryPlan plan;
    private final List<MemoryObject> objects;
    private final List<Step> steps = new ArrayList<>();
    private final int[] sites;
    private final int[] entries;

    /**
     * Prepares a program.
     *
     * @param model its stages and objects
     * @param plan of the model
     */
    public BufferProgram(StageModel model, MemoryPlan plan) {
        this.plan = plan;
        objects = model.objects();
        List<String> planned = plan.objects().stream().map(PlannedObject::name).toList();
        sites = objects.stream()
                .mapToInt(object -> planned.indexOf(object.name()))
                .toArray();
        List<String> names = model.stages().stream().map(StageNode::name).toList();
        BitSet isTarget = new BitSet();
        for (StageNode stage : model.stages()) {
            Step step = step(stage, names);
            steps.add(step);
            IntStream.of(step.next()).filter(to -> to != steps.size() - 1).forEach(isTarget::set);
        }
        int[] fromOutside = IntStream.range(0, steps.size())
                .filter(stage -> model.stages().get(stage).isEntry() || !isTarget.get(stage))
                .toArray();
        entries = fromOutside.length == 0 ? new int[] {0} : fromOutside;
        checkEnds();
    }

    private Step step(StageNode stage, List<String> names) {
        SortedMap<Integer, Integer> allocs = new TreeMap<>();
        stage.allocs().forEach((name, count) -> {
            int object = object(name);
            if (objects.get(object).sizeBytes() > 0) { // of unknown size: nobody can allocate it
                allocs.put(object, count);
            }
        });
        List<String> frees = new ArrayList<>(stage.frees());
        frees.addAll(stage.mayFree());
        return new Step(
                stage.name(),
                stage.weight(),
                objects(stage.freesFirst()),
                allocs.keySet().stream().mapToInt(Integer::intValue).toArray(),
                allocs.values().stream().mapToInt(Integer::intValue).toArray(),
                objects(frees),
                stage.next().stream().mapToInt(names::indexOf).toArray());
    }

    private int[] objects(Collection<String> names) {
        return names.stream().mapToInt(this::object).toArray();
    }

    private int object(String name) {
        int object = 0;
        while (!objects.get(object).name().equals(name)) {
            object++;
        }
        return object;
    }

    /** From each stage that a request reaches, an end can be reached; as each next stage comes in turn, it is. */
    private void checkEnds() {
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("the model has no stages");
        }
        BitSet ends = new BitSet();
        int before;
        do {
            before = ends.cardinality();
            for (int stage = 0; stage < steps.size(); stage++) {
                int[] next = steps.get(stage).next();
                if (next.length == 0 || IntStream.of(next).anyMatch(ends::get)) {
                    ends.set(stage);
                }
            }
        } while (ends.cardinality() > before);
        BitSet reached = new BitSet();
        IntStream.of(entries).forEach(stage -> reach(stage, reached));
        int endless =
                reached.stream().filter(stage -> !ends.get(stage)).findFirst().orElse(-1);
        if (endless >= 0) {
            throw new IllegalArgumentException("a request would never end: from stage "
                    + steps.get(endless).name()
                    + " on, each stage has a next one. Say with --without where requests end");
        }
    }

    private void reach(int stage, BitSet reached) {
        if (!reached.get(stage)) {
            reached.set(stage);
            IntStream.of(steps.get(stage).next()).forEach(next -> reach(next, reached));
        }
    }

    /**
     * The stages.
     *
     * @return by number
     */
    public List<Step> steps() {
        return List.copyOf(steps);
    }

    /**
     * Where requests begin.
     *
     * @return numbers of stages, at least one
     */
    public int[] entries() {
        return entries.clone();
    }

    /**
     * How many objects there are.
     *
     * @return planned ones and others
     */
    public int objects() {
        return objects.size();
    }

    /**
     * How large a buffer the program asks for.
     *
     * @param object its number
     * @return bytes: one less than is declared
     */
    public int bytes(int object) {
        return Math.toIntExact(Math.max(1, objects.get(object).sizeBytes() - 1));
    }

    /**
     * Where an object is in the plan.
     *
     * @param object its number
     * @return number of its site; -1 if it is not managed
     */
    public int site(int object) {
        return sites[object];
    }

    /**
     * The plan.
     *
     * @return of one core
     */
    public MemoryPlan plan() {
        return plan;
    }

    @Override
    public String toString() {
        return "BufferProgram{stages=" + steps.size() + ", objects=" + objects.size() + "}";
    }
}
