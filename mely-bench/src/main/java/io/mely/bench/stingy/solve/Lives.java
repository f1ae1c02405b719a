// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which objects live when: liveness over the stage graph to its fixpoint, and by it which objects are managed.
 *
 * <p>An object lives at the beginning of a stage if some path there has allocated it and not freed it since. It is global if it still lives where no path leads on: after a
 * stage that sends to nobody, or in a last cycle none of whose stages frees it;
 * and no stage may free it on some of its ways. What is allocated in a cycle is managed only if it has a count; then a request is taken to have
 * all of that count from the first one on.
 *
 * <p><b>Source.</b> spec: Stingy §2, §5.3.
 */
final class Lives {
    private final StageModel model;
    private final BitSet[] next;
    private final BitSet[] allocs;
    private final BitSet[] frees;
    private final BitSet[] freesFirst;
    private final BitSet[] mayFree;
    private final BitSet[] atStart;
    private final BitSet entries = new BitSet();
    private final Components components;
    private final BitSet managed = new BitSet();
    private final BitSet finals = new BitSet();
    private final SortedMap<String, String> unmanaged = new TreeMap<>();

    Lives(StageModel model) {
        this.model = model;
        Map<String, Integer> stageAt =
                places(model.stages().stream().map(StageNode::name).toList());
        Map<String, Integer> objectAt =
                places(model.objects().stream().map(MemoryObject::name).toList());
        List<StageNode> stages = model.stages();
        next = sets(stages.stream().map(StageNode::next).toList(), stageAt);
        allocs = sets(stages.stream().map(stage -> stage.allocs().keySet()).toList(), objectAt);
        frees = sets(stages.stream().map(StageNode::frees).toList(), objectAt);
        freesFirst = sets(stages.stream().map(StageNode::freesFirst).toList(), objectAt);
        mayFree = sets(stages.stream().map(StageNode::mayFree).toList(), objectAt);
        components = new Components(next);
        entries.set(0, stages.size());
        for (BitSet each : next) {
            entries.andNot(each);
        }
        for (int stage = 0; stage < stages.size(); stage++) {
            if (stages.get(stage).isEntry()) {
                entries.set(stage);
            }
        }
        atStart = flow();
        for (int object = 0; object < model.objects().size(); object++) {
            classify(object);
        }
    }

    private static Map<String, Integer> places(List<String> names) {
        Map<String, Integer> places = new HashMap<>();
        names.forEach(name -> places.put(name, places.size()));
        return places;
    }

    private static BitSet[] sets(List<? extends Collection<String>> names, Map<String, Integer> places) {
        BitSet[] sets = new BitSet[names.size()];
        for (int i = 0; i < sets.length; i++) {
            sets[i] = new BitSet();
            for (String name : names.get(i)) {
                sets[i].set(places.getOrDefault(name, -1));
            }
        }
        return sets;
    }

    /** What lives at the beginning of each stage: sets only grow, so it ends. */
    private BitSet[] flow() {
        BitSet[] start = new BitSet[next.length];
        for (int stage = 0; stage < start.length; stage++) {
            start[stage] = new BitSet();
        }
        boolean isChanged;
        do {
            isChanged = false;
            for (int stage = 0; stage < start.length; stage++) {
                BitSet after = after(start[stage], stage);
                for (int to : next[stage].stream().toArray()) {
                    int before = start[to].cardinality();
                    start[to].or(after);
                    isChanged |= start[to].cardinality() > before;
                }
            }
        } while (isChanged);
        return start;
    }

    private BitSet after(BitSet start, int stage) {
        BitSet after = (BitSet) start.clone();
        after.andNot(freesFirst[stage]);
        after.or(allocs[stage]);
        after.andNot(frees[stage]);
        return after;
    }

    private void classify(int object) {
        MemoryObject it = model.objects().get(object);
        int[] sites = stagesWith(allocs, object);
        String reason = null;
        if (sites.length == 0) {
            reason = "no stage allocates it";
        } else if (it.sizeBytes() == 0) {
            reason = "its size is not known: say size";
        } else if (isGlobal(object)) {
            if (it.sizeBytes() * Math.max(1, it.count()) <= model.finalBytesMax()) {
                finals.set(object);
                return;
            }
            reason = "global: it still lives where stage " + lastHolder(object) + " ends, and nobody frees it";
        } else if (it.count() == 0 && it.isRepeated()) {
            reason = "one event may allocate any number of it: say count, how many a request has at most";
        } else if (it.count() == 0) {
            reason = severalInARequest(object, sites);
        }
        if (reason == null) {
            managed.set(object);
        } else {
            unmanaged.put(it.name(), reason);
        }
    }

