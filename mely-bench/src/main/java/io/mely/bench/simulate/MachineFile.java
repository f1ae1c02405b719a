// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.simulate.HandOvers.Place;
import io.mely.bench.simulate.LastLevel.Left;
import io.mely.bench.simulate.Tries.Found;
import io.mely.topology.CacheMap;
import io.mely.topology.CacheMap.Cache;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;

/** The text of a machine's file, from what was found: each line says where its value comes from. */
final class MachineFile {
    static final int LEVELS_MAX = 3;
    /** A CAS that takes less than so many of those on an own line needs no transfer. */
    private static final double OWN_CAS = 2;

    private final CacheMap map;
    private final Map<String, Found> found;
    private final Probes.Sleep sleep;
    private final double gigahertz;
    private final StringBuilder text = new StringBuilder();

    /**
     * Begins a file.
     *
     * @param map the CPUs and caches
     * @param found nanoseconds by probe
     * @param sleep what a sleep takes
     * @param environment has the CPU's model, and says where and when
     */
    MachineFile(CacheMap map, Map<String, Found> found, Probes.Sleep sleep, Map<String, String> environment) {
        this.map = map;
        this.found = found;
        this.sleep = sleep;
        gigahertz = 1 / of("cycle").value();
        topology(environment);
        transfer();
        memory();
        instructions();
        sleeping();
        event();
    }

    double gigahertz() {
        return gigahertz;
    }

    private Found of(String probe) {
        return Objects.requireNonNull(found.get(probe), probe);
    }

    /** Those that hold data, the nearest first. */
    static List<Cache> caches(CacheMap map) {
        List<Cache> caches = new ArrayList<>();
        for (Cache cache : map.cpu(map.cpus().first()).caches()) {
            if (cache.sizeBytes() > 0 && caches.size() < LEVELS_MAX) {
                caches.add(cache);
            }
        }
        return caches;
    }

    static List<Long> cacheBytes(CacheMap map) {
        return caches(map).stream().map(Cache::sizeBytes).toList();
    }

    /** Of the last cache. */
    static Left left(CacheMap map, Map<String, Found> found) {
        return new LastLevel(cacheBytes(map)).left(found);
    }

    // ------------------------------------------------------------------ lines

    void measured(String key, double value, Found found, String what) {
        line(key, number(value), what(found, what));
    }

    /** A probe's nanoseconds in cycles. */
    private void measured(String key, String probe, String what) {
        measured(key, of(probe).value() * gigahertz, of(probe), what);
    }

