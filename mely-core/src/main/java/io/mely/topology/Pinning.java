// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Binds threads to CPUs, on Linux: by {@code net.openhft:affinity} where it is on the class path, else by the C
 * library's own call.
 *
 * <p><b>Threads.</b> Each thread pins itself. <b>Costs.</b> The first pinning of a process loads native code, about 100
 * ms. <b>Errors.</b> A pinning that fails returns false; the first of a process is a warning, and the program goes on:
 * pinning makes it faster, not right.
 */
public final class Pinning {
    /**
     * Of OpenHFT only the system call. {@code Affinity} around it needs SLF4J, which prints a warning into programs
     * that log by something else. {@code AffinityLock} refuses CPU 0, leaves a mask set by {@code taskset}, keeps lock
     * files between processes, and gives an unbound lock without an error when a CPU is taken.
     */
    private static final String OPEN_HFT = "net.openhft.affinity.impl.LinuxHelper";

    private static final System.Logger LOG = System.getLogger("io.mely.topology");
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private Pinning() {}

    /** Binds the calling thread to one CPU, for the rest of its life; whether it now runs there and nowhere else. */
    public static boolean pinCallingThread(int cpu) {
        return pin(CpuSet.of(cpu).first(), List.of(Pinning::pinByOpenHft, Pinning::pinByJna), Pinning::warnOnce);
    }

    /** The first way that works. */
    static boolean pin(int cpu, List<IntConsumer> ways, Consumer<String> warn) {
        List<String> reasons = new ArrayList<>();
        for (IntConsumer way : ways) {
            try {
                way.accept(cpu);
                return true;
            } catch (UnsupportedOperationException e) {
                reasons.add(e.getMessage());
            }
        }
        warn.accept("Pinning a thread failed; threads float between CPUs, which is slower but gives right results: cpu="
                + cpu + ", reasons=" + reasons);
        return false;
    }

    /** By reflection: its jar has no module name, so ours cannot require it. */
    static void pinByOpenHft(int cpu) {
        BitSet wanted = new BitSet();
        wanted.set(cpu);
        try {
            Class.forName(OPEN_HFT).getMethod("sched_setaffinity", BitSet.class).invoke(null, wanted);
        } catch (InvocationTargetException e) {
            throw new UnsupportedOperationException("OpenHFT failed: " + e.getCause(), e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new UnsupportedOperationException("no OpenHFT: " + e, e);
        }
        checkPinned(cpu);
    }

    static void pinByJna(int cpu) {
        LinuxAffinity.set(LinuxAffinity.CALLING_THREAD, CpuSet.of(cpu));
        checkPinned(cpu);
    }

    private static void checkPinned(int cpu) {
        CpuSet got = LinuxAffinity.get(LinuxAffinity.CALLING_THREAD);
        if (!got.equals(CpuSet.of(cpu))) {
            throw new UnsupportedOperationException("the kernel set another mask: wanted=" + cpu + ", got=" + got);
        }
    }

    /**
     * Does what may start threads, on a thread that was pinned: it may run on any CPU of the process meanwhile. On Linux a thread begins with the CPUs of the one
     * that starts it. <b>Costs.</b> Two system calls, some 4 us in all. Not by OpenHFT, whose take ten times as long.
     */
    public static void doUnpinned(int cpu, Runnable starting) {
        boolean isUnpinned = setCpus(Cpus.allowed());
        try {
            starting.run();
        } finally {
            if (isUnpinned) {
                boolean unused = setCpus(CpuSet.of(cpu));
            }
        }
    }

    private static boolean setCpus(CpuSet cpus) {
        try {
            LinuxAffinity.set(LinuxAffinity.CALLING_THREAD, cpus);
            return true;
        } catch (UnsupportedOperationException e) {
            warnOnce("The CPUs of a thread could not be set; it, or what it starts, may be on the wrong ones: cpus="
                    + cpus + ", reason=" + e.getMessage());
            return false;
        }
    }

    private static void warnOnce(String warning) {
        if (WARNED.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, "{0}", warning);
        }
    }
}
