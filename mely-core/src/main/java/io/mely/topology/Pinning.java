// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Binds threads to CPUs, on Linux: by {@code net.openhft:affinity} where it is on the class path, else by the C
 * library's own call.
 *
 * <p><b>Threads.</b> Each thread pins itself. <b>Costs.</b> The first pinning of a process loads native code, about 100
 * ms, 15 of which JNA waits for {@code ldconfig}. <b>Errors.</b> The first failure of a process is a warning, and the program goes on: pinning makes it
 * faster, not right.
 */
public final class Pinning {
    /**
     * Of OpenHFT only the system call. {@code Affinity} around it needs SLF4J, which prints a warning into programs
     * that log by something else. {@code AffinityLock} refuses CPU 0, leaves a mask set by {@code taskset}, keeps lock
     * files between processes, and gives an unbound lock without an error when a CPU is taken.
     */
    private static final String OPEN_HFT = "net.openhft.affinity.impl.LinuxHelper";

    private static final int CALLING_THREAD = 0;

    static final AtomicBoolean HAS_WARNED = new AtomicBoolean();

    private Pinning() {}

    /** Binds the calling thread to one CPU, for the rest of its life; whether it now runs there and nowhere else. */
    public static boolean pinCallingThread(int cpu) {
        CpuSet cpus = CpuSet.of(cpu);
        return setByOpenHft(cpus) || setOrWarn(cpus);
    }

    /** By reflection: its jar has no module name, so ours cannot require it. Returns false if it is not there or fails: then JNA is tried, whose failure is reported. */
    static boolean setByOpenHft(CpuSet cpus) {
        try {
            Class.forName(OPEN_HFT)
                    .getMethod("sched_setaffinity", java.util.BitSet.class)
                    .invoke(null, cpus.bits());
            return true;
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }

    /**
     * Does what may start threads, on a thread that was pinned: it may run on any CPU of the process meanwhile. On Linux a thread begins with the CPUs of the one
     * that starts it. <b>Costs.</b> Two system calls, some 4 us in all. Not by OpenHFT, whose take ten times as long.
     */
    public static void doUnpinned(int cpu, Runnable starting) {
        boolean isUnpinned = setOrWarn(Cpus.allowed());
        try {
            starting.run();
        } finally {
            if (isUnpinned) {
                boolean unused = setOrWarn(CpuSet.of(cpu));
            }
        }
    }

    static boolean setOrWarn(CpuSet cpus) {
        try {
            set(CALLING_THREAD, cpus);
            return true;
        } catch (UnsupportedOperationException e) {
            if (HAS_WARNED.compareAndSet(false, true)) {
                Texts.warn("The CPUs of a thread could not be set, so threads float between CPUs or share one, which"
                        + " is slower but gives right results: cpus=" + cpus + ", reason=" + e.getMessage());
            }
            return false;
        }
    }

    /**
     * Sets the CPUs of a thread of this process, by its number.
     *
     * @throws UnsupportedOperationException with the reason, when the call cannot be made or the kernel refuses
     */
    static void set(int tid, CpuSet cpus) {
        long[] mask = cpus.bits().toLongArray();
        try {
            if (C.sched_setaffinity(tid, new NativeLong((long) mask.length * Long.BYTES), mask) < 0) {
                throw new UnsupportedOperationException(
                        "sched_setaffinity failed: tid=" + tid + ", cpus=" + cpus + ", errno=" + Native.getLastError());
            }
        } catch (LinkageError e) { // JNA is missing or denied, or this is not Linux
            throw new UnsupportedOperationException("no sched_setaffinity: " + e, e);
        }
    }

    /** The CPU the calling thread is on at this moment; -1 where the system does not say. */
    public static int currentCpu() {
        try {
            return C.sched_getcpu();
        } catch (LinkageError e) {
            return -1;
        }
    }

    /** The C library, bound by JNA. */
    @SuppressWarnings("MemberName") // the C library's names
    private static final class C {
        static {
            Native.register(C.class, Platform.C_LIBRARY_NAME);
        }

        static native int sched_setaffinity(int tid, NativeLong bytes, long[] mask);

        static native int sched_getcpu();
    }
}