    /** Why a request may have more instances than one event allocates; null if it may not. */
    private @Nullable String severalInARequest(int object, int[] sites) {
        for (int site : sites) {
            if (components.isInCycle(site)) {
                return "allocated in a cycle of stages, by " + name(site)
                        + ": say count, how many a request has at most";
            } else if (atStart[site].get(object)) {
                return "a request may have it already when stage " + name(site)
                        + " allocates it: say count, how many a request" + " has at most";
            }
        }
        return null;
    }

    /** Whether it lives for ever. One that some stage may free does not: on which ways that is, is not known. */
    private boolean isGlobal(int object) {
        return stagesWith(mayFree, object).length == 0 && !lastHolder(object).isEmpty();
    }

    /** A stage after which the object lives for ever; empty if there is none. */
    private String lastHolder(int object) {
        for (int stage = 0; stage < next.length; stage++) {
            boolean isHeld = after(atStart[stage], stage).get(object) && components.isTerminal(stage);
            if (isHeld
                    && components.of(stage).stream()
                            .noneMatch(member -> frees[member].get(object) || freesFirst[member].get(object))) {
                return name(stage);
            }
        }
        return "";
    }

    private static int[] stagesWith(BitSet[] sets, int object) {
        List<Integer> with = new ArrayList<>();
        for (int stage = 0; stage < sets.length; stage++) {
            if (sets[stage].get(object)) {
                with.add(stage);
            }
        }
        return with.stream().mapToInt(Integer::intValue).toArray();
    }

    private String name(int stage) {
        return model.stages().get(stage).name();
    }

    // What others ask. Objects and stages are places in the model's lists; of objects only managed ones are told of.

    /** Objects that the plan has counts for. */
    BitSet managed() {
        return managed;
    }

    /** Small global objects: they are kept in the region, and no stage waits for them. */
    BitSet finals() {
        return finals;
    }

    /** Other objects, and why they are left to the ordinary allocator. */
    SortedMap<String, String> unmanaged() {
        return unmanaged;
    }

    /** L(s). */
    BitSet atStart(int stage) {
        return ofManaged(atStart[stage]);
    }

    /** A(s). */
    BitSet allocated(int stage) {
        return ofManaged(allocs[stage]);
    }

    /** What is freed before a stage allocates anything. */
    BitSet freedFirst(int stage) {
        return ofManaged(freesFirst[stage]);
    }

    /** Objects that live at some time in a stage: L(s) and A(s). */
    BitSet within(int stage) {
        BitSet within = atStart(stage);
        within.or(allocated(stage));
        return within;
    }

    private BitSet ofManaged(BitSet objects) {
        BitSet these = (BitSet) objects.clone();
        these.and(managed);
        return these;
    }

    /**
     * For each object those of which there must be no more: every request that has one of these has one of the object. The order of allocations inside one stage is not known, so two
     * objects of one stage say nothing of each other.
     */
    BitSet[] notMoreThan() {
        Dominators dominators = new Dominators(next, entries);
        BitSet[] less = new BitSet[model.objects().size()];
        for (int object = 0; object < less.length; object++) {
            less[object] = new BitSet();
            for (int other : managed.stream().toArray()) {
                if (other != object && managed.get(object) && isAlwaysWith(object, other, dominators)) {
                    less[object].set(other);
                }
            }
        }
        return less;
    }

    private boolean isAlwaysWith(int object, int other, Dominators dominators) {
        int[] sites = stagesWith(allocs, object);
        int[] otherSites = stagesWith(allocs, other);
        return areDominated(sites, otherSites, dominators, false)
                && areDominated(otherSites, stagesWith(frees, object), dominators, true)
                && areDominated(otherSites, stagesWith(mayFree, object), dominators, true)
                && areDominated(otherSites, stagesWith(freesFirst, object), dominators, false);
    }

    /** Whether each of some places has one of the sites on every path to it; in the same stage only if the place is known to come later. */
    private static boolean areDominated(int[] sites, int[] places, Dominators dominators, boolean isLaterInStage) {
        for (int place : places) {
            boolean isDominated = false;
            for (int site : sites) {
                isDominated |= dominators.dominates(site, place) && (site != place || isLaterInStage);
            }
            if (!isDominated) {
                return false;
            }
        }
        return true;
    }
}
