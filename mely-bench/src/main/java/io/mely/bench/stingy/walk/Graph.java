// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.walk.Atom.Made;
import io.mely.bench.stingy.walk.Effects.Effect;
import io.mely.bench.stingy.walk.Entry.Start;
import io.mely.bench.stingy.walk.Resolver.Known;
import io.mely.bench.stingy.walk.Resolver.Resolved;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The stage call graph. An entry is code that an event runs; its stage is all that it reaches by calls, so a function that several stages call, or that is both called and sent to, is
 * part of each of them.
 *
 * <p><b>Source.</b> spec: Stingy §5.2.
 */
final class Graph {
    /** Methods of the interfaces that an object may implement to be run later. */
    private static final List<MethodId> RUNNABLE = List.of(
            new MethodId("", "handle", "(Ljava/lang/Object;)V"),
            new MethodId("", "run", "()V"),
            new MethodId("", "call", "()Ljava/lang/Object;"));

    private final Program program;
    private final Effects effects;
    private final Resolver resolver;
    private final Said said;
    private final SortedMap<String, Entry> entries = new TreeMap<>();
    private final Map<List<Site>, String> stageAt = new HashMap<>();
    private final Map<Site, String> functionAt = new HashMap<>();
    private final Map<List<Site>, Buffer> buffers = new HashMap<>();
    private final SortedSet<String> unresolved = new TreeSet<>();
    private final SortedSet<MethodId> called = new TreeSet<>();

    Graph(Program program, Annotations annotations) {
        this.program = program;
        said = new Said(annotations);
        effects = new Effects(program);
        resolver = new Resolver(program);
        for (Body body : program.bodies()) {
            for (Effect effect : effects.own(body.id())) {
                begin(effect, body.id());
            }
            body.functions().stream()
                    .filter(function -> program.isCalledFromOutside(function.type()))
                    .forEach(function -> addOutside(function, body.id()));
        }
        List<Entry> found = new ArrayList<>();
        while (found.size() < entries.size()) { // a function that is found on the way is an entry, too
            for (Entry entry : List.copyOf(entries.values())) {
                if (!found.contains(entry)) {
                    found.add(entry);
                    new Walker(this, entry).walk();
                }
            }
        }
        findSendersOutside();
        List<String> methods = program.bodies().stream()
                .map(body -> body.id().toString())
                .distinct()
                .toList();
        said.check(entries.keySet(), buffers().keySet(), methods);
    }

    // Entries.

    private void begin(Effect effect, MethodId in) {
        if (effect.kind() == Rules.Kind.STAGE) {
            addStage(effect, in);
        } else if (effect.kind() == Rules.Kind.ALLOCATE) {
            addBuffer(effect, in);
        } else if (effect.kind() == Rules.Kind.RUN_LATER) {
            laterOf(effect, in);
        }
    }

    private void addStage(Effect effect, MethodId in) {
        List<String> names = resolver.resolve(effect.args().get(0), in).constants(String.class);
        String name = names.size() == 1 ? names.get(0) : "stage " + effect.site();
        if (names.size() != 1) {
            unresolved.add("name of the stage made at " + effect.site());
        }
        stageAt.put(effect.path(), name);
        Entry entry = entries.computeIfAbsent(name, key -> new Entry(key, Entry.Kind.STAGE));
        Set<Start> starts = starts(resolver.resolve(effect.args().get(1), in));
        if (starts.isEmpty()) {
            unresolved.add("handler of stage " + name + ", made at " + effect.site());
        }
        entry.starts.addAll(starts);
    }

    private Set<Start> starts(Resolved handlers) {
        Set<Start> starts = new java.util.LinkedHashSet<>();
        for (Known known : handlers.known()) {
            if (known.atom() instanceof Atom.Function function) {
                for (MethodId target : program.targets(function)) {
                    starts.add(new Start(target, program.captured(function, target), known.in()));
                }
            } else if (known.atom() instanceof Atom.New made) {
                for (MethodId runnable : RUNNABLE) {
                    MethodId method = program.resolve(made.type(), runnable.name(), runnable.descriptor());
                    if (method != null) {
                        starts.add(new Start(method, List.of(Values.of(1, made)), known.in()));
                        break;
                    }
                }
            }
        }
        return starts;
    }

    private void addOutside(Atom.Function function, MethodId in) {
        addFunction(function, in, Entry.Kind.OUTSIDE, "outside ");
    }

