// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.topology.CacheMap;
import io.mely.topology.CorePlan;
import io.mely.topology.CpuQuota;
import io.mely.topology.CpuSet;
import io.mely.topology.Cpus;
import io.mely.topology.Pinning;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the runtime needs to know of the machine: how many cores, on which CPUs, how far apart, and whether an idle one may spin.
 *
 * <p>Under a CPU quota, or with more cores than CPUs, nobody spins: it would burn what others need.
 */
@SuppressWarnings("EnumOrdinal") // the classes are declared from near to far
public final class Machine {
    private static final long SPIN_NS = 20_000;

    private final CorePlan plan;
    private final long spinNs;

    private Machine(CorePlan plan, long spinNs) {
        this.plan = plan;
        this.spinNs = spinNs;
    }

    /**
     * Looks at this machine, or at the one that the configuration describes. Reads files; where cores are pinned, some ten per CPU. Calls no native code: the first
     * pinning does.
     *
     * @param config of a runtime
     * @return to be shared by any number of runtimes of that configuration
     */
    public static Machine of(RuntimeConfig config) {
        CpuSet allowed = Cpus.allowed();
        CpuQuota quota = CpuQuota.ofThisProcess();
        CacheMap map = mapOf(config, allowed);
        int count =
                config.cores() != 0 ? config.cores() : CorePlan.defaultCores(map == null ? allowed : map.cpus(), quota);
        CorePlan plan = map != null && config.isPinned() ? CorePlan.choose(map, count) : CorePlan.floating(count);
        boolean mayNotSpin = quota.isLimited() || count > allowed.size();
        long spinNs = config.tuning().spinNs() >= 0 ? config.tuning().spinNs() : mayNotSpin ? 0 : SPIN_NS;
        return new Machine(plan, spinNs);
    }

    /** Null where nobody asks: cores that float have no place in it. */
    private static @Nullable CacheMap mapOf(RuntimeConfig config, CpuSet allowed) {
        Path root = config.hooks().sysfsRoot();
        if (root != null) {
            return CacheMap.read(root, allowed);
        }
        return config.isPinned() ? CacheMap.ofThisMachine(allowed) : null;
    }

    /** A machine that exists only as data: nobody is pinned. */
    static Machine of(CacheMap map, int cores, long spinNs) {
        return new Machine(CorePlan.choose(map, cores), spinNs);
    }

    int cores() {
        return plan.coreCount();
    }

    /** The CPU a core is planned for; -1 if it floats. */
    int cpu(int core) {
        return plan.cpu(core);
    }

    /** From core to core, smaller is nearer. */
    int[][] distances() {
        int count = cores();
        int[][] distances = new int[count][count];
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                distances[from][to] = plan.distance(from, to).ordinal();
            }
        }
        return distances;
    }

    /** The distances that occur between two different cores. */
    int[] distanceClasses() {
        int count = cores();
        int[] classes = new int[count * (count - 1)];
        int next = 0;
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                if (from != to) {
                    classes[next++] = plan.distance(from, to).ordinal();
                }
            }
        }
        return Arrays.stream(classes).distinct().toArray();
    }

    long spinNs() {
        return spinNs;
    }

    /** Pins the calling thread; the CPU, or -1 if it floats. */
    int pin(int core) {
        if (plan.isFloating()) {
            return -1;
        }
        int cpu = plan.cpu(core);
        Threads.guardPin(cpu);
        return Pinning.pinCallingThread(cpu) ? cpu : -1;
    }

    /** Does what may start threads, on the thread of a core that was pinned. */
    void doUnpinned(int core, Runnable starting) {
        Pinning.doUnpinned(plan.cpu(core), starting);
    }
}
