// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** A stage as it is found: what runs when an event comes, and what that does, directly and by calls. */
final class Entry {
    /** Who has its events run. */
    enum Kind {
        /** A stage of the program. */
        STAGE,
        /** A function that was given to a color or an executor: it runs as an event of its own. */
        FUNCTION,
        /** A function that a poller or the runtime calls. */
        OUTSIDE
    }

    /**
     * Code that an event runs.
     *
     * @param method where it begins
     * @param args what the method is given
     * @param maker the method whose parameters the arguments speak of
     */
    record Start(MethodId method, List<Values> args, MethodId maker) {}

    final String name;
    final Kind kind;
    final Set<Start> starts = new java.util.LinkedHashSet<>();

    /** Its methods, reached by calls. */
    final SortedSet<MethodId> methods = new TreeSet<>();

    /** Entries to which it sends. */
    final SortedSet<String> next = new TreeSet<>();

    /** Allocation sites, and whether one event may allocate there several times. */
    final SortedMap<String, Boolean> allocs = new TreeMap<>();

    /** Objects that it frees, and whether it does on each of its ways. */
    final SortedMap<String, Boolean> frees = new TreeMap<>();

    /** Objects of which it frees the one that it has allocated before, and not one that it was given. */
    final SortedSet<String> freedAfter = new TreeSet<>();

    /** Whether somebody who is no stage sends to it. */
    boolean isFromOutside;

    Entry(String name, Kind kind) {
        this.name = name;
        this.kind = kind;
        isFromOutside = kind == Kind.OUTSIDE;
    }

    /** Whether an object does not live any more when an event of this stage is over. What is allocated once more may live. */
    boolean isFreed(String object) {
        boolean isLast = !allocs.containsKey(object) || freedAfter.contains(object);
        return isLast && frees.getOrDefault(object, false);
    }

    @Override
    public String toString() {
        return name;
    }
}