    private String addFunction(Atom atom, MethodId in, Entry.Kind kind, String prefix) {
        Site site = atom instanceof Atom.Function function ? function.site() : ((Atom.New) atom).site();
        String known = functionAt.get(site);
        if (known != null) {
            return known;
        }
        Set<Start> starts = starts(new Resolved(Set.of(new Known(atom, in)), true));
        String name = prefix + site;
        for (int twin = 2; entries.containsKey(name); twin++) {
            name = prefix + site + " #" + twin;
        }
        functionAt.put(site, name);
        if (!starts.isEmpty()) {
            Entry entry = new Entry(name, kind);
            entry.starts.addAll(starts);
            entries.put(name, entry);
        }
        return name;
    }

    /** Entries of the functions that are run later. */
    private Set<String> laterOf(Effect effect, MethodId in) {
        Set<String> names = new TreeSet<>();
        Resolved functions = resolver.resolve(effect.args().get(0), in);
        for (Known known : functions.known()) {
            if (known.atom() instanceof Atom.Function || known.atom() instanceof Atom.New) {
                String name = addFunction(known.atom(), known.in(), Entry.Kind.FUNCTION, "execute ");
                if (entries.containsKey(name)) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    /** The site of an allocation, which is new or known. */
    Buffer addBuffer(Effect effect, MethodId in) {
        return buffers.computeIfAbsent(effect.path(), path -> {
            String name = path.get(0).toString();
            for (int twin = 2; hasBuffer(name); twin++) {
                name = path.get(0) + " #" + twin;
            }
            Resolved size = resolver.resolve(effect.args().get(0), in);
            List<Integer> sizes = size.constants(Integer.class);
            long bytes = size.isComplete() && sizes.size() == size.known().size()
                    ? sizes.stream().mapToLong(Integer::longValue).max().orElse(0)
                    : 0;
            Integer given = said.size(name);
            if (bytes == 0 && given == null) {
                unresolved.add("size of the buffer allocated at " + name);
            }
            Site last = path.get(path.size() - 1);
            String call = Objects.requireNonNull(program.body(last.method())).calls().stream()
                    .filter(each -> each.site().equals(last))
                    .map(each -> each.called().toString())
                    .findFirst()
                    .orElse("");
            return new Buffer(name, path, given == null ? bytes : given, said.count(name), call);
        });
    }

    private boolean hasBuffer(String name) {
        return buffers.values().stream().anyMatch(buffer -> buffer.name().equals(name));
    }

    private void findSendersOutside() {
        Set<MethodId> inStages = new HashSet<>();
        entries.values().forEach(entry -> inStages.addAll(entry.methods));
        for (Body body : program.bodies()) {
            if (!inStages.contains(body.id())) {
                for (Effect effect : effects.own(body.id())) {
                    for (String name : receivers(effect, body.id(), false)) {
                        Objects.requireNonNull(entries.get(name)).isFromOutside = true;
                    }
                }
            }
        }
    }

    /** Whom an effect makes run. */
    Set<String> receivers(Effect effect, MethodId in, boolean isListed) {
        if (effect.kind() == Rules.Kind.RUN_LATER) {
            return laterOf(effect, in);
        } else if (effect.kind() != Rules.Kind.SEND) {
            return Set.of();
        }
        Set<String> names = new TreeSet<>(said.sends(effect.site()));
        Resolved stages = resolver.resolve(effect.args().get(0), in);
        for (Made made : stages.atoms(Made.class)) {
            String name = stageAt.get(made.path());
            if (name != null) {
                names.add(name);
            }
        }
        if (isListed
                && names.isEmpty()
                && !(stages.isComplete() && stages.known().isEmpty())) {
            unresolved.add("receiver of the event sent at " + effect.site());
        }
        names.retainAll(entries.keySet());
        return names;
    }

    // What a walker needs.

    Program program() {
        return program;
    }

    Effects effects() {
        return effects;
    }

    Resolver resolver() {
        return resolver;
    }

    Said said() {
        return said;
    }

    /** A method is called by some stage. */
    void called(MethodId method) {
        called.add(method);
    }

    void unresolved(String what) {
        unresolved.add(what);
    }

    /** The site at the end of such calls; null if no buffer is allocated there. */
    @Nullable
    Buffer buffer(List<Site> path) {
        return buffers.get(path);
    }

    // What was found.

    Collection<Entry> entries() {
        return entries.values();
    }

    /** By name. */
    SortedMap<String, Buffer> buffers() {
        SortedMap<String, Buffer> byName = new TreeMap<>();
        buffers.values().forEach(buffer -> byName.put(buffer.name(), buffer));
        return byName;
    }

    SortedSet<String> unresolved() {
        return unresolved;
    }

    /** Functions that some stage calls and that are also run as events. */
    SortedSet<String> reachedBothWays() {
        SortedSet<String> both = new TreeSet<>();
        for (Entry entry : entries.values()) {
            entry.starts.stream()
                    .filter(start -> called.contains(start.method()))
                    .forEach(start -> both.add(start.method().toString()));
        }
        return both;
    }
}