    void line(String key, Object value, String comment) {
        text.append(String.format(Locale.ROOT, "%-23s = %-10s # %s%n", key, value, comment));
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String what(Found found, String what) {
        return String.format(
                Locale.ROOT,
                "measured%s: %s (%d tries, spread %.0f %%)",
                found.isSure() ? "" : ", unsure",
                what,
                found.tries(),
                100 * found.spread());
    }

    // ------------------------------------------------------------------ the file, in its order

    private void topology(Map<String, String> environment) {
        text.append(String.format(
                Locale.ROOT,
                "# Written by \"simulate --calibrate\", %s, %s. Latencies in cycles, times in nanoseconds.%n%n",
                environment.get("java"),
                environment.get("started")));
        int cpus = map.cpus().size();
        int packages = (int) map.cpus().stream()
                .map(number -> map.cpu(number).packageId())
                .distinct()
                .count();
        boolean isEven = cpus % packages == 0;
        String model = String.valueOf(environment.get("cpu model")).replaceAll("[\"\\\\]", "'");
        line("name", "\"" + model + ", " + cpus + " CPUs\"", "the operating system's");
        measured("gigahertz", gigahertz, of("cycle"), "a fifth of a step of shift, xor and multiply");
        line("packages", isEven ? packages : 1, "the operating system's");
        line("cpusPerPackage", isEven ? cpus / packages : cpus, "the operating system's");
        text.append("caches = [                           # ways: assumed\n");
        List<Cache> caches = caches(map);
        int last = caches.size() - 1;
        for (int level = 0; level < last; level++) {
            cache(
                    caches.get(level),
                    caches.get(level).sizeBytes(),
                    of(Probes.level(level)),
                    "a load in half of it; size: the operating system's");
        }
        Left left = left(map, found);
        String size = left.isAll()
                ? "size: the operating system's"
                : String.format(
                        Locale.ROOT,
                        "size: what is left of %d MB: in %d KB a load takes %.0f cycles",
                        caches.get(last).sizeBytes() >> 20,
                        left.beyond() >> 10,
                        of(LastLevel.probe(left.beyond())).value() * gigahertz);
        cache(caches.get(last), left.bytes(), left.load(), "a load in the first of it; " + size);
        text.append("]\n");
    }

    private void cache(Cache cache, long bytes, Found load, String what) {
        text.append(String.format(
                Locale.ROOT,
                "  { size = %d, ways = %d, cpus = %d, latency = %s } # %s%n",
                bytes,
                cache.level() == LEVELS_MAX ? 16 : 8,
                cache.cpus().intersect(map.cpus()).size(),
                number(load.value() * gigahertz),
                what(load, what)));
    }

    private void transfer() {
        for (Place place : Place.values()) {
            Place measured = measuredPlace(place);
            measured(
                    "transfer." + place.key(),
                    measured.transfer(),
                    measured == place
                            ? "a read of a line that the other CPU has written"
                            : "no such pair here: as " + measured.key());
        }
        Found cas = of(measuredPlace(Place.SHARED_CACHE).change());
        line(
                "transfer.migrates",
                cas.value() < OWN_CAS * of("CAS").value(),
                what(
                        cas,
                        String.format(
                                Locale.ROOT,
                                "after a read of the other's line a CAS takes %.0f ns, on an own one %.0f",
                                cas.value(),
                                of("CAS").value())));
    }

    /** Itself, or the next one farther away that there is, or else the next nearer one. */
    private Place measuredPlace(Place place) {
        NavigableSet<Place> measured = new TreeSet<>(Arrays.asList(Place.values()));
        measured.removeIf(each -> !found.containsKey(each.transfer()));
        Place farther = measured.ceiling(place);
        return farther != null ? farther : Objects.requireNonNull(measured.floor(place), "no hand-overs were measured");
    }

    private void memory() {
        Found walk = of("walk");
        measured("memory.latency", "memory", "a load in 512 MB, in order of pages");
        boolean hasRemote = found.containsKey("remote memory");
        measured(
                "memory.remoteLatency",
                hasRemote ? "remote memory" : "memory",
                hasRemote ? "the same in another package's" : "the same: there is one package");
        measured(
                "memory.streamOverlap",
                of("memory").value() / walk.value(),
                walk,
                "how much faster a walk through twice the last cache is");
        measured("memory.busCycles", "walk of two", "a line, when both CPUs walk");
        Found pages = of("walk of pages");
        measured(
                "memory.walkStart",
                Math.max(0, pages.value() - walk.value())
                        * Probes.PAGE_LINES
                        / of("memory").value(),
                pages,
                "what a page adds to a walk where the next one is elsewhere");
        double computing = of("computing").value();
        Found both = of("computing walk");
        measured(
                "memory.walkOverlap",
                Math.min(1, Math.max(0, computing + walk.value() - both.value()) / Math.min(computing, walk.value())),
                both,
                String.format(
                        Locale.ROOT,
                        "a walk that computes takes %.2f ns a line, the walk %.2f, the computing %.2f",
                        both.value(),
                        walk.value(),
                        computing));
    }

    private void instructions() {
        measured("cpu.atomic", "CAS", "a CAS on an own line");
        measured("cpu.fence", "fence", "a volatile store, then a volatile load");
        measured("cpu.pause", "pause", "onSpinWait");
        measured("cpu.clock", "clock", "nanoTime");
        line("cpu.storeBuffer", 6_000, "assumed");
    }

    private void sleeping() {
        measured("os.pollNs", of("poll").value(), of("poll"), "selectNow of a Selector without keys");
        line("os.blockNs", number(sleep.blockNs()), "measured: CPU time of a thread that parks and is woken");
        line("os.wakeNs", number(sleep.wakeNs()), "measured: unpark of a thread that sleeps, median");
        line("os.wakeLatencyNs", number(sleep.wakeLatencyNs()), "measured: from the end of that until it runs, median");
    }

    private void event() {
        line("event.send", 0, "nothing beyond the runtime's code: its records are pooled");
        line("event.run", 0, "the same");
    }

    /** The file. */
    @Override
    public String toString() {
        return text.toString();
    }
}
