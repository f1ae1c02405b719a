// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;

/**
 * The virtual machine: cores that take turns by their own time, and what the runtime's woven classes call.
 *
 * <h2>Turns</h2>
 *
 * Every core has its own time, in cycles. One runs at a time; at each access that others can notice it hands over if another core is behind it.
 * So what the cores do to each other happens in the order of virtual time, inside lock holds and handlers too, while between two such points a
 * core runs undisturbed, as code without data races cannot tell the difference.
 *
 * <h2>Waiting</h2>
 *
 * Who spins for a lock waits for the next write to the line it has read last: its re-reads would hit its own cache, and disturb nobody. Who
 * blocks in its poller is woken by a call, or by its timeout.
 *
 * <h2>Costs</h2>
 *
 * Each part of the hardware is a class of its own: where an object lies is {@link AddressSpace}'s, whose caches have its line {@link MemoryModel}'s, which
 * load is seen coming {@link Prefetcher}'s, and which branch is guessed wrong {@link BranchPredictor}'s. What they cost together, and when, is here. What the cores
 * have spent is {@link Ledger}'s.
 *
 * <p>The order of the file: how cores take turns; the hooks that {@link Weaver} puts into the runtime, one for each kind of instruction, which make it long;
 * what workloads say of their handlers; and what an access costs. All of it moves the one core whose turn it is, in its time.
 *
 * <p><b>Threads.</b> One virtual machine at a time in a process; its cores hand on a single turn, so nothing here needs a lock.
 */
public final class Vm {
    static final double NEVER = Double.POSITIVE_INFINITY;
    static final int RUNNABLE = 0;
    static final int BLOCKED = 1;
    private static final int ON_LINE = 2;
    static final int DONE = 3;

    /** A hang of the runtime must end the simulation, not the patience of who waits for it. */
    private static final long HOOKS_MAX = 40_000_000_000L;

    private static @Nullable Vm current;

    private final MachineSpec spec;
    private final MemoryModel memory;
    private final int cores;
    private final double lookahead;

    // the core whose turn it is
    int me;
    double now;
    private double horizon = NEVER;
    private int strand; // that has the turn: the core's own, or a thread's beside it
    private Strands strands = Strands.NONE;
    private TimeSharing sharing;

    final double[] times;
    private final double[] drained; // when the store buffer is empty
    private final BranchPredictor[] predictors;
    private final Prefetcher[] prefetchers;
    final int[] states;
    private final boolean[] permits;
    private final double[] blocksUntil; // of the sleep that has begun, or the last
    private final int[] waitsFor; // a line
    private final int[] lastLine;
    private final int[] lastVersion;
    private final int[] lockDepth;
    /** Monitors held, in which nobody may hand over: they would keep out the host's thread, not a core. */
    private final int[] monitorDepth;

    private final AddressSpace addresses;
    final Ledger ledger;
    private long hooks;

    private @Nullable Map<String, Long> movers;
    private String touched = "";

    /**
     * Makes a machine.
     *
     * @param spec what it costs
     * @param cpuOf by core of the runtime, its CPU
     * @param lookahead cycles by which a core may be ahead of another before it hands over; 0 is exact
     */
    public Vm(MachineSpec spec, int[] cpuOf, double lookahead) {
        this.spec = spec;
        this.lookahead = lookahead;
        memory = new MemoryModel(spec, cpuOf);
        cores = cpuOf.length;
        times = new double[cores];
        drained = new double[cores];
        addresses = new AddressSpace(cores, memory::newLines);
        predictors = new BranchPredictor[cores];
        Arrays.setAll(predictors, core -> new BranchPredictor());
        prefetchers = new Prefetcher[cores];
        Arrays.setAll(prefetchers, core -> new Prefetcher());
        states = new int[cores];
        permits = new boolean[cores];
        blocksUntil = new double[cores];
        waitsFor = new int[cores];
        lastLine = new int[cores];
        lastVersion = new int[cores];
        lockDepth = new int[cores];
        monitorDepth = new int[cores];
        ledger = new Ledger(cores);
        sharing = new TimeSharing(this, cores, TimeSharing.Threads.NONE);
    }

