// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Threads beside the cores' own, and the kernel that gives them cores in turn.
 *
 * <p>A core's own thread is bound to it, and comes first: it only hands in what arrives. Other threads run on any core that its own thread has left to sleep. One that has had its quantum goes behind all that wait. One that has slept goes
 * before those that have used up a quantum and, if the kernel favours sleepers, takes the core of one of them. This is the round robin of a time-sharing class with two priorities.
 *
 * <p>A thread loses its core only in {@link #work}, which is where handlers spend their time, and keeps it through the runtime's own code: that takes microseconds, a quantum milliseconds. So nobody loses it
 * with a spin lock held. A thread that goes on gets a whole quantum.
 *
 * <p><b>Threads.</b> As {@link Vm}. <b>Shape.</b> Strands are numbered: first the cores' own, then the others.
 */
public final class TimeSharing {
    /**
     * How many threads share the cores, and how.
     *
     * @param count of them
     * @param quantumCycles that one may run while others wait
     * @param switchCycles that a core needs to go from one to another
     * @param favoursSleepers whether one that has slept takes the core of one that has used up a quantum
     */
    public record Threads(int count, double quantumCycles, double switchCycles, boolean favoursSleepers) {
        /** The cores have their own only. */
        public static final Threads NONE = new Threads(0, 1, 0, false);

        /** Checks. */
        public Threads {
            if (count < 0 || !(quantumCycles > 0) || !(switchCycles >= 0)) {
                throw new IllegalArgumentException("count and switchCycles must be >= 0, quantumCycles > 0: count="
                        + count + ", quantumCycles=" + quantumCycles + ", switchCycles=" + switchCycles);
            }
        }
    }

    /** What is left of work that is over: sums of cycles are rounded. */
    private static final double ROUNDING = 1e-3;

    private final Vm vm;
    private final int cores;
    private final Threads threads;

    // by core
    private final int[] strandOn;
    private final double[] ownDue; // when its own thread goes on, if that has left it to another
    private final boolean[] isOwnOver;
    private final boolean[] isAtWork; // its thread computes, and can be taken off
    private final double[] workFrom;
    private final double[] quantumEnd;

    // by strand
    private final double[] left; // of the work under way
    private final boolean[] hasUsedQuantum; // since it slept
    private final int[] lastCore;
    private final boolean[] isOver;
    private final Ledger.Activity[] doing;

    private final Deque<Integer> slept = new ArrayDeque<>(); // ready
    private final Deque<Integer> used = new ArrayDeque<>(); // ready, behind those
    private final IdentityHashMap<Semaphore, Deque<Integer>> waiters = new IdentityHashMap<>();

    TimeSharing(Vm vm, int cores, Threads threads) {
        this.vm = vm;
        this.cores = cores;
        this.threads = threads;
        strandOn = new int[cores];
        Arrays.setAll(strandOn, core -> core);
        ownDue = new double[cores];
        isOwnOver = new boolean[cores];
        isAtWork = new boolean[cores];
        workFrom = new double[cores];
        quantumEnd = new double[cores];
        int strands = cores + threads.count();
        left = new double[strands];
        hasUsedQuantum = new boolean[strands];
        lastCore = new int[strands];
        Arrays.setAll(lastCore, strand -> strand % cores);
        isOver = new boolean[strands];
        doing = new Ledger.Activity[strands];
        Arrays.fill(doing, Ledger.Activity.RUNTIME);
        for (int strand = cores; strand < strands; strand++) {
            slept.add(strand);
        }
    }

    int strandOn(int core) {
        return strandOn[core];
    }

    /** Whether a core's own thread sleeps while another has the core. */
    boolean isAway(int core) {
        return strandOn[core] != core && !isOwnOver[core];
    }

    /** A core's own thread, which is away, is to go on at a time. */
    void wantedAt(int core, double time) {
        ownDue[core] = Math.min(ownDue[core], time);
        if (isAtWork[core] && ownDue[core] < vm.times[core]) {
            vm.runnableBlockedUntil(core, ownDue[core]);
        }
    }

    void checkEnded() {
        for (int strand = cores; strand < isOver.length; strand++) {
            if (!isOver[strand]) {
                throw new IllegalStateException("deadlock: thread " + strand + " waits for ever");
            }
        }
    }

    // ------------------------------------------------------------------ who has the turn leaves its core; the caller
    // hands over

    /** The core's own thread sleeps until a time, or until it is wanted. */
    void coreBlocks(double until) {
        ownDue[vm.me] = until;
        leave();
    }

    /** A strand has ended. */
    void ended(int strand) {
        int core = vm.me;
        if (strand == core) {
            vm.ledger.spend(core, vm.now, Ledger.Activity.IDLE);
            isOwnOver[core] = true;
            ownDue[core] = Vm.NEVER;
        } else {
            isOver[strand] = true;
        }
        leave();
    }

    /** Whoever comes next gets the core; its own thread, asleep, if nobody does. */
    private void leave() {
        int core = vm.me;
        Integer next = ownDue[core] <= vm.now ? null : ready();
        if (next != null) {
            change(core, next, vm.now);
            vm.now += threads.switchCycles();
        } else if (ownDue[core] > vm.now) {
            change(core, core, vm.now);
            vm.states[core] = isOwnOver[core] ? Vm.DONE : Vm.BLOCKED;
            vm.now = isOwnOver[core] ? vm.now : ownDue[core];
        } else {
            change(core, core, vm.now);
            vm.now += threads.switchCycles();
        }
    }

    private boolean isIdle(int core) {
        return strandOn[core] == core && (vm.states[core] == Vm.BLOCKED || vm.states[core] == Vm.DONE);
    }

    private @Nullable Integer ready() {
        Integer first = slept.poll();
        return first != null ? first : used.poll();
    }

    /** Puts another strand on a core. */
    private void change(int core, int to, double at) {
        int from = strandOn[core];
        if (from != to) {
            vm.ledger.spend(core, at, isIdle(core) ? Ledger.Activity.IDLE : vm.ledger.doing(core));
            doing[from] = vm.ledger.doing(core);
            vm.ledger.does(core, doing[to]);
            strandOn[core] = to;
            lastCore[to] = core;
        }
        isAtWork[core] = false;
        quantumEnd[core] = at + threads.quantumCycles();
    }

    // ------------------------------------------------------------------ work

    /** A thread computes, as long as it takes until it has had a core for so many cycles. */
    void work(int strand, double cycles) {
        left[strand] = cycles;
        while (left[strand] > ROUNDING) {
            int core = vm.me;
            double end = Math.min(vm.now + left[strand], Math.min(quantumEnd[core], ownDue[core]));
            workFrom[core] = vm.now;
            isAtWork[core] = true;
            vm.now = Math.max(vm.now, end);
            vm.handOver(); // until then, or until it has a core again
            core = vm.me;
            if (isAtWork[core]) {
                isAtWork[core] = false;
                left[strand] -= vm.now - workFrom[core];
                workInterrupted(strand, core);
            }
        }
    }

    /** Lets others have the core, if it is their turn. */
    private void workInterrupted(int strand, int core) {
        boolean isQuantumOver = quantumEnd[core] <= vm.now;
        if (left[strand] <= ROUNDING) {
            return;
        }
        if (isQuantumOver) {
            hasUsedQuantum[strand] = true;
        }
        if (ownDue[core] <= vm.now) {
            leave();
            makeReady(strand, vm.now, !isQuantumOver);
            vm.handOver();
        } else if (isQuantumOver) {
            used.addLast(strand);
            leave(); // at worst to itself
            vm.handOver();
        }
    }

    // ------------------------------------------------------------------ waiting for each other

    /** A thread sleeps until somebody gives a permit. */
    void await(Semaphore semaphore) {
        int core = vm.me;
        int strand = strandOn[core];
        if (strand == core) {
            throw new IllegalStateException("a core must not wait: core=" + core);
        }
        vm.now += vm.spec().cycles(vm.spec().os().blockNs());
        waiters.computeIfAbsent(semaphore, unused -> new ArrayDeque<>()).add(strand);
        hasUsedQuantum[strand] = false;
        leave();
        vm.handOver();
    }

    /** Who gives permits wakes as many that wait. */
    void released(Semaphore semaphore, int permits) {
        Deque<Integer> waiting = waiters.get(semaphore);
        for (int i = 0; waiting != null && i < permits && !waiting.isEmpty(); i++) {
            vm.now += vm.spec().cycles(vm.spec().os().wakeNs());
            makeReady(waiting.remove(), vm.now + vm.spec().cycles(vm.spec().os().wakeLatencyNs()), false);
        }
    }

    /** Gives a thread a core from some time on, or lets it wait for one. */
    private void makeReady(int strand, double at, boolean isFirst) {
        int core = coreFor(strand, at);
        if (core < 0) {
            Deque<Integer> queue = hasUsedQuantum[strand] ? used : slept;
            if (isFirst) {
                queue.addFirst(strand);
            } else {
                queue.addLast(strand);
            }
            return;
        }
        if (strandOn[core] == core) {
            ownDue[core] = isOwnOver[core] ? Vm.NEVER : vm.times[core];
        } else {
            int other = strandOn[core];
            left[other] -= Math.max(0, at - workFrom[core]);
            used.addFirst(other);
        }
        change(core, strand, at);
        vm.runnableAt(core, at + threads.switchCycles());
    }

    /** The core it was on last if that idles; another that idles; one of a thread that must give way; or none. */
    private int coreFor(int strand, double at) {
        for (int i = 0; i < cores; i++) {
            int core = (lastCore[strand] + i) % cores;
            if (isIdle(core)) {
                return core;
            }
        }
        for (int i = 0; threads.favoursSleepers() && !hasUsedQuantum[strand] && i < cores; i++) {
            int core = (lastCore[strand] + i) % cores;
            if (isAtWork[core] && hasUsedQuantum[strandOn[core]] && at < vm.times[core]) {
                return core;
            }
        }
        return -1;
    }
}
