// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Binds core threads to CPUs, in the way that the system property {@value #PROPERTY} names.
 *
 * <table>
 * <caption>Values of the property</caption>
 * <tr><td>{@code openhft}</td><td>by {@code net.openhft:affinity}; the default when it is on the class path and works</td></tr>
 * <tr><td>{@code jna}</td><td>by the C library's own call, Linux only; the default otherwise</td></tr>
 * <tr><td>{@code none}</td><td>not at all</td></tr>
 * </table>
 *
 * <p><b>Threads.</b> Each thread pins itself. <b>Costs.</b> The first pinning of a process loads native code, 100 to
 * 300 ms. <b>Errors.</b> A pinning that fails returns false; the first of a process is a warning, and the program goes
 * on: pinning makes it faster, not right.
 */
public final class Pinning {
    /** Name of the system property. */
    public static final String PROPERTY = "mely.affinity";

    private static final System.Logger LOG = System.getLogger("io.mely.topology");
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private final String name;
    private final @Nullable Pinner pinner; // null: none
    private final @Nullable Pinning otherwise; // when the pinner fails; null: nothing
    private final Consumer<String> warn;

    Pinning(String name, @Nullable Pinner pinner, @Nullable Pinning otherwise, Consumer<String> warn) {
        this.name = name;
        this.pinner = pinner;
        this.otherwise = otherwise;
        this.warn = warn;
    }

    /**
     * Looks up the way to pin.
     *
     * @return the way the system property names, or the default when it is not set
     * @throws IllegalArgumentException when the property has another value, or names {@code openhft} and that is not on
     *     the class path; the message names property, value and choices
     */
    public static Pinning ofSystemProperty() {
        return of(System.getProperty(PROPERTY));
    }

    static Pinning of(@Nullable String value) {
        Pinner openHft = openHftOrNull();
        String name = value != null ? value : openHft != null ? "openhft" : "jna";
        if (name.equals("openhft") && openHft == null) {
            throw new IllegalArgumentException(PROPERTY + "=openhft needs net.openhft:affinity on the class path;"
                    + " the other choices are jna and none");
        }
        return switch (name) {
            case "openhft" -> new Pinning(name, openHft, value == null ? of("jna") : null, Pinning::warnOnce);
            case "jna" -> new Pinning(name, new JnaPinner(), null, Pinning::warnOnce);
            case "none" -> new Pinning(name, null, null, Pinning::warnOnce);
            default ->
                throw new IllegalArgumentException(
                        PROPERTY + " must be openhft, jna or none: " + PROPERTY + "=" + Texts.quoted(name));
        };
    }

    private static @Nullable Pinner openHftOrNull() {
        try {
            return new OpenHftPinner();
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    private static void warnOnce(String warning) {
        if (WARNED.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, "{0}", warning);
        }
    }

    /**
     * Says whether threads are to be pinned; when not, a runtime should plan its cores as {@link CorePlan#floating}.
     *
     * @return false for {@code none}
     */
    public boolean isOn() {
        return pinner != null;
    }

    /**
     * Binds the calling thread to one CPU, for the rest of its life.
     *
     * @param cpu the CPU, &gt;= 0
     * @return whether the thread now runs there and nowhere else; false for {@code none} and after a failure
     * @throws IllegalArgumentException when {@code cpu} is out of bounds
     */
    public boolean pinCallingThread(int cpu) {
        if (cpu < 0 || cpu >= CpuSet.CPUS_MAX) {
            throw new IllegalArgumentException("cpu must be from 0 to " + (CpuSet.CPUS_MAX - 1) + ": cpu=" + cpu);
        }
        if (pinner == null) {
            return false;
        }
        try {
            pinner.pin(cpu);
            return true;
        } catch (UnsupportedOperationException e) {
            if (otherwise != null && otherwise.pinCallingThread(cpu)) {
                warn.accept(
                        "Threads are pinned by " + otherwise + ", as " + name + " failed: reason=" + e.getMessage());
                return true;
            }
            warn.accept("Pinning a thread failed; threads float between CPUs, which is slower but gives right results:"
                    + " by=" + name + ", cpu=" + cpu + ", reason=" + e.getMessage());
            return false;
        }
    }

    /**
     * Does what may start threads, on a thread that was pinned: it may run on any CPU of the process meanwhile. On Linux a thread begins with the CPUs of the one
     * that starts it; elsewhere with those of the process.
     *
     * <p><b>Costs.</b> Two system calls, some 4 us in all. Not by OpenHFT, whose take ten times as long.
     *
     * @param cpu where the thread was pinned, and is to be again
     * @param starting what may start threads; what it throws is thrown
     */
    public void doUnpinned(int cpu, Runnable starting) {
        boolean isUnpinned = pinner != null && LinuxAffinity.unavailableReason() == null && setCpus(Cpus.allowed());
        try {
            starting.run();
        } finally {
            if (isUnpinned) {
                boolean unused = setCpus(CpuSet.of(cpu));
            }
        }
    }

    private boolean setCpus(CpuSet cpus) {
        try {
            LinuxAffinity.setCallingThread(cpus);
            return true;
        } catch (UnsupportedOperationException e) {
            warn.accept("The CPUs of a thread could not be set; it, or what it starts, may be on the wrong ones: cpus="
                    + cpus + ", reason=" + e.getMessage());
            return false;
        }
    }

    /**
     * Tells the way.
     *
     * @return {@code openhft}, {@code jna} or {@code none}
     */
    @Override
    public String toString() {
        return name;
    }
}
