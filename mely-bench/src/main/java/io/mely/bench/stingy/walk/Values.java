// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.tree.analysis.Value;

/**
 * What a variable may be: any of some symbols, and perhaps something else that nothing is known of. Null is none of them.
 *
 * <p><b>Bounds.</b> {@link #ATOMS_MAX} symbols of a depth of {@link #DEPTH_MAX}; more are not known.
 */
final class Values implements Value {
    /** A guess: more than the handlers and stages of a program are seldom possible in one place. */
    static final int ATOMS_MAX = 128;

    /** A guess: a wrapper of a wrapper, and so on. */
    static final int DEPTH_MAX = 8;

    private final int size;
    private final Set<Atom> atoms;
    private final boolean isUnknown;

    private Values(int size, Set<Atom> atoms, boolean isUnknown) {
        this.size = size;
        this.atoms = atoms;
        this.isUnknown = isUnknown;
    }

    static Values of(int size, Atom... atoms) {
        return checked(size, new LinkedHashSet<>(Arrays.asList(atoms)), false);
    }

    static Values unknown(int size) {
        return new Values(size, Set.of(), true);
    }

    /** Null, or what was never set. */
    static Values none(int size) {
        return new Values(size, Set.of(), false);
    }

    private static Values checked(int size, Set<Atom> atoms, boolean isUnknown) {
        boolean isLost = atoms.removeIf(atom -> atom.depth() > DEPTH_MAX);
        return atoms.size() > ATOMS_MAX ? unknown(size) : new Values(size, atoms, isUnknown || isLost);
    }

    /** Either of the two. */
    Values or(Values other) {
        if (atoms.containsAll(other.atoms) && (isUnknown || !other.isUnknown) && size == Math.min(size, other.size)) {
            return this;
        }
        Set<Atom> both = new LinkedHashSet<>(atoms);
        both.addAll(other.atoms);
        return checked(Math.min(size, other.size), both, isUnknown || other.isUnknown);
    }

    Values sized(int newSize) {
        return newSize == size ? this : new Values(newSize, atoms, isUnknown);
    }

    /** What a field of it holds. */
    Values field(String owner, String name, int fieldSize) {
        Set<Atom> fields = new LinkedHashSet<>();
        for (Atom atom : atoms) {
            boolean isStatic = atom instanceof Atom.Field field
                    && field.base() == null
                    && field.owner().equals(owner);
            boolean isKept = atom instanceof Atom.Param || atom instanceof Atom.New || isStatic;
            fields.add(new Atom.Field(isKept ? atom : null, owner, name));
        }
        if (fields.isEmpty() || isUnknown) {
            fields.add(new Atom.Field(null, owner, name));
        }
        return checked(fieldSize, fields, false);
    }

    /** As seen by a caller. */
    Values given(List<Values> args, @Nullable Site call) {
        if (!isOpen()) {
            return this;
        }
        Values given = new Values(size, Set.of(), isUnknown);
        for (Atom atom : atoms) {
            given = given.or(atom.given(args, call).sized(size));
        }
        return given;
    }

    boolean isOpen() {
        return atoms.stream().anyMatch(Atom::isOpen);
    }

    /** Whether it may be a parameter itself, not only something in one. */
    boolean hasParam() {
        return atoms.stream().anyMatch(Atom.Param.class::isInstance);
    }

    int depth() {
        return atoms.stream().mapToInt(Atom::depth).max().orElse(0);
    }

    Set<Atom> atoms() {
        return atoms;
    }

    /** Whether it may be something that nothing is known of. */
    boolean isUnknown() {
        return isUnknown;
    }

    /** The only value that it can have, if it is of a type. */
    <T> @Nullable T only(Class<T> type) {
        return !isUnknown
                        && atoms.size() == 1
                        && atoms.iterator().next() instanceof Atom.Const known
                        && type.isInstance(known.value())
                ? type.cast(known.value())
                : null;
    }

    @Override
    public int getSize() {
        return size;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Values that
                && size == that.size
                && isUnknown == that.isUnknown
                && atoms.equals(that.atoms);
    }

    @Override
    public int hashCode() {
        return 31 * atoms.hashCode() + size;
    }

    @Override
    public String toString() {
        return atoms + (isUnknown ? "?" : "");
    }
}
