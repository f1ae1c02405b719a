// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * A set of CPU numbers, written as the Linux kernel writes it: {@code 0-3,8,10-11}.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Bounds.</b> CPU numbers are below {@link #CPUS_MAX}. <b>Errors.</b> {@link
 * IllegalArgumentException} for a number out of bounds or a text that is not a CPU list; the message contains the text.
 */
public final class CpuSet {
    /**
     * No CPU number reaches this: eight times what the largest kernels are built for, so that a wrong text cannot fill
     * the heap.
     */
    public static final int CPUS_MAX = 65_536;

    private static final CpuSet EMPTY = new CpuSet(new BitSet());

    private final BitSet bits; // never changed after construction

    private CpuSet(BitSet bits) {
        this.bits = bits;
    }

    /**
     * Makes a set of single numbers.
     *
     * @param cpus in any order, repeated or not, each from 0 to {@link #CPUS_MAX} - 1
     * @return the set; empty when no number is given
     */
    public static CpuSet of(int... cpus) {
        BitSet bits = new BitSet();
        for (int cpu : cpus) {
            bits.set(checkCpu(cpu));
        }
        return new CpuSet(bits);
    }

    /**
     * Makes a set of consecutive numbers.
     *
     * @param from the first number, &gt;= 0
     * @param to one after the last number, &gt;= from, &lt;= {@link #CPUS_MAX}
     * @return the set; empty when both are equal
     */
    public static CpuSet range(int from, int to) {
        if (from < 0 || to < from || to > CPUS_MAX) {
            throw new IllegalArgumentException(
                    "from and to must satisfy 0 <= from <= to <= " + CPUS_MAX + ": from=" + from + ", to=" + to);
        }
        BitSet bits = new BitSet(to);
        bits.set(from, to);
        return new CpuSet(bits);
    }

    /**
     * Reads the kernel's list syntax.
     *
     * @param list such as {@code 0-3,8,10-11}; white space around it is ignored; blank means the empty set
     * @return the set
     * @throws IllegalArgumentException when it is anything else; the message contains the text
     */
    public static CpuSet parse(String list) {
        String text = list.strip();
        if (text.isEmpty()) {
            return EMPTY;
        }
        BitSet bits = new BitSet();
        for (String part : text.split(",", -1)) {
            int dash = part.indexOf('-');
            int first = parseNumber(dash < 0 ? part : part.substring(0, dash), part, text);
            int last = dash < 0 ? first : parseNumber(part.substring(dash + 1), part, text);
            if (last < first) {
                throw parseFailed("the range is backwards", part, text);
            }
            bits.set(first, last + 1);
        }
        return new CpuSet(bits);
    }

    private static int parseNumber(String digits, String part, String list) {
        boolean isNumber = !digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber) {
            throw parseFailed("not a number", part, list);
        }
        // Nine digits fit an int; a longer text is out of bounds whatever it says.
        int number = digits.length() > 9 ? CPUS_MAX : Integer.parseInt(digits);
        if (number >= CPUS_MAX) {
            throw parseFailed("a CPU number must be < " + CPUS_MAX, part, list);
        }
        return number;
    }

    private static IllegalArgumentException parseFailed(String why, String part, String list) {
        return new IllegalArgumentException("a CPU list must look like \"0-3,8\": " + why + ": part="
                + Texts.quoted(part) + ", list=" + Texts.quoted(list));
    }

    /** A kernel affinity mask: bit n of the array is CPU n. */
    static CpuSet ofMask(long[] mask) {
        BitSet bits = BitSet.valueOf(mask);
        if (bits.length() > CPUS_MAX) {
            throw new IllegalArgumentException("a mask must have at most " + CPUS_MAX + " bits: bits=" + bits.length());
        }
        return new CpuSet(bits);
    }

    /** The other direction of {@link #ofMask}, without trailing zeros. */
    long[] toMask() {
        return bits.toLongArray();
    }

    /**
     * Counts the numbers.
     *
     * @return how many CPUs are in the set
     */
    public int size() {
        return bits.cardinality();
    }

    /**
     * Says whether there is no number.
     *
     * @return whether the set is empty
     */
    public boolean isEmpty() {
        return bits.isEmpty();
    }

    /**
     * Says whether a CPU is in the set.
     *
     * @param cpu any number; one that cannot be a CPU is in no set
     * @return whether it is
     */
    public boolean contains(int cpu) {
        return cpu >= 0 && bits.get(cpu);
    }

    /**
     * Finds the lowest number.
     *
     * @return the lowest CPU
     * @throws IllegalStateException when the set is empty
     */
    public int first() {
        if (bits.isEmpty()) {
            throw new IllegalStateException("an empty CPU set has no first CPU");
        }
        return bits.nextSetBit(0);
    }

    /**
     * Keeps what is in both sets.
     *
     * @param other another set
     * @return the CPUs in this set and in the other
     */
    public CpuSet intersect(CpuSet other) {
        BitSet both = (BitSet) bits.clone();
        both.and(other.bits);
        return new CpuSet(both);
    }

    /**
     * Keeps what is not in another set.
     *
     * @param other another set
     * @return the CPUs in this set that are not in the other
     */
    public CpuSet without(CpuSet other) {
        BitSet rest = (BitSet) bits.clone();
        rest.andNot(other.bits);
        return new CpuSet(rest);
    }

    /**
     * Goes through the numbers.
     *
     * @return the CPUs in increasing order
     */
    public IntStream stream() {
        return bits.stream();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CpuSet set && bits.equals(set.bits);
    }

    @Override
    public int hashCode() {
        return bits.hashCode();
    }

    /**
     * Writes the kernel's list syntax, the shortest form; {@link #parse} reads it back.
     *
     * @return such as {@code 0-3,8}; an empty text for the empty set
     */
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

    private static int checkCpu(int cpu) {
        if (cpu < 0 || cpu >= CPUS_MAX) {
            throw new IllegalArgumentException("a CPU number must be from 0 to " + (CPUS_MAX - 1) + ": cpu=" + cpu);
        }
        return cpu;
    }
}
