// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.walk.Atom.Made;
import io.mely.bench.stingy.walk.Body.Call;
import io.mely.bench.stingy.walk.Body.Store;
import io.mely.bench.stingy.walk.Rules.Rule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/** The bodies of all methods, with what their calls return carried through, and who calls whom with what. */
final class Program implements Body.Returns {
    /** Passes over all methods; values come through so many calls inside each other. A guess. */
    private static final int PASSES_MAX = 12;

    /** Methods outside that return what they are given. */
    private static final Set<String> RETURN_THE_FIRST =
            Set.of("requireNonNull", "requireNonNullElse", "checkNotNull", "callable");

    /** A buffer's methods return the buffer, or a view that is released with it; but for those that make a new one. */
    private static final String COUNTED = "io/netty/util/ReferenceCounted";

    private static final Set<String> MAKE_NEW = Set.of("copy", "readBytes", "alloc");

    private final ClassPath classes;
    private final Rules rules;
    private final Map<MethodId, Optional<Rule>> ruleOf = new HashMap<>();
    private final SortedMap<MethodId, Body> bodies = new TreeMap<>();
    private final Map<MethodId, Values> returned = new HashMap<>();
    private final Map<MethodId, List<Caller>> callers = new HashMap<>();
    private final Map<String, List<Stored>> stores = new HashMap<>();
    private final Map<String, List<Atom.Function>> functions = new HashMap<>();

    /**
     * Who calls a method.
     *
     * @param method the caller; null if a function is called by somebody unknown
     * @param args what it gives
     */
    record Caller(MethodId method, List<Values> args) {}

    /** A store and the method that it is in. */
    record Stored(MethodId method, Store store) {}

    Program(ClassPath classes, Rules rules) {
        this.classes = classes;
        this.rules = rules;
        Set<MethodId> changed = first();
        for (int pass = 1; pass < PASSES_MAX && !changed.isEmpty(); pass++) {
            changed = again(changed);
        }
        for (Body body : bodies.values()) {
            for (Atom.Function function : body.functions()) {
                functions
                        .computeIfAbsent(function.type(), type -> new ArrayList<>())
                        .add(function);
            }
        }
        bodies.values().forEach(this::link);
    }

