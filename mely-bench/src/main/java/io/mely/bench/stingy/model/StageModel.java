// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.model;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A staged program as the solver sees it: its stages, who sends to whom, and which objects each stage allocates and frees.
 *
 * <p><b>Units.</b> Bytes. <b>Source.</b> spec: Stingy §2, §5.
 *
 * @param regionBytes size of the region, tau
 * @param lineBytes an object begins at a multiple of this
 * @param finalBytesMax objects that are never freed are kept in the region up to this size; 0: none
 * @param objects by name, each name once
 * @param stages by name, each name once
 */
public record StageModel(
        long regionBytes, int lineBytes, long finalBytesMax, List<MemoryObject> objects, List<StageNode> stages) {
    /** A cache line of most processors. */
    public static final int LINE_BYTES = 64;

    /**
     * An allocation site.
     *
     * @param name of the site
     * @param sizeBytes declared: smaller ones are served; 0: unknown
     * @param count most instances that a request has at once, as somebody has estimated; 0: nobody has
     * @param isRepeated whether one event may allocate any number of it
     * @param place where it is in the program, for people; may be empty
     */
    public record MemoryObject(String name, long sizeBytes, int count, boolean isRepeated, String place) {
        /** Checks the numbers. */
        public MemoryObject {
            check(sizeBytes >= 0 && count >= 0, "size and count must be >= 0", name);
        }
    }

    /**
     * A stage.
     *
     * @param name of the stage
     * @param weight cost of the first iteration of a run, in any unit
     * @param isEntry whether events come from outside; true of each stage to which nobody sends
     * @param allocs instances that one event allocates, by object
     * @param frees objects that it frees after its allocations
     * @param freesFirst objects that it frees before it allocates anything
     * @param mayFree objects that it frees on some of its ways and not on others: they may live on
     * @param next to whom it sends
     */
    public record StageNode(
            String name,
            double weight,
            boolean isEntry,
            SortedMap<String, Integer> allocs,
            SortedSet<String> frees,
            SortedSet<String> freesFirst,
            SortedSet<String> mayFree,
            SortedSet<String> next) {
        /** Copies the collections, and checks the numbers. */
        public StageNode {
            allocs = new TreeMap<>(allocs);
            frees = new TreeSet<>(frees);
            freesFirst = new TreeSet<>(freesFirst);
            mayFree = new TreeSet<>(mayFree);
            next = new TreeSet<>(next);
            check(weight >= 0 && Double.isFinite(weight), "weight must be >= 0", name);
            check(allocs.values().stream().allMatch(count -> count > 0), "allocs must be > 0", name);
        }
    }

    /** Copies the lists, and checks that all names are known. */
    public StageModel {
        objects = List.copyOf(objects);
        stages = List.copyOf(stages);
        check(regionBytes > 0, "region must be > 0", regionBytes);
        check(lineBytes > 0, "line must be > 0", lineBytes);
        check(finalBytesMax >= 0, "finals must be >= 0", finalBytesMax);
        Set<String> objectNames = names(objects.stream().map(MemoryObject::name));
        Set<String> stageNames = names(stages.stream().map(StageNode::name));
        for (StageNode stage : stages) {
            checkKnown(stage.allocs.keySet(), objectNames, "object", stage.name);
            checkKnown(stage.frees, objectNames, "object", stage.name);
            checkKnown(stage.freesFirst, objectNames, "object", stage.name);
            checkKnown(stage.mayFree, objectNames, "object", stage.name);
            checkKnown(stage.next, stageNames, "stage", stage.name);
        }
    }

    /**
     * The same with another region.
     *
     * @param bytes its size
     * @return a changed copy
     */
    public StageModel withRegion(long bytes) {
        return new StageModel(bytes, lineBytes, finalBytesMax, objects, stages);
    }

    private static Set<String> names(Stream<String> all) {
        Set<String> seen = new HashSet<>();
        all.forEach(name -> check(seen.add(name), "names must differ", name));
        return seen;
    }

    private static void checkKnown(Collection<String> names, Set<String> known, String what, String stage) {
        for (String name : names) {
            check(known.contains(name), "unknown " + what + " in stage " + stage, name);
        }
    }

    private static void check(boolean isValid, String rule, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + value);
        }
    }
}
