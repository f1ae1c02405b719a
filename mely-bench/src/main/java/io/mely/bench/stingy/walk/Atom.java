// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A value as a symbol: what is known of it without running the program. */
sealed interface Atom {
    /** A number, a string or a class. */
    record Const(Object value) implements Atom {}

    /** What a method was given; 0 is its object, if it has one. */
    record Param(int index) implements Atom {}

    /**
     * What a field holds.
     *
     * @param base whose it is, where that helps: a parameter, a new object, or a static field, which an enum's constant is; null for the field of any object
     * @param owner the class that declares it
     * @param name the field
     */
    record Field(@Nullable Atom base, String owner, String name) implements Atom {}

    /** An object of an analysed class, by where it is made. */
    record New(Site site, String type) implements Atom {}

    /**
     * A lambda or a method reference.
     *
     * @param type the interface
     * @param target the method that runs
     * @param isVirtual whether it is chosen by the class of its first argument
     * @param captured first arguments
     */
    record Function(Site site, String type, MethodId target, boolean isVirtual, List<Values> captured)
            implements Atom {}

    /**
     * A stage or a buffer, by where it is made.
     *
     * @param kind which of the two
     * @param path the call that makes it, and before it those of the methods around it that only pass on what they are given
     * @param args of a stage its name and its handler, of a buffer its size
     */
    record Made(Kind kind, List<Site> path, List<Values> args) implements Atom {
        /** What may be made. */
        enum Kind {
            STAGE,
            BUFFER
        }

        /** Where it is made, without what is known of the arguments: the same object is the same one. */
        boolean isSameAs(Made other) {
            return kind == other.kind && path.equals(other.path);
        }
    }

    /** Whether it says something else to each caller. */
    default boolean isOpen() {
        if (this instanceof Param) {
            return true;
        } else if (this instanceof Field field) {
            return field.base != null && field.base.isOpen();
        } else if (this instanceof Function function) {
            return function.captured.stream().anyMatch(Values::isOpen);
        }
        return this instanceof Made made && made.args.stream().anyMatch(Values::isOpen);
    }

    /** How deep symbols are inside it. */
    default int depth() {
        if (this instanceof Field field) {
            return field.base == null ? 1 : 1 + field.base.depth();
        } else if (this instanceof Function function) {
            return 1 + function.captured.stream().mapToInt(Values::depth).max().orElse(0);
        } else if (this instanceof Made made) {
            return 1
                    + Math.max(
                            made.path.size(),
                            made.args.stream().mapToInt(Values::depth).max().orElse(0));
        }
        return 0;
    }

    /** As seen by a caller: parameters are replaced by what it gives. */
    default Values given(List<Values> args, @Nullable Site call) {
        if (!isOpen()) {
            return Values.of(1, this);
        } else if (this instanceof Param param) {
            return param.index < args.size() ? args.get(param.index) : Values.unknown(1);
        } else if (this instanceof Field field) {
            Atom base = Objects.requireNonNull(field.base);
            return base.given(args, call).field(field.owner, field.name, 1);
        } else if (this instanceof Function f) {
            List<Values> captured =
                    f.captured.stream().map(each -> each.given(args, call)).toList();
            return Values.of(1, new Function(f.site, f.type, f.target, f.isVirtual, captured));
        }
        Made made = (Made) this;
        List<Values> given =
                made.args.stream().map(each -> each.given(args, call)).toList();
        List<Site> path = call == null || made.path.contains(call)
                ? made.path
                : java.util.stream.Stream.concat(java.util.stream.Stream.of(call), made.path.stream())
                        .toList();
        return Values.of(1, new Made(made.kind, path, given));
    }
}
