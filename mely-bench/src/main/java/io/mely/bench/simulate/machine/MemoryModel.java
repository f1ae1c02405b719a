// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.util.Arrays;

/**
 * Caches, and the lines that move between them.
 *
 * <p>A directory knows of each line who holds it exclusively, whether that core has written it, who has read it since, its version, its memory node, and until when it is on its
 * way: accesses of several cores to one line wait for each other, so that a lock many spin for is handed on slowly, as on real machines. Each
 * socket's link to the rest of the machine is busy for a while with each line.
 *
 * <p><b>Shape.</b> Cores are the runtime's; each sits on one CPU. Addresses are handed out in the order of first use.
 */
final class MemoryModel {
    private static final int NOBODY = -1;

    private final MachineSpec spec;
    private final int cores;
    private final int[] cpuOf;
    private final CacheModel[][] levels; // [core][level], shared objects where caches are shared
    private final double[][] transfers;
    private final int words; // of a set of cores
    private final double[] linkFreeAt;

    private int lineCount = 1;
    private int[] versions = new int[1 << 12];
    private short[] exclusive = new short[1 << 12];
    private boolean[] isWritten = new boolean[1 << 12]; // by who has it exclusively
    private short[] holder = new short[1 << 12];
    private byte[] node = new byte[1 << 12];
    private double[] busyUntil = new double[1 << 12];
    private long[] sharers;

    /** Whether the last access had to wait for another core: for its copy of the line, or until it had given it up. */
    boolean hasWaited;

    final long[][] misses; // [core][level]: accesses that went past the level
    final long[] accesses;

    MemoryModel(MachineSpec spec, int[] cpuOf) {
        this.spec = spec;
        this.cpuOf = cpuOf.clone();
        cores = cpuOf.length;
        words = (cores + 63) >> 6;
        sharers = new long[words << 12];
        int depth = spec.caches().size();
        CacheModel[][] shared = new CacheModel[depth][spec.cpus()];
        levels = new CacheModel[cores][depth];
        transfers = new double[cores][cores];
        for (int core = 0; core < cores; core++) {
            for (int level = 0; level < depth; level++) {
                MachineSpec.CacheSpec cache = spec.caches().get(level);
                int group = cpuOf[core] / cache.cpus();
                CacheModel model = shared[level][group];
                if (model == null) {
                    model = new CacheModel(cache.bytes(), cache.ways());
                    shared[level][group] = model;
                }
                levels[core][level] = model;
            }
            for (int other = 0; other < cores; other++) {
                transfers[core][other] = spec.transferCycles(cpuOf[core], cpuOf[other]);
            }
        }
        linkFreeAt = new double[spec.packages()];
        misses = new long[cores][depth];
        accesses = new long[cores];
        Arrays.fill(exclusive, (short) NOBODY);
        Arrays.fill(holder, (short) NOBODY);
    }

    /** Bytes that nobody has used yet; the first line of them. */
    int newLines(long bytes) {
        int first = lineCount;
        lineCount += (int) ((bytes + CacheModel.LINE_BYTES - 1) / CacheModel.LINE_BYTES);
        if (lineCount > versions.length) {
            int length = Math.max(lineCount, versions.length * 2);
            int before = versions.length;
            versions = Arrays.copyOf(versions, length);
            exclusive = Arrays.copyOf(exclusive, length);
            isWritten = Arrays.copyOf(isWritten, length);
            holder = Arrays.copyOf(holder, length);
            node = Arrays.copyOf(node, length);
            busyUntil = Arrays.copyOf(busyUntil, length);
            sharers = Arrays.copyOf(sharers, length * words);
            Arrays.fill(exclusive, before, length, (short) NOBODY);
            Arrays.fill(holder, before, length, (short) NOBODY);
        }
        return first;
    }

    int version(int line) {
        return versions[line];
    }

