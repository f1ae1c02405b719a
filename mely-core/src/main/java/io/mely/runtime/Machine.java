// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.topology.CacheMap;
import io.mely.topology.Cpus;
import io.mely.topology.Distance;
import io.mely.topology.PinGuard;
import io.mely.topology.Pinning;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the runtime needs to know of the machine: how many cores, on which CPUs, how far apart, and whether an idle one may spin.
 *
 * <p>Under a CPU quota, or with more cores than CPUs, nobody spins: it would burn what others need.
 */
@SuppressWarnings("EnumOrdinal") // the classes are declared from near to far
public final class Machine {
    private static final long SPIN_NS = 20_000;

    private final int[] cpus; // by core; -1: it floats
    private final int[][] distances;
    private final long spinNs;

    private Machine(@Nullable CacheMap map, int[] cpus, long spinNs) {
        this.cpus = cpus;
        this.spinNs = spinNs;
        distances = new int[cpus.length][cpus.length];
        for (int from = 0; from < cpus.length; from++) {
            for (int to = 0; to < cpus.length; to++) {
                distances[from][to] = distance(map, from, to).ordinal();
            }
        }
    }

    private Distance distance(@Nullable CacheMap map, int from, int to) {
        if (map != null && cpus[from] >= 0) {
            return map.distance(cpus[from], cpus[to]);
        }
        return from == to ? Distance.SAME_CPU : Distance.SAME_PACKAGE;
    }

    /**
     * Looks at this machine, or at the one that the configuration describes. Reads files; where cores are pinned, some ten per CPU. Calls no native code: the first
     * pinning does.
     *
     * @param config of a runtime
     * @return to be shared by any number of runtimes of that configuration
     */
    public static Machine of(RuntimeConfig config) {
        double quota = Cpus.quota();
        CacheMap map = mapOf(config);
        int allowed = map == null ? Cpus.allowed().size() : map.cpus().size();
        int count = config.cores() != 0 ? config.cores() : defaultCores(allowed, quota);
        boolean mayNotSpin = Double.isFinite(quota) || count > Cpus.allowed().size();
        long spinNs = config.tuning().spinNs() >= 0 ? config.tuning().spinNs() : mayNotSpin ? 0 : SPIN_NS;
        if (map != null && config.isPinned()) {
            return of(map, count, spinNs);
        }
        return new Machine(null, IntStream.generate(() -> -1).limit(count).toArray(), spinNs);
    }

    /** Null where nobody asks: cores that float have no place in it. */
    private static @Nullable CacheMap mapOf(RuntimeConfig config) {
        Path root = config.hooks().sysfsRoot();
        if (root != null) {
            return CacheMap.read(root, Cpus.allowed());
        }
        return config.isPinned() ? CacheMap.ofThisMachine(Cpus.allowed()) : null;
    }

    /**
     * Decides how many cores a runtime has when nobody says.
     *
     * <p>A quota is rounded up: 1.5 CPUs are two cores. Rounding down would certainly waste half a CPU, while two cores
     * that share 1.5 CPUs are throttled only when both are busy for long, and a runtime under a quota does not spin.
     * The JVM rounds the same way.
     */
    static int defaultCores(int allowed, double quota) {
        return (int) Math.min(allowed, Math.ceil(quota));
    }

    /** A machine that is described: cores have CPUs if there are enough. */
    static Machine of(CacheMap map, int cores, long spinNs) {
        return new Machine(map, map.choose(cores), spinNs);
    }

    int cores() {
        return cpus.length;
    }

    /** From core to core, smaller is nearer. */
    int[][] distances() {
        return distances;
    }

    /** The distances that occur between two different cores. */
    int[] distanceClasses() {
        return Arrays.stream(distances)
                .flatMapToInt(Arrays::stream)
                .filter(distance -> distance != Distance.SAME_CPU.ordinal())
                .distinct()
                .toArray();
    }

    long spinNs() {
        return spinNs;
    }

    /** Pins the calling thread, and has threads that it starts set free; the CPU, or -1 if it floats. */
    int pin(int core) {
        int cpu = cpus[core];
        if (cpu < 0) {
            return -1;
        }
        if (PinGuard.OF_PROCESS.enter(cpu)) {
            Thread guard = new Thread(null, PinGuard.OF_PROCESS, "mely-pin-guard", 0, false);
            guard.setDaemon(true);
            guard.setContextClassLoader(null); // it may outlive who started it
            guard.start();
        }
        return Pinning.pinCallingThread(cpu) ? cpu : -1;
    }
}
