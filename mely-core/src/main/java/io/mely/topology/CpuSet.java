// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A set of CPU numbers, written as the Linux kernel writes it: {@code 0-3,8,10-11}.
 *
 * @param bits bit n is CPU n; never changed
 */
public record CpuSet(BitSet bits) {
    /** No CPU number reaches this: eight times what the largest kernels are built for; a wrong text cannot fill the heap. */
    static final int CPUS_MAX = 65_536;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?"); // what fits an int

    /** A set of single numbers, in any order, repeated or not. */
    public static CpuSet of(int... cpus) {
        BitSet bits = new BitSet();
        for (int cpu : cpus) {
            if (cpu < 0 || cpu >= CPUS_MAX) {
                throw new IllegalArgumentException("a CPU number must be from 0 to " + (CPUS_MAX - 1) + ": cpu=" + cpu);
            }
            bits.set(cpu);
        }
        return new CpuSet(bits);
    }

    /** The numbers from the first to before the second. */
    public static CpuSet range(int from, int to) {
        return of(IntStream.range(from, to).toArray());
    }

    /**
     * Reads the kernel's list syntax. White space around it is ignored; blank means the empty set.
     *
     * @throws IllegalArgumentException when it is anything else; the message contains the text
     */
    static CpuSet parse(String list) {
        String text = list.strip();
        BitSet bits = new BitSet();
        for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            int first = range.matches() ? Integer.parseInt(range.group(1)) : CPUS_MAX;
            int last = first < CPUS_MAX && range.group(2) != null ? Integer.parseInt(range.group(2)) : first;
            if (last < first || last >= CPUS_MAX) {
                throw new IllegalArgumentException("a CPU list must look like \"0-3,8\", with increasing numbers below "
                        + CPUS_MAX + ": part=" + Texts.quoted(part) + ", list=" + Texts.quoted(text));
            }
            bits.set(first, last + 1);
        }
        return new CpuSet(bits);
    }

    public int size() {
        return bits.cardinality();
    }

    boolean isEmpty() {
        return bits.isEmpty();
    }

    public boolean contains(int cpu) {
        return cpu >= 0 && bits.get(cpu);
    }

    /** The lowest number; the set must not be empty. */
    public int first() {
        return bits.stream().findFirst().orElseThrow();
    }

    public CpuSet intersect(CpuSet other) {
        return of(stream().filter(other::contains).toArray());
    }

    CpuSet without(CpuSet other) {
        return of(stream().filter(cpu -> !other.contains(cpu)).toArray());
    }

    /** The numbers in increasing order. */
    public IntStream stream() {
        return bits.stream();
    }

    /** The kernel's list syntax, the shortest form; {@link #parse} reads it back. */
    @Override
    public String toString() {
        StringBuilder list = new StringBuilder();
        for (int first = bits.nextSetBit(0); first >= 0; ) {
            int last = bits.nextClearBit(first) - 1;
            list.append(list.isEmpty() ? "" : ",").append(first);
            if (last > first) {
                list.append('-').append(last);
            }
            first = bits.nextSetBit(last + 1);
        }
        return list.toString();
    }
}
