// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A machine as described by its file: topology, latencies, and what the runtime costs there. Where each number comes from is said in the file.
 *
 * @param name for reports
 * @param gigahertz cycles a nanosecond
 * @param packages sockets, each a memory node
 * @param cpusPerPackage cores of a socket; CPUs are numbered package by package
 * @param caches first level first
 * @param transfer cycles to move a modified line from another core
 * @param memory main memory
 * @param cpu instructions
 * @param os what a sleep costs
 * @param event what an event costs beyond the code of the runtime
 */
public record MachineSpec(
        String name,
        double gigahertz,
        int packages,
        int cpusPerPackage,
        List<CacheSpec> caches,
        Transfer transfer,
        Memory memory,
        Cpu cpu,
        Os os,
        Event event) {

    /** Copies the list. */
    public MachineSpec {
        caches = List.copyOf(caches);
    }

    /**
     * A level of caches.
     *
     * @param bytes of one cache
     * @param ways associativity
     * @param cpus neighbouring CPUs that share one
     * @param latency cycles of a hit
     */
    public record CacheSpec(long bytes, int ways, int cpus, double latency) {}

    /**
     * A line moves from core to core.
     *
     * @param sharedCache both below one shared cache other than the last level's
     * @param sharedLast both below one last-level cache
     * @param samePackage same socket, no cache in common
     * @param otherPackage other socket
     * @param migrates whether who reads a line that its holder has written takes it over, so that a write that follows costs nothing more; false if the
     *     file does not say
     */
    public record Transfer(
            double sharedCache, double sharedLast, double samePackage, double otherPackage, boolean migrates) {}

    /**
     * Main memory.
     *
     * @param latency cycles, own node
     * @param remoteLatency cycles, other node
     * @param streamOverlap accesses in flight when a handler walks through an array
     * @param busCycles for which a transfer keeps a socket's link to the rest of the machine busy
     * @param walkStart what a walk that begins anew waits for before its accesses overlap, times the latency of its first line that misses; 0 if the file
     *     does not say
     * @param walkOverlap share of what a handler computes on its walk, or waits for if that is less, that goes on at the same time; 0 if the file does not say
     */
    public record Memory(
            double latency,
            double remoteLatency,
            double streamOverlap,
            double busCycles,
            double walkStart,
            double walkOverlap) {}

    /**
     * Instructions.
     *
     * @param perBytecode cycles of one bytecode of the runtime, compiled
     * @param hit cycles a hit in the first level adds: most of its latency is hidden
     * @param atomic a locked instruction, beyond the access
     * @param fence a full fence
     * @param pause of a spin
     * @param clock a clock read
     * @param storeBuffer cycles by which stores may be behind before the core waits for them
     * @param missOverlap stores, and loads that are seen coming, that miss at a time, where no other core has the line; 1 if the file does not say
     * @param mispredict cycles of a branch that was guessed wrong; 0 if the file does not say
     */
    public record Cpu(
            double perBytecode,
            double hit,
            double atomic,
            double fence,
            double pause,
            double clock,
            double storeBuffer,
            double missOverlap,
            double mispredict) {}

    /**
     * Sleeping, in nanoseconds.
     *
     * @param blockNs the sleeper's call
     * @param wakeNs the waker's call
     * @param wakeLatencyNs from there until the sleeper goes on
     * @param pollNs a poll that finds nothing
     */
    public record Os(double blockNs, double wakeNs, double wakeLatencyNs, double pollNs) {}

    /**
     * What an event costs beyond the runtime's code: the allocation of the event and of its arguments, the call, the return.
     *
     * @param send cycles of the sender
     * @param run cycles of the runner
     */
    public record Event(double send, double run) {}

    private static final Set<String> KEYS = Set.of(
            "name", "gigahertz", "packages", "cpusPerPackage", "caches", "transfer", "memory", "cpu", "os", "event");

    /**
     * Reads a machine.
     *
     * @param file HOCON
     * @return the machine
     * @throws IllegalArgumentException naming what is missing or wrong
     */
    public static MachineSpec read(Path file) {
        return read(file, "");
    }

    /**
     * Reads a machine of which something is known better.
     *
     * @param file HOCON
     * @param better lines of the same form, which count instead of the file's
     * @return the machine
     * @throws IllegalArgumentException naming what is missing or wrong
     */
    public static MachineSpec read(Path file, String better) {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("no such machine: " + file);
        }
        try {
            return of(ConfigFactory.parseString(better)
                    .withFallback(ConfigFactory.parseFile(
                            file.toFile(), ConfigParseOptions.defaults().setSyntax(ConfigSyntax.CONF))));
        } catch (ConfigException e) {
            throw new IllegalArgumentException("machine file: " + e.getMessage(), e);
        }
    }

    /**
     * Reads a machine from a file's text.
     *
     * @param text HOCON
     * @return the machine
     * @throws IllegalArgumentException naming what is missing or wrong
     */
    public static MachineSpec parse(String text) {
        try {
            return of(ConfigFactory.parseString(text));
        } catch (ConfigException e) {
            throw new IllegalArgumentException("machine file: " + e.getMessage(), e);
        }
    }

    private static MachineSpec of(Config c) {
        c.root().keySet().stream()
                .filter(key -> !KEYS.contains(key))
                .findFirst()
                .ifPresent(key -> {
                    throw new IllegalArgumentException("machine file: unknown key " + key);
                });
        List<CacheSpec> caches = new ArrayList<>();
        for (Config cache : c.getConfigList("caches")) {
            caches.add(new CacheSpec(
                    cache.getBytes("size"), cache.getInt("ways"), cache.getInt("cpus"), cache.getDouble("latency")));
        }
        if (caches.isEmpty() || caches.size() > 3) {
            throw new IllegalArgumentException("machine file: one to three levels of caches: caches=" + caches.size());
        }
        return new MachineSpec(
                c.getString("name"),
                positive(c, "gigahertz"),
                c.getInt("packages"),
                c.getInt("cpusPerPackage"),
                caches,
                new Transfer(
                        positive(c, "transfer.sharedCache"),
                        positive(c, "transfer.sharedLast"),
                        positive(c, "transfer.samePackage"),
                        positive(c, "transfer.otherPackage"),
                        c.hasPath("transfer.migrates") && c.getBoolean("transfer.migrates")),
                new Memory(
                        positive(c, "memory.latency"),
                        positive(c, "memory.remoteLatency"),
                        positive(c, "memory.streamOverlap"),
                        c.getDouble("memory.busCycles"),
                        optional(c, "memory.walkStart", Double.MAX_VALUE),
                        optional(c, "memory.walkOverlap", 1)),
                new Cpu(
                        positive(c, "cpu.perBytecode"),
                        c.getDouble("cpu.hit"),
                        c.getDouble("cpu.atomic"),
                        c.getDouble("cpu.fence"),
                        positive(c, "cpu.pause"),
                        positive(c, "cpu.clock"),
                        c.getDouble("cpu.storeBuffer"),
                        c.hasPath("cpu.missOverlap") ? positive(c, "cpu.missOverlap") : 1,
                        optional(c, "cpu.mispredict", Double.MAX_VALUE)),
                new Os(
                        positive(c, "os.blockNs"),
                        positive(c, "os.wakeNs"),
                        positive(c, "os.wakeLatencyNs"),
                        positive(c, "os.pollNs")),
                new Event(c.getDouble("event.send"), c.getDouble("event.run")));
    }

    /** 0 if the file does not say. */
    private static double optional(Config c, String key, double max) {
        double value = c.hasPath(key) ? c.getDouble(key) : 0;
        if (!(value >= 0 && value <= max)) {
            throw new IllegalArgumentException("machine file: must be 0 to " + max + ": " + key + "=" + value);
        }
        return value;
    }

    private static double positive(Config c, String key) {
        double value = c.getDouble(key);
        if (!(value > 0)) {
            throw new IllegalArgumentException("machine file: must be > 0: " + key + "=" + value);
        }
        return value;
    }

    /**
     * All CPUs.
     *
     * @return a count
     */
    public int cpus() {
        return packages * cpusPerPackage;
    }

    /**
     * Nanoseconds as cycles.
     *
     * @param ns a time
     * @return cycles
     */
    public double cycles(double ns) {
        return ns * gigahertz;
    }

    /**
     * The socket of a CPU.
     *
     * @param cpu its number
     * @return 0 to packages - 1
     */
    public int packageOf(int cpu) {
        return cpu / cpusPerPackage;
    }

    /**
     * What moving a modified line costs.
     *
     * @param from a CPU
     * @param to another
     * @return cycles
     */
    public double transferCycles(int from, int to) {
        for (int level = 0; level < caches.size(); level++) {
            if (from / caches.get(level).cpus() == to / caches.get(level).cpus()) {
                return level < caches.size() - 1 || caches.size() < 3 ? transfer.sharedCache : transfer.sharedLast;
            }
        }
        return packageOf(from) == packageOf(to) ? transfer.samePackage : transfer.otherPackage;
    }
}