    // ------------------------------------------------------------------ running

    /** The life of the cores, and of threads beside them, whose indexes follow those of the cores. */
    public interface Body {
        /**
         * Says that the calling thread goes on as a core.
         *
         * @param core its index
         */
        void enter(int core);

        /**
         * Runs a core until it ends.
         *
         * @param core its index
         */
        void run(int core);
    }

    /**
     * Runs all cores to their end.
     *
     * @param body what they do
     * @param threads makes the threads that the runtime takes for its cores'
     */
    public void run(Body body, Strands.ThreadMaker threads) {
        run(body, threads, TimeSharing.Threads.NONE);
    }

    /**
     * Runs all cores, and threads that share them, to their end.
     *
     * @param body what they do
     * @param threads makes the threads that the runtime takes for its cores'
     * @param beside how many share the cores, and how
     */
    public void run(Body body, Strands.ThreadMaker threads, TimeSharing.Threads beside) {
        if (current != null) {
            throw new IllegalStateException("another machine is running");
        }
        sharing = new TimeSharing(this, cores, beside);
        strands = Strands.make(cores + beside.count(), body, threads, this);
        current = this;
        try {
            next();
            strand = sharing.strandOn(me);
            strands.runAll();
        } finally {
            current = null;
            strands = Strands.NONE;
        }
    }

    /** The strand that has ended hands over for good; the next one, or -1. */
    int ended() {
        sharing.ended(strand);
        times[me] = now;
        if (next() < 0) {
            return -1;
        }
        strand = sharing.strandOn(me);
        return strand;
    }

    /** Chooses who is next: the earliest. Makes it the one whose turn it is; -1 if all have ended. */
    private int next() {
        int best = -1;
        double bestTime = NEVER;
        double second = NEVER;
        for (int core = 0; core < cores; core++) {
            int state = states[core];
            if (state == DONE || state == ON_LINE) {
                continue;
            }
            double time = times[core];
            if (time < bestTime) {
                second = bestTime;
                bestTime = time;
                best = core;
            } else if (time < second) {
                second = time;
            }
        }
        if (best < 0) {
            for (int core = 0; core < cores; core++) {
                if (states[core] != DONE) {
                    throw new IllegalStateException("deadlock: core " + core + " waits for ever");
                }
            }
            sharing.checkEnded();
            return -1;
        }
        me = best;
        now = bestTime;
        states[best] = RUNNABLE;
        horizon = second + lookahead;
        return best;
    }

    /** Hands over if somebody is behind this core. */
    private void turnPoint() {
        if (now > horizon && monitorDepth[me] == 0) {
            if (++hooks > HOOKS_MAX) {
                throw new IllegalStateException("the simulation does not end");
            }
            handOver();
        }
    }

    void handOver() {
        int self = strand;
        times[me] = now;
        if (next() < 0) {
            throw new IllegalStateException("deadlock: nothing can go on");
        }
        int chosen = sharing.strandOn(me);
        if (chosen != self) {
            strand = chosen;
            strands.switchTo(self, chosen);
        }
    }

    void runnableAt(int core, double time) {
        states[core] = RUNNABLE;
        times[core] = time;
        horizon = Math.min(horizon, time + lookahead);
    }

    // ------------------------------------------------------------------ called by woven classes

    /** So many bytecodes. */
    public static void tick(int bytecodes) {
        Vm vm = current;
        if (vm != null) {
            vm.now += bytecodes * vm.spec.cpu().perBytecode();
        }
    }

    /** A jump that compares a number with 0. */
    public static void branch(int value, int opcode, int number) {
        branch(value, 0, opcode + Opcodes.IF_ICMPEQ - Opcodes.IFEQ, number);
    }

    /** A jump that compares two numbers. */
    public static void branch(int left, int right, int opcode, int number) {
        Vm vm = current;
        if (vm != null && vm.spec.cpu().mispredict() > 0) {
            vm.guess(number, BranchPredictor.isTaken(opcode, left, right));
        }
    }

