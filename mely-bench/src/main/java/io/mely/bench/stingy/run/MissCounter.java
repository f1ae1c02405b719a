// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.run;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Counts cache misses of the threads that this thread starts, by Linux' perf_event_open. Virtual machines and containers often have no such counter: then there is no figure, and {@link #whyNot} says so.
 *
 * <p><b>Threads.</b> One.
 */
final class MissCounter implements AutoCloseable {
    /** What is counted: {@code type} and {@code config} of the call. */
    enum Event {
        /** PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES: of the last cache. */
        CACHE_MISSES(0, 3),
        /** PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS: where there is any counter, there is this one. */
        PAGE_FAULTS(1, 2);

        private final int type;
        private final long config;

        Event(int type, long config) {
            this.type = type;
            this.config = config;
        }
    }

    /** Numbers of perf_event_open, by JNA's name of the processor. */
    private static final Map<String, Integer> CALL = Map.of("x86-64", 298, "aarch64", 241);

    // perf_event_attr in its first version, all zero but these
    private static final int ATTR_BYTES = 64;
    private static final int TYPE = 0;
    private static final int SIZE = 4;
    private static final int CONFIG = 8;
    private static final int FLAGS = 40;
    private static final long INHERIT = 1 << 1;
    private static final long EXCLUDE_KERNEL = 1 << 5;
    private static final long EXCLUDE_HYPERVISOR = 1 << 6;

    private static final int NONE = -1;

    /** Of the C library. */
    private static final class Calls {
        static {
            Native.register(Calls.class, Platform.C_LIBRARY_NAME);
        }

        private Calls() {}

        static native int syscall(int number, Pointer attr, int pid, int cpu, int group, long flags)
                throws LastErrorException;

        static native long read(int file, Pointer to, long bytes) throws LastErrorException;

        static native int close(int file) throws LastErrorException;
    }

    private final int file;
    private final @Nullable String reason;

    private MissCounter(int file, @Nullable String reason) {
        this.file = file;
        this.reason = reason;
    }

    /** Counts from now on. */
    static MissCounter ofChildren() {
        return of(Event.CACHE_MISSES);
    }

    static MissCounter of(Event event) {
        Integer call = Platform.isLinux() ? CALL.get(Platform.ARCH) : null;
        if (call == null) {
            return new MissCounter(NONE, "perf_event_open is not known for " + Platform.RESOURCE_PREFIX);
        }
        try (Memory attr = new Memory(ATTR_BYTES)) {
            attr.clear();
            attr.setInt(TYPE, event.type);
            attr.setInt(SIZE, ATTR_BYTES);
            attr.setLong(CONFIG, event.config);
            attr.setLong(FLAGS, INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR);
            return new MissCounter(Calls.syscall(call, attr, 0, -1, -1, 0), null);
        } catch (LastErrorException e) {
            return new MissCounter(NONE, "perf_event_open has no counter of cache misses here: " + e.getMessage());
        }
    }

    /** Why this machine counts no misses; empty if it does. */
    static String whyNot() {
        try (MissCounter tried = ofChildren()) {
            return tried.reason == null ? "" : tried.reason;
        }
    }

    /** How many there were; empty if nobody counts them. Threads that have ended are in it. */
    OptionalDouble count() {
        if (file == NONE) {
            return OptionalDouble.empty();
        }
        try (Memory value = new Memory(Long.BYTES)) {
            return Calls.read(file, value, Long.BYTES) == Long.BYTES
                    ? OptionalDouble.of((double) value.getLong(0))
                    : OptionalDouble.empty();
        }
    }

    @Override
    public void close() {
        if (file != NONE) {
            int unused = Calls.close(file);
        }
    }
}
