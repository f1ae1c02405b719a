// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Mely;
import io.mely.topology.CacheMap;
import java.util.ArrayList;
import java.util.List;

/**
 * The cores of a runtime without their threads, and what its groups would start threads for: a virtual machine decides when each of them goes on. The groups' have the indexes behind the cores'.
 *
 * <p><b>Threads.</b> {@link #enter} and {@link #loop} on a {@link CoreThread}; no two cores run at once. <b>Errors.</b> A core that breaks down
 * throws out of {@link #loop}.
 */
public final class VirtualCores {
    private final MelyRuntime runtime;
    private final Mely mely;
    private final Core[] cores;
    private final List<PoolWorker> poolWorkers = new ArrayList<>();
    private final List<Runnable> poolBodies = new ArrayList<>();

    /**
     * Takes a runtime over.
     *
     * @param runtime built, not started
     */
    public VirtualCores(MelyRuntime runtime) {
        this.runtime = runtime;
        mely = ApiAccess.get().mely(runtime);
        cores = new Core[runtime.cores()];
        for (int i = 0; i < cores.length; i++) {
            cores[i] = runtime.core(i);
        }
    }

    /**
     * Builds a runtime on a machine that exists only as data.
     *
     * @param config with the number of cores and the time an idle one spins
     * @param map of the machine
     * @return not started
     */
    public static MelyRuntime mely(RuntimeConfig config, CacheMap map) {
        return new MelyRuntime(
                config, Machine.of(map, config.cores(), config.tuning().spinNs()));
    }

    /**
     * Which CPU of a machine a core would be pinned to.
     *
     * @param map of the machine
     * @param cores of the runtime
     * @return by core
     */
    public static int[] cpus(CacheMap map, int cores) {
        return map.choose(cores);
    }

    /** The runtime that was taken over. */
    public Mely mely() {
        return mely;
    }

    /** Lets events be accepted and run; starts no thread. */
    public void start() {
        runtime.life().startAccepting();
        runtime.life().startPoolsStepped((worker, body) -> {
            poolWorkers.add(worker);
            poolBodies.add(body);
        });
    }

    /** How many threads the groups have asked for at the start. They get no more. */
    public int poolThreads() {
        return poolWorkers.size();
    }

    /**
     * Makes the calling thread a core, or a group's thread, until it enters another.
     *
     * @param core index
     */
    public void enter(int core) {
        ((CoreThread) Thread.currentThread()).worker =
                core < cores.length ? cores[core].worker() : poolWorkers.get(core - cores.length);
    }

    /**
     * The life of a core, or of a group's thread, until the stop.
     *
     * @param core index, entered
     */
    public void loop(int core) {
        if (core >= cores.length) {
            poolBodies.get(core - cores.length).run();
            return;
        }
        Core body = cores[core];
        body.takeOver();
        body.loop(body.worker());
        body.end();
    }

    /** Ends every loop; what is pending is discarded. Any thread. */
    public void stop() {
        runtime.life().closeStop();
    }
}