    /** A jump that looks whether there is an object. */
    public static void branch(@Nullable Object value, int opcode, int number) {
        branch(value, null, opcode == Opcodes.IFNULL ? Opcodes.IF_ACMPEQ : Opcodes.IF_ACMPNE, number);
    }

    /** A jump that looks whether two are the same object. */
    public static void branch(@Nullable Object left, @Nullable Object right, int opcode, int number) {
        Vm vm = current;
        if (vm != null && vm.spec.cpu().mispredict() > 0) {
            vm.guess(number, (left == right) == (opcode == Opcodes.IF_ACMPEQ));
        }
    }

    /** A plain read of a field. */
    public static void read(@Nullable Object of, int offset) {
        Vm vm = current;
        if (vm != null && of != null) {
            vm.load(vm.lineOf(of, offset));
        }
    }

    /** A plain write of a field. */
    public static void write(@Nullable Object of, int offset) {
        Vm vm = current;
        if (vm != null && of != null) {
            vm.touchWrite(vm.lineOf(of, offset));
        }
    }

    /** A volatile read. */
    public static void readVolatile(@Nullable Object of, int offset) {
        Vm vm = current;
        if (vm != null && of != null) {
            vm.shared(vm.lineOf(of, offset), false, false);
        }
    }

    /** A volatile write. */
    public static void writeVolatile(@Nullable Object of, int offset) {
        Vm vm = current;
        if (vm != null && of != null) {
            vm.shared(vm.lineOf(of, offset), true, true);
        }
    }

    /** A plain read of an element. */
    public static void readElement(@Nullable Object array, int index, int size) {
        read(array, AddressSpace.ARRAY_HEADER + index * size);
    }

    /** A plain write of an element. */
    public static void writeElement(@Nullable Object array, int index, int size) {
        write(array, AddressSpace.ARRAY_HEADER + index * size);
    }

    /** An access by a variable handle to a field. */
    public static void handle(VarHandle handle, @Nullable Object of, int kind) {
        Vm vm = current;
        if (vm != null && of != null) {
            vm.byHandle(vm.lineOf(of, vm.addresses.offset(handle, of)), kind);
        }
    }

    /** An access by an updater to its field. */
    public static void updater(Object updater, @Nullable Object of, int kind) {
        Vm vm = current;
        if (vm != null && of != null) {
            vm.byHandle(vm.lineOf(of, AddressSpace.offset(updater, of)), kind);
        }
    }

    /** An updater was made. */
    public static void isOf(Object updater, String field) {
        AddressSpace.isOf(updater, field);
    }

    /** An access to an element by a variable handle, or with an acquire or a release fence. */
    public static void handleElement(@Nullable Object array, int index, int kind) {
        Vm vm = current;
        if (vm != null && array != null) {
            vm.byHandle(vm.lineOf(array, AddressSpace.ARRAY_HEADER + index * 4), kind);
        }
    }

    /** An operation on one of the JDK's atomics. */
    public static void atomic(@Nullable Object of, int index, int kind) {
        Vm vm = current;
        if (vm != null && of != null) {
            vm.byHandle(vm.lineOf(of, AddressSpace.ARRAY_HEADER + index * 8), kind);
        }
    }

    /** A full fence. */
    public static void fence() {
        Vm vm = current;
        if (vm != null) {
            vm.now = Math.max(vm.now, vm.drained[vm.me]) + vm.spec.cpu().fence();
            vm.turnPoint();
        }
    }

    /** Instead of a spin-wait hint or a yield. */
    public static void spin() {
        Vm vm = current;
        if (vm == null) {
            Thread.onSpinWait();
            return;
        }
        vm.now += vm.spec.cpu().pause();
        vm.spinWait();
    }

    /** A monitor of the JVM's is, or will be, entered. */
    public static void monitorEnter() {
        Vm vm = current;
        if (vm != null) {
            vm.monitorDepth[vm.me]++;
        }
    }