    private Set<MethodId> first() {
        Set<MethodId> changed = new HashSet<>();
        for (ClassNode owner : classes.analysed()) {
            for (MethodNode method : owner.methods) {
                if ((method.access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0) {
                    put(new Body(classes, owner, method, new Flow(method), this), changed);
                }
            }
        }
        return changed;
    }

    /** Looks again at the callers of methods that return something else than before. */
    private Set<MethodId> again(Set<MethodId> before) {
        Set<MethodId> changed = new HashSet<>();
        for (Body body : List.copyOf(bodies.values())) {
            boolean isCaller = body.calls().stream()
                    .anyMatch(call -> targets(call).stream().anyMatch(before::contains));
            if (isCaller) {
                put(body.again(this), changed);
            }
        }
        return changed;
    }

    private void put(Body body, Set<MethodId> changed) {
        bodies.put(body.id(), body);
        Values before = returned.put(body.id(), body.returned());
        if (!body.returned().equals(before)) {
            changed.add(body.id());
        }
    }

    private void link(Body body) {
        for (Call call : body.calls()) {
            for (MethodId target : targets(call)) {
                callers.computeIfAbsent(target, key -> new ArrayList<>()).add(new Caller(body.id(), call.args()));
            }
            if (isOfFunction(call)) {
                functions
                        .getOrDefault(call.called().owner(), List.of())
                        .forEach(function -> linkFunction(body, call, function));
            }
        }
        for (Atom.Function function : body.functions()) {
            for (MethodId target : targets(function)) {
                callers.computeIfAbsent(target, key -> new ArrayList<>())
                        .add(new Caller(body.id(), captured(function, target)));
            }
        }
        for (Store store : body.stores()) {
            stores.computeIfAbsent(key(store.owner(), store.name()), key -> new ArrayList<>())
                    .add(new Stored(body.id(), store));
        }
    }

    /** The arguments of an interface's method reach each function of that interface. */
    private void linkFunction(Body body, Call call, Atom.Function function) {
        for (MethodId target : targets(function)) {
            List<Values> args =
                    new ArrayList<>(Collections.nCopies(function.captured().size(), Values.none(1)));
            args.addAll(call.args().subList(1, call.args().size()));
            callers.computeIfAbsent(target, key -> new ArrayList<>()).add(new Caller(body.id(), args));
        }
    }

    /** Whether a call is of an interface of which there are functions. */
    boolean isOfFunction(Call call) {
        return call.isVirtual() && functions.containsKey(call.called().owner());
    }

    private static String key(String owner, String field) {
        return owner + "." + field;
    }

    @Override
    public Values of(Call call) {
        Rule rule = rule(call);
        if (rule != null && rule.kind() == Rules.Kind.STAGE) {
            List<Values> args =
                    List.of(call.args().get(rule.first()), call.args().get(rule.second()));
            return Values.of(1, new Made(Made.Kind.STAGE, List.of(call.site()), args));
        } else if (rule != null && rule.kind() == Rules.Kind.ALLOCATE) {
            return Values.of(1, new Made(Made.Kind.BUFFER, List.of(call.site()), List.of(sizeOf(rule, call))));
        }
        Values all = Values.none(1);
        Set<MethodId> targets = targets(call);
        for (MethodId target : targets) {
            Values values = returned.get(target);
            if (values != null) {
                all = all.or(values.given(call.args(), call.site()));
            }
        }
        if (!targets.isEmpty()) {
            return all;
        }
        return isPassedOn(call) ? call.args().get(0) : Values.unknown(1);
    }

    private boolean isPassedOn(Call call) {
        MethodId called = call.called();
        if (call.args().isEmpty()) {
            return false;
        } else if (call.opcode() == Opcodes.INVOKESTATIC) {
            return RETURN_THE_FIRST.contains(called.name());
        }
        Type type = Type.getReturnType(called.descriptor());
        return type.getSort() == Type.OBJECT
                && !MAKE_NEW.contains(called.name())
                && classes.isSubtype(type.getInternalName(), COUNTED)
                && classes.isSubtype(called.owner(), COUNTED);
    }

    static Values sizeOf(Rule rule, Call call) {
        return rule.first() < 0 ? Values.unknown(1) : call.args().get(rule.first());
    }

    /** What a call means; null if nothing. */
    @Nullable
    Rule rule(Call call) {
        Rule rule = ruleOf.computeIfAbsent(call.called(), key -> Optional.ofNullable(rules.find(classes, key)))
                .orElse(null);
        if (rule != null && Math.max(rule.first(), rule.second()) >= call.args().size()) {
            throw new IllegalArgumentException("annotation of " + rule.owner().replace('/', '.') + "." + rule.name()
                    + ": it has no argument " + Math.max(rule.first(), rule.second()));
        }
        return rule;
    }

    boolean isCalledFromOutside(String type) {
        return rules.isCalledFromOutside(type);
    }

    /** Analysed methods that a call may run; functions not among them. */
    Set<MethodId> targets(Call call) {
        MethodId called = call.called();
        if (!call.isVirtual()) {
            MethodId found = classes.resolve(called.owner(), called.name(), called.descriptor());
            return found == null ? Set.of() : Set.of(found);
        }
        Values receiver = call.args().get(0);
        boolean isExact = !receiver.isUnknown()
                && !receiver.atoms().isEmpty()
                && receiver.atoms().stream().allMatch(Atom.New.class::isInstance);
        if (!isExact) {
            return classes.overriding(called);
        }
        Set<MethodId> found = new TreeSet<>();
        for (Atom atom : receiver.atoms()) {
            MethodId method = classes.resolve(((Atom.New) atom).type(), called.name(), called.descriptor());
            if (method != null) {
                found.add(method);
            }
        }
        return found;
    }

    /** Analysed methods that a function may run. */
    Set<MethodId> targets(Atom.Function function) {
        MethodId target = function.target();
        if (function.isVirtual()) {
            return classes.overriding(target);
        }
        MethodId found = classes.resolve(target.owner(), target.name(), target.descriptor());
        return found == null ? Set.of() : Set.of(found);
    }

    /** What a function has captured, as first arguments of its method. */
    List<Values> captured(Atom.Function function, MethodId target) {
        List<Values> args = new ArrayList<>();
        if (target.name().equals("<init>")) {
            args.add(Values.unknown(1)); // the new object
        }
        args.addAll(function.captured());
        return args;
    }

    /** A method of a class, if it is analysed. */
    @Nullable
    MethodId resolve(String type, String name, String descriptor) {
        return classes.resolve(type, name, descriptor);
    }

    ClassPath classes() {
        return classes;
    }

    Collection<Body> bodies() {
        return bodies.values();
    }

    @Nullable
    Body body(MethodId method) {
        return bodies.get(method);
    }

    List<Caller> callers(MethodId method) {
        return callers.getOrDefault(method, List.of());
    }

    List<Stored> stores(String owner, String field) {
        return stores.getOrDefault(key(owner, field), List.of());
    }
}
