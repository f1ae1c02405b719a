// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

/**
 * A method.
 *
 * @param owner its class, internal name
 * @param name its name
 * @param descriptor its types
 */
record MethodId(String owner, String name, String descriptor) implements Comparable<MethodId> {
    @Override
    public int compareTo(MethodId other) {
        int byOwner = owner.compareTo(other.owner);
        int byName = byOwner != 0 ? byOwner : name.compareTo(other.name);
        return byName != 0 ? byName : descriptor.compareTo(other.descriptor);
    }

    /** The class without its package. */
    String simpleOwner() {
        return owner.substring(owner.lastIndexOf('/') + 1).replace('$', '.');
    }

    @Override
    public String toString() {
        return simpleOwner() + "." + name;
    }
}