    /** It is left. */
    public static void monitorExit() {
        Vm vm = current;
        if (vm != null && vm.monitorDepth[vm.me] > 0) {
            vm.monitorDepth[vm.me]--;
        }
    }

    /** At the beginning of a lock's {@code lock} and {@code tryLock}. */
    public static void lockBegin() {
        Vm vm = current;
        if (vm != null && vm.lockDepth[vm.me]++ == 0) {
            vm.ledger.lockBegins(vm.me, vm.now);
        }
    }

    /** At their end. */
    public static void lockEnd(boolean isTaken) {
        Vm vm = current;
        if (vm != null && --vm.lockDepth[vm.me] == 0) {
            vm.ledger.lockEnds(vm.me, vm.now, isTaken);
        }
    }

    /** At the beginning of {@code unlock}. */
    public static void unlock() {
        Vm vm = current;
        if (vm != null) {
            vm.ledger.unlocks(vm.me, vm.now);
        }
    }

    /** At the beginning of a round of victims. */
    public static void stealBegin() {
        Vm vm = current;
        if (vm != null) {
            vm.ledger.stealBegins(vm.me, vm.now);
        }
    }

    /** At its end. */
    public static void stealEnd(@Nullable Object taken) {
        stealEnd(taken != null);
    }

    /** At its end. */
    public static void stealEnd(boolean isTaken) {
        Vm vm = current;
        if (vm != null) {
            vm.ledger.stealEnds(vm.me, vm.now, isTaken);
        }
    }

    /** Instead of taking a semaphore's permit. */
    public static void acquire(Semaphore semaphore) throws InterruptedException {
        Vm vm = current;
        if (vm == null) {
            semaphore.acquire();
            return;
        }
        atomic(semaphore, 0, Weaver.UPDATE);
        while (!semaphore.tryAcquire()) {
            vm.sharing.await(semaphore);
            atomic(semaphore, 0, Weaver.UPDATE);
        }
    }

    /** Instead of taking one if it comes in time. */
    public static boolean tryAcquire(Semaphore semaphore, long timeout, TimeUnit unit) throws InterruptedException {
        if (current != null) {
            throw new IllegalStateException("a virtual machine has no pools that change their size");
        }
        return semaphore.tryAcquire(timeout, unit);
    }

    /** Instead of giving one. */
    public static void release(Semaphore semaphore) {
        release(semaphore, 1);
    }

    /** Instead of giving some. */
    public static void release(Semaphore semaphore, int permits) {
        Vm vm = current;
        if (vm != null) {
            atomic(semaphore, 0, Weaver.UPDATE);
        }
        semaphore.release(permits);
        if (vm != null) {
            vm.sharing.released(semaphore, permits);
        }
    }

    // ------------------------------------------------------------------ called by workloads

    /** The machine that runs. */
    public static Vm running() {
        Vm vm = current;
        if (vm == null) {
            throw new IllegalStateException("no machine is running");
        }
        return vm;
    }

    /** The core whose turn it is. */
    public int core() {
        return me;
    }

    /** Its time. */
    public double now() {
        return now;
    }

    /** What it costs. */
    public MachineSpec spec() {
        return spec;
    }

    /** What the clock shows; reading it takes time. */
    public long clockNs() {
        now += spec.cpu().clock();
        turnPoint();
        return (long) (now / spec.gigahertz());
    }

    /** Something that takes so long. A thread beside the cores may lose its core meanwhile, and go on at another one. */
    public void work(double cycles) {
        if (strand >= cores && monitorDepth[me] == 0) {
            sharing.work(strand, cycles);
            return;
        }
        now += cycles;
        turnPoint();
    }

    /** Lines for a workload's data. */
    public int newData(long bytes) {
        return memory.newLines(bytes);
    }