    /** One access of a core at a time; returns its cycles. */
    double access(int core, int line, boolean isWrite, double now) {
        accesses[core]++;
        hasWaited = false;
        int version = versions[line];
        CacheModel[] mine = levels[core];
        int owner = exclusive[line];
        if ((owner == core || !isWrite) && mine[0].hit(line, version) && (owner == core || owner == NOBODY)) {
            isWritten[line] |= isWrite;
            return spec.cpu().hit();
        }
        double freeAt = Math.max(now, busyUntil[line]);
        double cycles;
        if (owner != NOBODY && owner != core && areStillWith(owner, line, version)) {
            cycles = accessModified(core, owner, line, now);
            hasWaited = true;
        } else {
            cycles = accessClean(core, line, version, now);
        }
        if (isWrite) {
            double gone = invalidate(core, line, freeAt);
            hasWaited |= gone > 0;
            cycles = Math.max(cycles, gone - now);
            busyUntil[line] = Math.max(busyUntil[line], now + cycles); // reading and invalidating go on together
            takeOver(core, line);
            isWritten[line] = true;
        } else if (hasWaited && isWritten[line] && spec.transfer().migrates()) {
            takeOver(core, line);
            isWritten[line] = false; // by this core: who reads it next shares it
        } else if (owner != core) {
            exclusive[line] = NOBODY;
        }
        sharers[line * words + (core >> 6)] |= 1L << core;
        holder[line] = (short) core;
        for (CacheModel level : mine) {
            level.fill(line, versions[line]);
        }
        return cycles;
    }

    /** All other copies are void. */
    private void takeOver(int core, int line) {
        versions[line]++;
        exclusive[line] = (short) core;
        Arrays.fill(sharers, line * words, line * words + words, 0);
    }

    private boolean areStillWith(int owner, int line, int version) {
        CacheModel[] theirs = levels[owner];
        return theirs[theirs.length - 1].holds(line, version) || theirs[0].holds(line, version);
    }

    /** Another core has the only valid copy. */
    private double accessModified(int core, int owner, int line, double now) {
        CacheModel[] mine = levels[core];
        CacheModel[] theirs = levels[owner];
        boolean isNear = false;
        for (int level = 0; level < mine.length; level++) {
            if (mine[level] == theirs[level]) {
                isNear = true;
                break;
            }
            misses[core][level]++;
        }
        double cycles = transfers[owner][core];
        return moved(core, owner, line, now, cycles, isNear, true);
    }

    private double accessClean(int core, int line, int version, double now) {
        CacheModel[] mine = levels[core];
        for (int level = 0; level < mine.length; level++) {
            if (mine[level].hit(line, version)) {
                return level == 0 ? spec.cpu().hit() : spec.caches().get(level).latency();
            }
            misses[core][level]++;
        }
        int last = holder[line];
        if (last == NOBODY) {
            node[line] = (byte) spec.packageOf(cpuOf[core]); // memory comes from the node of who touches it first
        } else if (last != core && areStillWith(last, line, version)) {
            return moved(core, last, line, now, transfers[last][core], false, false);
        }
        boolean isOwnNode = node[line] == spec.packageOf(cpuOf[core]);
        double cycles = isOwnNode ? spec.memory().latency() : spec.memory().remoteLatency();
        return moved(core, core, line, now, cycles, false, false);
    }

    /**
     * The line is on its way for so long: after whoever is changing it, and over the socket's link unless it stays below a cache. While a
     * modified line is handed on, others wait; a clean one may be copied to several at once.
     */
    private double moved(int core, int from, int line, double now, double cycles, boolean isNear, boolean isModified) {
        double start = Math.max(now, busyUntil[line]);
        if (!isNear) {
            int link = spec.packageOf(cpuOf[core]);
            int fromLink = spec.packageOf(cpuOf[from]);
            start = Math.max(start, Math.max(linkFreeAt[link], linkFreeAt[fromLink]));
            linkFreeAt[link] = start + spec.memory().busCycles();
            linkFreeAt[fromLink] = linkFreeAt[link];
        }
        if (isModified) {
            busyUntil[line] = start + cycles;
        }
        return start + cycles - now;
    }

    /** When all other copies are gone: the farthest decides. 0 if there are none. */
    private double invalidate(int core, int line, double freeAt) {
        double farthest = 0;
        for (int word = 0; word < words; word++) {
            long others = sharers[line * words + word];
            if (word == core >> 6) {
                others &= ~(1L << core);
            }
            while (others != 0) {
                int other = (word << 6) + Long.numberOfTrailingZeros(others);
                others &= others - 1;
                farthest = Math.max(farthest, transfers[other][core]);
            }
        }
        return farthest == 0 ? 0 : freeAt + farthest;
    }
}
