// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.walk.Body.Call;
import io.mely.bench.stingy.walk.Body.Store;
import io.mely.bench.stingy.walk.Program.Caller;
import io.mely.bench.stingy.walk.Program.Stored;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.tree.ClassNode;

/**
 * Follows symbols to where their values come from: a field to all that is stored into it, a parameter to all that callers give. Where an object is known, its own constructor
 * says what a final field of it holds, and only else that of every object.
 */
final class Resolver {
    /** Objects inside objects whose fields are told apart; a guess. */
    private static final int DEPTH_MAX = 4;

    private final Program program;

    /**
     * A symbol that leads no further.
     *
     * @param atom a constant, a new object, a function, a stage or a buffer
     * @param in the method whose parameters it speaks of
     */
    record Known(Atom atom, MethodId in) {}

    /**
     * What a value may be.
     *
     * @param known symbols
     * @param isComplete whether it can be nothing else
     */
    record Resolved(Set<Known> known, boolean isComplete) {
        /** What of it is of a type. */
        <T extends Atom> List<T> atoms(Class<T> type) {
            return known.stream()
                    .map(Known::atom)
                    .filter(type::isInstance)
                    .map(type::cast)
                    .toList();
        }

        /** Constants of a type. */
        <T> List<T> constants(Class<T> type) {
            return atoms(Atom.Const.class).stream()
                    .map(Atom.Const::value)
                    .filter(type::isInstance)
                    .<T>map(type::cast)
                    .distinct()
                    .toList();
        }
    }

    Resolver(Program program) {
        this.program = program;
    }

    Resolved resolve(Values values, MethodId in) {
        return resolve(values, in, 0);
    }

    private Resolved resolve(Values values, MethodId in, int depth) {
        Search search = new Search(depth);
        search.add(values, in);
        return search.run();
    }

    private final class Search {
        private final int depth;
        private final Set<Known> seen = new HashSet<>();
        private final Set<Known> found = new LinkedHashSet<>();
        private final Deque<Known> open = new ArrayDeque<>();
        private boolean isComplete = true;

        Search(int depth) {
            this.depth = depth;
        }

        void add(Values values, MethodId in) {
            isComplete &= !values.isUnknown();
            for (Atom atom : values.atoms()) {
                Known next = new Known(atom, in);
                if (seen.add(next)) {
                    open.add(next);
                }
            }
        }

        Resolved run() {
            while (!open.isEmpty()) {
                Known next = open.remove();
                if (next.atom instanceof Atom.Param param) {
                    param(param, next.in);
                } else if (next.atom instanceof Atom.Field field) {
                    field(field, next.in);
                } else {
                    found.add(next);
                }
            }
            return new Resolved(found, isComplete);
        }

        private void param(Atom.Param param, MethodId in) {
            List<Caller> callers = program.callers(in);
            isComplete &= !callers.isEmpty();
            for (Caller caller : callers) {
                if (param.index() < caller.args().size()) {
                    add(caller.args().get(param.index()), caller.method());
                } else {
                    isComplete = false;
                }
            }
        }

        private void field(Atom.Field field, MethodId in) {
            Atom base = field.base();
            if (base == null || depth >= DEPTH_MAX || isStoredLater(field)) {
                ofAnyObject(field);
                return;
            }
            Resolved bases = resolve(Values.of(1, base), in, depth + 1);
            boolean isAnyObject = !bases.isComplete || bases.known.isEmpty();
            for (Known each : bases.known) {
                List<Values> built = each.atom instanceof Atom.New made ? built(made, field) : List.of();
                built.forEach(
                        values -> add(values, ((Atom.New) each.atom).site().method()));
                isAnyObject |= built.isEmpty();
            }
            if (isAnyObject) {
                ofAnyObject(field);
            }
        }

        private void ofAnyObject(Atom.Field field) {
            for (Stored stored : program.stores(field.owner(), field.name())) {
                add(stored.store().value(), stored.method());
            }
            ClassNode owner = program.classes().find(field.owner());
            isComplete &= owner != null;
            if (owner != null) {
                owner.fields.stream()
                        .filter(each -> each.name.equals(field.name()) && each.value != null)
                        .forEach(each -> found.add(
                                new Known(new Atom.Const(each.value), new MethodId(field.owner(), "<clinit>", "()V"))));
            }
        }
    }

    /** Whether anything but a constructor stores into a field. */
    private boolean isStoredLater(Atom.Field field) {
        return program.stores(field.owner(), field.name()).stream()
                .anyMatch(stored -> !stored.method().name().equals("<init>"));
    }

    /** What the constructor of a new object stores into a field of it, as seen where it is made. */
    private List<Values> built(Atom.New made, Atom.Field field) {
        Body maker = program.body(made.site().method());
        List<Values> built = new ArrayList<>();
        if (maker != null) {
            for (Call call : maker.calls()) {
                if (call.called().name().equals("<init>")
                        && call.args().get(0).atoms().contains(made)) {
                    build(call, call.args(), field, built, 0);
                }
            }
        }
        return built;
    }

    private void build(Call call, List<Values> args, Atom.Field field, List<Values> built, int depth) {
        MethodId called = call.called();
        MethodId constructor = program.resolve(called.owner(), called.name(), called.descriptor());
        Body body = constructor == null ? null : program.body(constructor);
        if (body == null || depth > DEPTH_MAX) {
            return;
        }
        for (Store store : body.stores()) {
            if (store.owner().equals(field.owner()) && store.name().equals(field.name()) && isThis(store.base())) {
                built.add(store.value().given(args, null));
            }
        }
        for (Call inner : body.calls()) {
            if (inner.called().name().equals("<init>") && isThis(inner.args().get(0))) {
                List<Values> given = inner.args().stream()
                        .map(each -> each.given(args, null))
                        .toList();
                build(inner, given, field, built, depth + 1);
            }
        }
    }

    private static boolean isThis(@Nullable Values values) {
        return values != null && values.atoms().contains(new Atom.Param(0));
    }
}