    /** A handler walks through lines of its data: several misses are under way at a time, once the walk has been noticed. */
    public void stream(int firstLine, int lines, boolean isWrite) {
        double overlap = spec.memory().streamOverlap();
        double hit = spec.cpu().hit();
        double start =
                prefetchers[me].continues(firstLine, lines) ? 0 : spec.memory().walkStart();
        for (int line = firstLine; line < firstLine + lines; line++) {
            double cycles = memory.access(me, line, isWrite, now);
            if (cycles > hit) {
                now += Math.max(hit, cycles / overlap) + start * cycles;
                start = 0;
            } else {
                now += cycles;
            }
            turnPoint(); // at each line, else the link would be taken for a time that others have not come to
        }
    }

    /** A handler computes as it walks through lines of its data: some of the computing and of the waiting goes on at the same time. */
    public void walk(int firstLine, int lines, boolean isWrite, double computing) {
        double from = now;
        stream(firstLine, lines, isWrite);
        work(computing - spec.memory().walkOverlap() * Math.min(computing, now - from));
    }

    /** A handler needs one line of its data, and waits for it. */
    public void touch(int line, boolean isWrite) {
        now += memory.access(me, line, isWrite, now);
        turnPoint();
    }

    /** A handler's locked instruction on a line of its data. */
    public void handlerUpdate(int line) {
        shared(line, true, true);
    }

    /** Changes what the time of this core counts as. */
    public void doing(Ledger.Activity activity) {
        ledger.spend(me, now, ledger.doing(me));
        ledger.does(me, activity);
    }

    /** Blocks until woken or until a time; true if woken. */
    public boolean block(double until) {
        int self = me;
        ledger.spend(self, now, ledger.doing(self));
        blocksUntil[self] = until;
        now += spec.cycles(spec.os().blockNs());
        turnPoint(); // in which something may arrive
        if (!permits[self] && now < blocksUntil[self]) {
            ledger.spend(me, now, Ledger.Activity.RUNTIME);
            sharing.coreBlocks(blocksUntil[self]);
            handOver();
            ledger.spend(me, now, Ledger.Activity.IDLE);
        }
        boolean isWoken = permits[self];
        permits[self] = false;
        return isWoken;
    }

    /** Wakes a core that blocks, or the next time it would. */
    public void wake(int core) {
        boolean isAsleep = states[core] == BLOCKED;
        boolean isAway = sharing.isAway(core);
        permits[core] = true;
        if (isAsleep || isAway) {
            now += spec.cycles(spec.os().wakeNs());
            double at = now + spec.cycles(spec.os().wakeLatencyNs());
            if (isAway) {
                sharing.wantedAt(core, at);
            } else {
                runnableAt(core, Math.min(times[core], at));
            }
            turnPoint();
        }
    }

    /** Something from outside reaches a core at a time, without anybody's effort here: ends its sleep, also one that is just beginning. */
    public void interruptAt(int core, double time) {
        double at = Math.max(now, time) + spec.cycles(spec.os().wakeLatencyNs());
        if (sharing.isAway(core)) {
            permits[core] = true;
            sharing.wantedAt(core, at);
        } else if (states[core] == BLOCKED) {
            permits[core] = true;
            if (at < times[core]) {
                runnableBlockedUntil(core, at);
            }
        } else {
            blocksUntil[core] = Math.min(blocksUntil[core], at);
        }
    }

    void runnableBlockedUntil(int core, double time) {
        times[core] = time;
        horizon = Math.min(horizon, time + lookahead);
    }

    /** Starts to count the misses of the last level but memory's by what was missed. */
    public void countMovers() {
        movers = new TreeMap<>();
    }

    /**
     * Which objects of the runtime were missed, if counted.
     *
     * @return misses past the last level of caches by class and field's offset
     */
    public Map<String, Long> movers() {
        Map<String, Long> counted = movers;
        return counted == null ? Map.of() : new TreeMap<>(counted);
    }

    /** Starts to keep what the cores do. */
    public void record() {
        ledger.keepSpans();
    }

    /** Forgets all figures: what came before was warm-up. */
    public void resetFigures() {
        ledger.reset(now);
        for (long[] ofCore : memory.misses) {
            Arrays.fill(ofCore, 0);
        }
        Arrays.fill(memory.accesses, 0);
        if (movers != null) {
            movers = new TreeMap<>();
        }
    }

