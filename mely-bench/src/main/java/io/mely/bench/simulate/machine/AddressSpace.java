// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.lang.invoke.VarHandle;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongToIntFunction;

/**
 * Where the runtime's objects lie: those that a core uses first after each other behind each other, as in the allocation buffer of a thread, and in each
 * its fields where HotSpot lays them out ({@link Layouts}).
 */
final class AddressSpace {
    /** Before the first element of an array. */
    static final int ARRAY_HEADER = 16;

    private static final int OBJECT_ALIGNMENT = 8;
    private static final int CHUNK_BYTES = 1 << 16;
    /** Fields by updater, which has no equal. */
    private static final Map<Object, String> UPDATED = new ConcurrentHashMap<>();

    private static final long LINE_MASK = CacheModel.LINE_BYTES - 1;
    /** Of an object that is not woven: the JDK's atomics. */
    private static final int OTHER_BYTES = 24;

    /** Above an object's address: of which machine that is. Static objects outlive a machine, and are new to the next one. */
    private static final int MACHINE_SHIFT = 40;

    private static final AtomicInteger MACHINES = new AtomicInteger();

    private final long machine = (long) MACHINES.incrementAndGet() << MACHINE_SHIFT;
    private final LongToIntFunction newLines;
    private final IdentityHashMap<VarHandle, Integer> offsets = new IdentityHashMap<>();
    private final IdentityHashMap<Object, Long> addresses = new IdentityHashMap<>(); // of what is not woven
    private final long[] nextFree; // by core
    private final long[] endOfChunk;

    /**
     * Of a machine.
     *
     * @param cores that use objects
     * @param newLines by bytes, the first line of as many that nobody has used
     */
    AddressSpace(int cores, LongToIntFunction newLines) {
        this.newLines = newLines;
        nextFree = new long[cores];
        endOfChunk = new long[cores];
    }

    /** The line of a place in an object, which gets its address if this is its first use. */
    int lineOf(int core, Object of, int offset) {
        long address;
        if (of instanceof Placed placed) {
            address = placed.virtualAddress() - machine;
            if (address >>> MACHINE_SHIFT != 0) {
                address = allocate(core, placed.virtualSize());
                placed.virtualAddress(machine + address);
            }
        } else {
            Long known = addresses.get(of);
            if (known == null) {
                known = of instanceof Object[] ? allocateLines(core, sizeOf(of)) : allocate(core, sizeOf(of));
                addresses.put(of, known);
            }
            address = known;
        }
        return (int) ((address + offset) / CacheModel.LINE_BYTES);
    }

    /** Where in an object a variable handle leads. */
    int offset(VarHandle handle, Object of) {
        Integer known = offsets.get(handle);
        if (known == null) {
            String name = handle.describeConstable().orElseThrow().constantName();
            known = Layouts.offset(of.getClass(), name);
            offsets.put(handle, known);
        }
        return known;
    }

    /** Where in an object an updater's field is. */
    static int offset(Object updater, Object of) {
        String field = UPDATED.get(updater);
        if (field == null) {
            throw new IllegalStateException("made by a class that is not woven: " + updater);
        }
        return Layouts.offset(of.getClass(), field);
    }

    /** The field of an updater. */
    static void isOf(Object updater, String field) {
        UPDATED.put(updater, field);
    }

    /** Whether tables, which are hardly written, share a line with something is luck: they do not. */
    private long allocateLines(int core, long bytes) {
        nextFree[core] = (nextFree[core] + LINE_MASK) & ~LINE_MASK;
        return allocate(core, (bytes + LINE_MASK) & ~LINE_MASK);
    }

    private long allocate(int core, long bytes) {
        long size = (bytes + OBJECT_ALIGNMENT - 1) / OBJECT_ALIGNMENT * OBJECT_ALIGNMENT;
        if (nextFree[core] + size > endOfChunk[core]) {
            long chunk = Math.max(size, CHUNK_BYTES);
            nextFree[core] = (long) newLines.applyAsInt(chunk) * CacheModel.LINE_BYTES;
            endOfChunk[core] = nextFree[core] + chunk;
        }
        long address = nextFree[core];
        nextFree[core] += size;
        return address;
    }

    private static long sizeOf(Object of) {
        if (of.getClass().isArray()) {
            Class<?> element = of.getClass().getComponentType();
            int bytes = element == long.class || element == double.class
                    ? 8
                    : element == byte.class || element == boolean.class ? 1 : element == short.class ? 2 : 4;
            return ARRAY_HEADER + (long) java.lang.reflect.Array.getLength(of) * bytes;
        }
        return of instanceof AtomicReferenceArray<?> array
                ? ARRAY_HEADER + 8L * array.length()
                : of instanceof AtomicLongArray longs ? ARRAY_HEADER + 8L * longs.length() : OTHER_BYTES;
    }
}
