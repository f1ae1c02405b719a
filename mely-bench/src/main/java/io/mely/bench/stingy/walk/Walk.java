// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the classes of a program say of its stages and buffers.
 *
 * <p>Found are the stages that {@code Mely.stage} makes and the functions that are run as events of their own; who sends to whom; where buffers are allocated and released. What cannot be told from
 * the classes is listed, and a file of annotations can say it. Calls by reflection, and objects that are kept in collections and arrays, are not followed. The stack is not estimated: a JVM
 * lays out frames as it compiles, and says nothing of them.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Seconds for a thousand methods. <b>Source.</b> spec: Stingy §5.
 */
public final class Walk {
    private final ClassPath classes;
    private final Program program;
    private final Graph graph;
    private final SortedMap<String, Buffer> buffers;
    private final SortedMap<String, Entry> stages = new TreeMap<>();

    /**
     * Analyses classes.
     *
     * @param places jars and folders of classes
     * @param packages names that a class begins with to be analysed; none: all
     * @param annotations a file; null: there is none
     * @throws IOException naming what cannot be read
     * @throws WrongFileException if the annotations make no sense
     */
    public Walk(List<Path> places, Collection<String> packages, @Nullable Path annotations)
            throws IOException, WrongFileException {
        Annotations said = annotations == null ? Annotations.none() : Annotations.read(annotations);
        classes = new ClassPath(places, packages);
        Rules rules = new Rules();
        said.methods().forEach(rules::add);
        program = new Program(classes, rules);
        graph = new Graph(program, said);
        buffers = graph.buffers();
        graph.entries().forEach(entry -> stages.put(entry.name, entry));
    }

    /**
     * The stages that have names of their own.
     *
     * @return those that {@code Mely.stage} makes
     */
    public SortedSet<String> stageNames() {
        SortedSet<String> names = new TreeSet<>();
        stages.values().stream()
                .filter(entry -> entry.kind == Entry.Kind.STAGE)
                .forEach(entry -> names.add(entry.name));
        return names;
    }

    /**
     * To whom a stage sends.
     *
     * @param stage its name
     * @return names of stages and functions
     */
    public SortedSet<String> next(String stage) {
        Entry entry = stages.get(stage);
        return entry == null ? new TreeSet<>() : new TreeSet<>(entry.next);
    }

    /**
     * Allocation sites.
     *
     * @return places, also those that no stage reaches
     */
    public SortedSet<String> buffers() {
        return new TreeSet<>(buffers.keySet());
    }

    /**
     * What the classes do not say.
     *
     * @return a line each
     */
    public SortedSet<String> unresolved() {
        return graph.unresolved();
    }

    /**
     * Methods that are called and also run as events: they are part of several stages.
     *
     * @return class and method
     */
    public SortedSet<String> reachedBothWays() {
        return graph.reachedBothWays();
    }

    /**
     * The model for the solver.
     *
     * @param regionBytes of the region
     * @param from stages to begin with; others are left out unless these reach them; none: all
     * @param without stages that are left out
     * @return the stages, and the objects that they allocate
     */
    public StageModel model(long regionBytes, Collection<String> from, Collection<String> without) {
        Set<String> kept = kept(from, without);
        SortedSet<String> allocated = new TreeSet<>();
        List<StageNode> nodes = new ArrayList<>();
        for (Entry entry : stages.values()) {
            if (kept.contains(entry.name)) {
                nodes.add(node(entry, kept));
                allocated.addAll(entry.allocs.keySet());
            }
        }
        List<MemoryObject> objects = new ArrayList<>();
        for (String name : allocated) {
            Buffer buffer = buffers.get(name);
            if (buffer != null) {
                boolean isRepeated = stages.values().stream()
                        .anyMatch(entry -> kept.contains(entry.name) && entry.allocs.getOrDefault(name, false));
                objects.add(new MemoryObject(name, declared(buffer), buffer.count(), isRepeated, buffer.place()));
            }
        }
        nodes.replaceAll(node -> withKnown(node, allocated));
        return new StageModel(regionBytes, StageModel.LINE_BYTES, 0, objects, nodes);
    }

    /** What is smaller than declared is served, so it is one more than what is asked for. */
    private static long declared(Buffer buffer) {
        return buffer.sizeBytes() == 0 ? 0 : buffer.sizeBytes() + 1;
    }

    private Set<String> kept(Collection<String> from, Collection<String> without) {
        Set<String> kept = new HashSet<>();
        List<String> open = new ArrayList<>(from.isEmpty() ? stages.keySet() : from);
        while (!open.isEmpty()) {
            String name = open.remove(open.size() - 1);
            if (!without.contains(name) && stages.containsKey(name) && kept.add(name)) {
                open.addAll(next(name));
            }
        }
        return kept;
    }

    private static StageNode node(Entry entry, Set<String> kept) {
        SortedMap<String, Integer> allocs = new TreeMap<>();
        entry.allocs.keySet().forEach(name -> allocs.put(name, 1));
        SortedSet<String> frees = new TreeSet<>();
        SortedSet<String> mayFree = new TreeSet<>();
        entry.frees.keySet().forEach(name -> (entry.isFreed(name) ? frees : mayFree).add(name));
        SortedSet<String> next = new TreeSet<>(entry.next);
        next.retainAll(kept);
        return new StageNode(entry.name, 1, entry.isFromOutside, allocs, frees, new TreeSet<>(), mayFree, next);
    }

    /** What nobody that is kept allocates is not freed, either. */
    private static StageNode withKnown(StageNode node, Collection<String> objects) {
        SortedSet<String> frees = new TreeSet<>(node.frees());
        frees.retainAll(objects);
        SortedSet<String> mayFree = new TreeSet<>(node.mayFree());
        mayFree.retainAll(objects);
        return new StageNode(
                node.name(),
                node.weight(),
                node.isEntry(),
                node.allocs(),
                frees,
                node.freesFirst(),
                mayFree,
                node.next());
    }

    /** Names of what runs as events: stages, and functions, whose names begin with how they come to run. */
    SortedSet<String> entries(String prefix) {
        SortedSet<String> names = new TreeSet<>(stages.keySet());
        names.removeIf(name -> !name.startsWith(prefix));
        return names;
    }

    ClassPath classes() {
        return classes;
    }

    Program program() {
        return program;
    }

    /** Allocation sites by name. */
    SortedMap<String, Buffer> found() {
        return buffers;
    }

    /**
     * What people should know who read the model.
     *
     * @return some lines
     */
    public List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        SortedSet<String> inStages = new TreeSet<>();
        stages.values().forEach(entry -> inStages.addAll(entry.allocs.keySet()));
        for (Entry entry : stages.values()) {
            remarks.add("stage " + entry.name + ": " + entry.methods.size() + " methods");
        }
        buffers.values().stream()
                .filter(buffer -> !inStages.contains(buffer.name()))
                .forEach(buffer -> remarks.add("allocated by no stage: " + buffer.place()));
        reachedBothWays()
                .forEach(method -> remarks.add("called and run as an event, so part of several stages: " + method));
        unresolved().forEach(what -> remarks.add("unknown: " + what));
        return remarks;
    }
}
