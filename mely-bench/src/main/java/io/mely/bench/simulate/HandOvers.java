// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.topology.CacheMap;
import io.mely.topology.Pinning;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.DoubleSupplier;

/**
 * Lines that one CPU has written and another reads, for each kind of pair that a machine has.
 *
 * <p>Both threads are bound to their CPUs where that is possible; elsewhere those hand-overs count that happened to be between such a pair.
 */
final class HandOvers {
    /** Lines of a hand-over, to be read and then changed: they fit the first level. */
    private static final int LINES = 256;

    /** Hand-overs of a try: fewer would be over before they are compiled. */
    private static final int TRIED = 200;

    private static final int TRIED_MAX = 10_000;
    private static final int NOBODY = -2;

    private final CacheMap map;
    private final Bound bound = new Bound();

    /** What two CPUs have in common, as a machine's file tells them apart; the nearest first. */
    enum Place {
        /** A cache before the last. */
        SHARED_CACHE("sharedCache"),
        SHARED_LAST("sharedLast"),
        SAME_PACKAGE("samePackage"),
        OTHER_PACKAGE("otherPackage");

        private final String key;

        Place(String key) {
            this.key = key;
        }

        /** In a machine's file. */
        String key() {
            return key;
        }

        /** The probe of a read of a line that the other CPU has written. */
        String transfer() {
            return "transfer, " + key;
        }

        /** The probe of a change of a line that was read so. */
        String change() {
            return "CAS after read, " + key;
        }

        static Place of(CacheMap map, int from, int to) {
            return switch (map.distance(from, to)) {
                case SAME_CPU -> throw new IllegalArgumentException("one CPU: " + from);
                case SMT_SIBLING, SHARED_L2 -> SHARED_CACHE;
                // Of two levels the last one is all that CPUs can share: a machine's file calls it a shared cache.
                case SHARED_L3 -> MachineFile.caches(map).size() < MachineFile.LEVELS_MAX ? SHARED_CACHE : SHARED_LAST;
                case SAME_PACKAGE -> SAME_PACKAGE;
                case OTHER_PACKAGE -> OTHER_PACKAGE;
            };
        }
    }

    /**
     * Two CPUs.
     *
     * @param from the writer's
     * @param to the reader's
     */
    record Pair(int from, int to) {}

    HandOvers(CacheMap map) {
        this.map = map;
    }

    /** The first pair of each kind that there is. */
    static Map<Place, Pair> pairs(CacheMap map) {
        Map<Place, Pair> pairs = new EnumMap<>(Place.class);
        int from = map.cpus().first();
        map.cpus().stream()
                .filter(to -> to != from)
                .forEach(to -> pairs.putIfAbsent(Place.of(map, from, to), new Pair(from, to)));
        return pairs;
    }

    /** Of all pairs. */
    Map<String, DoubleSupplier> probes() {
        Map<String, DoubleSupplier> probes = new LinkedHashMap<>();
        pairs(map).forEach((place, pair) -> {
            probes.put(place.transfer(), () -> ns(place, pair, false));
            probes.put(place.change(), () -> ns(place, pair, true));
        });
        return probes;
    }

    /** The mean, since in a run they add up, but for the slowest tenth, in which a thread lost its CPU. */
    private double ns(Place place, Pair pair, boolean isChange) {
        List<Double> hands = new ArrayList<>();
        for (int i = 0; i < TRIED || (hands.isEmpty() && i < TRIED_MAX); i++) {
            HandOver handOver = new HandOver();
            handOver.run(pair);
            if (handOver.isBetween(place)) {
                hands.add(isChange ? handOver.changeNs : handOver.readNs);
            }
        }
        if (hands.isEmpty()) {
            throw new IllegalStateException("two threads never ran on two such CPUs: " + place.key());
        }
        return hands.stream()
                .sorted()
                .limit(hands.size() - hands.size() / 10)
                .mapToDouble(ns -> ns)
                .average()
                .orElseThrow();
    }

    /**
     * A thread writes lines, another one follows the ring through them: each waits for a transfer. Then that changes each, which is as quick as a CAS of an
     * own line if the lines have come along with the reads, and else another transfer.
     */
    private final class HandOver {
        private final AtomicIntegerArray lines = new AtomicIntegerArray(Rings.ring(LINES));
        private final AtomicInteger writtenBy = new AtomicInteger(NOBODY);
        private int readBy = NOBODY;
        double readNs;
        double changeNs;

        void run(Pair pair) {
            Thread writer = bound.thread(pair.from(), this::write);
            Thread reader = bound.thread(pair.to(), this::read);
            writer.start();
            reader.start();
            Bound.join(writer);
            Bound.join(reader);
        }

        private void write() {
            for (int i = 0; i < lines.length(); i += Rings.LINE_INTS) {
                lines.set(i, lines.get(i));
            }
            writtenBy.set(Pinning.currentCpu());
        }

        private void read() {
            while (writtenBy.get() == NOBODY) {
                Thread.onSpinWait(); // asleep this thread would leave its CPU to the other
            }
            int at = 0;
            long startNs = System.nanoTime();
            for (int i = 0; i < LINES; i++) {
                at = lines.get(at);
            }
            long readNs = System.nanoTime();
            for (int i = 0; i < LINES; i++) {
                at = lines.getAndAdd(at, 0);
            }
            long endNs = System.nanoTime();
            if (at != 0) {
                throw new IllegalStateException("the ring does not end where it began");
            }
            this.readNs = (double) (readNs - startNs) / LINES;
            changeNs = (double) (endNs - readNs) / LINES;
            readBy = Pinning.currentCpu();
        }

        /** Where the system does not say who ran where, it is believed to have bound them. */
        boolean isBetween(Place place) {
            int from = writtenBy.get();
            int to = readBy;
            return from < 0
                    || to < 0
                    || (from != to
                            && map.cpus().contains(from)
                            && map.cpus().contains(to)
                            && Place.of(map, from, to) == place);
        }
    }
}