    /** The figures. */
    public Ledger.Figures figures() {
        List<Ledger.OfCore> all = new ArrayList<>();
        for (int core = 0; core < cores; core++) {
            all.add(ledger.of(core, now, states[core] == BLOCKED, memory.misses[core], memory.accesses[core]));
        }
        return new Ledger.Figures(now, List.copyOf(all));
    }

    /** The timeline, if kept. */
    public List<Ledger.Span> spans() {
        return ledger.spans();
    }

    // ------------------------------------------------------------------ private steps

    private void guess(int branch, boolean isTaken) {
        if (!predictors[me].guesses(branch, isTaken)) {
            now += spec.cpu().mispredict();
        }
    }

    private void touchWrite(int line) {
        store(line);
        wakeWaiters(line);
    }

    private void load(int line) {
        double cycles = access(line, false, now);
        boolean isMiss = cycles > spec.cpu().hit() && !memory.hasWaited;
        now += isMiss && prefetchers[me].foresees(line) ? overlapped(cycles) : cycles;
    }

    private double access(int line, boolean isWrite, double at) {
        Map<String, Long> counted = movers;
        if (counted == null) {
            return memory.access(me, line, isWrite, at);
        }
        long[] misses = memory.misses[me];
        long before = misses[misses.length - 1];
        double cycles = memory.access(me, line, isWrite, at);
        if (misses[misses.length - 1] != before) {
            counted.merge(touched, 1L, Long::sum);
        }
        return cycles;
    }

    /** Of several misses that are seen coming some are under way at a time; what another core has is asked for when it is needed. */
    private double overlapped(double cycles) {
        double hit = spec.cpu().hit();
        return cycles <= hit || memory.hasWaited
                ? cycles
                : Math.max(hit, cycles / spec.cpu().missOverlap());
    }

    /** A store leaves the core through its buffer, in order; the core goes on unless that is full. The line is on its way until then. */
    private void store(int line) {
        double hit = spec.cpu().hit();
        double start = Math.max(now, drained[me]);
        double cycles = overlapped(access(line, true, start));
        now += hit;
        if (cycles > hit) {
            drained[me] = start + cycles;
            now = Math.max(now, drained[me] - spec.cpu().storeBuffer());
        }
    }

    /** A locked instruction waits for the buffer, and for its line. */
    private void update(int line) {
        now = Math.max(now, drained[me]) + spec.cpu().atomic();
        now += access(line, true, now);
    }

    private void byHandle(int line, int kind) {
        switch (kind) {
            case Weaver.GET -> shared(line, false, false);
            case Weaver.SET -> shared(line, true, false);
            default -> shared(line, true, true);
        }
    }

    /** An access that others can notice. It is made right after this returns: nobody may get a turn in between, or a waiter would look too early. */
    private void shared(int line, boolean isWrite, boolean isLocked) {
        turnPoint();
        if (isLocked) {
            update(line);
        } else if (isWrite) {
            store(line);
        } else {
            load(line);
        }
        if (isWrite) {
            wakeWaiters(line);
        } else {
            lastLine[me] = line;
            lastVersion[me] = memory.version(line);
        }
    }

    private void spinWait() {
        int self = me;
        int line = lastLine[self];
        if (lockDepth[self] == 0 || memory.version(line) != lastVersion[self]) {
            turnPoint();
            return;
        }
        states[self] = ON_LINE;
        waitsFor[self] = line;
        handOver();
    }

    private void wakeWaiters(int line) {
        for (int core = 0; core < cores; core++) {
            if (states[core] == ON_LINE && waitsFor[core] == line) {
                runnableAt(core, Math.max(times[core], now));
            }
        }
    }

    private int lineOf(Object of, int offset) {
        if (movers != null) {
            touched = of.getClass().getSimpleName() + "+" + offset / CacheModel.LINE_BYTES * CacheModel.LINE_BYTES;
        }
        return addresses.lineOf(me, of, offset);
    }
}
