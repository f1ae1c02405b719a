// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

/**
 * An instruction of a method.
 *
 * @param method that it is in
 * @param index of the instruction
 * @param line of the source; 0: not known
 */
record Site(MethodId method, int index, int line) implements Comparable<Site> {
    @Override
    public int compareTo(Site other) {
        int byMethod = method.compareTo(other.method);
        return byMethod != 0 ? byMethod : Integer.compare(index, other.index);
    }

    /** Class, method and line. */
    @Override
    public String toString() {
        return method + ":" + line;
    }
}
