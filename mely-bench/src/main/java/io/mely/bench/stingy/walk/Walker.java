// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.walk.Atom.Made;
import io.mely.bench.stingy.walk.Body.Call;
import io.mely.bench.stingy.walk.Effects.Effect;
import io.mely.bench.stingy.walk.Entry.Start;
import io.mely.bench.stingy.walk.Resolver.Known;
import io.mely.bench.stingy.walk.Resolver.Resolved;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Follows the calls of one entry, and notes in it what its methods do. */
final class Walker {
    private final Graph graph;
    private final Program program;
    private final Effects effects;
    private final Resolver resolver;
    private final Said said;
    private final Entry entry;
    private final Set<List<Object>> seen = new HashSet<>();
    private final List<Step> open = new ArrayList<>();
    private final Map<MethodId, Set<MethodId>> calls = new HashMap<>();
    private final Set<MethodId> recursive = new HashSet<>();

    private record Step(MethodId method, boolean isInLoop, boolean isAlways) {}

    Walker(Graph graph, Entry entry) {
        this.graph = graph;
        this.entry = entry;
        program = graph.program();
        effects = graph.effects();
        resolver = graph.resolver();
        said = graph.said();
    }

    /** Twice: what a recursive method allocates it may allocate any number of times, and which are recursive is known after the first time. */
    void walk() {
        walkOnce();
        calls.keySet().stream().filter(this::isRecursive).forEach(recursive::add);
        if (!recursive.isEmpty()) {
            seen.clear();
            walkOnce();
        }
    }

    private boolean isRecursive(MethodId method) {
        Set<MethodId> reached = new HashSet<>();
        Deque<MethodId> next = new ArrayDeque<>(calls.getOrDefault(method, Set.of()));
        while (!next.isEmpty()) {
            MethodId each = next.pop();
            if (each.equals(method)) {
                return true;
            }
            if (reached.add(each)) {
                next.addAll(calls.getOrDefault(each, Set.of()));
            }
        }
        return false;
    }

    private void walkOnce() {
        for (Start start : entry.starts) {
            step(start.method(), false, entry.starts.size() == 1);
            opened(start.method(), start.args(), start.maker(), false, entry.starts.size() == 1);
        }
        while (!open.isEmpty()) {
            visit(open.remove(open.size() - 1));
        }
    }

    private void step(MethodId method, boolean isInLoop, boolean isAlways) {
        if (seen.add(List.of(method, isInLoop, isAlways))) {
            open.add(new Step(method, isInLoop, isAlways));
        }
    }

    /** What a method does with what a function gives it. */
    private void opened(MethodId method, List<Values> args, MethodId maker, boolean isInLoop, boolean isAlways) {
        for (Effect effect : effects.open(method)) {
            if (effect.isOf(args)) {
                apply(effect.with(args), maker, isInLoop, isAlways);
            } else {
                apply(effect, method, isInLoop, isAlways);
            }
        }
    }

    private void visit(Step step) {
        Body body = program.body(step.method);
        if (body == null) {
            return;
        }
        entry.methods.add(step.method);
        boolean isRepeated = step.isInLoop || recursive.contains(step.method);
        for (Effect effect : effects.own(step.method)) {
            apply(effect, step.method, isRepeated, step.isAlways);
        }
        for (Call call : body.calls()) {
            follow(call, step);
        }
    }

    private void apply(Effect effect, MethodId in, boolean isInLoop, boolean isAlways) {
        switch (effect.kind()) {
            case SEND, RUN_LATER -> entry.next.addAll(graph.receivers(effect, in, true));
            case ALLOCATE ->
                entry.allocs.merge(
                        graph.addBuffer(effect, in).name(), isInLoop || effect.isInLoop(), Boolean::logicalOr);
            case FREE -> free(effect, in, isAlways && effect.isAlways());
            case CALL -> call(effect, in);
            case STAGE -> {}
        }
    }

    private void free(Effect effect, MethodId in, boolean isAlways) {
        List<String> names = said.frees(effect.site());
        if (!names.isEmpty()) {
            names.forEach(name -> entry.frees.merge(name, isAlways, Boolean::logicalOr));
            return;
        }
        Resolved freed = resolver.resolve(effect.args().get(0), in);
        Set<String> found = new TreeSet<>();
        for (Made made : freed.atoms(Made.class)) {
            Buffer buffer = graph.buffer(made.path());
            if (buffer != null) {
                found.add(buffer.name());
                Site allocated = buffer.path().get(0);
                boolean isSameMethod = allocated.method().equals(effect.site().method());
                if (isSameMethod && allocated.index() < effect.site().index() && !effect.isInLoop()) {
                    entry.freedAfter.add(buffer.name());
                }
            }
        }
        boolean isSure = isAlways && found.size() == 1 && freed.isComplete();
        found.forEach(name -> entry.frees.merge(name, isSure, Boolean::logicalOr));
        if (found.isEmpty()) {
            graph.unresolved("object released at " + effect.site());
        }
    }

    private void follow(Call call, Step step) {
        Set<MethodId> targets = program.targets(call);
        boolean isInLoop = step.isInLoop || call.isInLoop() || recursive.contains(step.method);
        boolean isAlways = step.isAlways && call.isAlways();
        targets.forEach(target -> {
            graph.called(target);
            calls.computeIfAbsent(step.method, key -> new HashSet<>()).add(target);
            step(target, isInLoop, isAlways && targets.size() == 1);
        });
        if (targets.isEmpty() && !program.isOfFunction(call)) {
            run(passed(call, step.method));
        }
    }

    private void run(List<Known> functions) {
        for (Known known : functions) {
            Atom.Function function = (Atom.Function) known.atom();
            for (MethodId target : program.targets(function)) {
                graph.called(target);
                step(target, true, false); // whoever is given it may run it several times, or not at all
                opened(target, program.captured(function, target), known.in(), true, false);
            }
        }
    }

    /** A call of an interface's method, of which there are functions: which of them? */
    private void call(Effect effect, MethodId in) {
        Resolved receiver = resolver.resolve(effect.args().get(0), in);
        run(receiver.known().stream()
                .filter(known -> known.atom() instanceof Atom.Function)
                .toList());
        List<String> names = said.calls(effect.site());
        if (!names.isEmpty()) {
            for (Body body : program.bodies()) {
                if (names.contains(body.id().toString())) {
                    graph.called(body.id());
                    step(body.id(), true, false);
                }
            }
        } else if (receiver.known().isEmpty() && !receiver.isComplete()) {
            graph.unresolved("function called at " + effect.site());
        }
    }

    /** Functions given to a method that is not analysed: it runs them, unless it has them run as events. */
    private List<Known> passed(Call call, MethodId in) {
        Rules.Rule rule = program.rule(call);
        if (rule != null && !(rule.kind() == Rules.Kind.RUN_LATER && rule.first() < 0)) {
            return List.of();
        }
        List<Known> functions = new ArrayList<>();
        for (Values arg : call.args()) {
            boolean mayBeFunction =
                    arg.atoms().stream().anyMatch(atom -> atom instanceof Atom.Function || atom instanceof Atom.Param);
            if (mayBeFunction) {
                resolver.resolve(arg, in).known().stream()
                        .filter(known -> known.atom() instanceof Atom.Function function
                                && !program.isCalledFromOutside(function.type()))
                        .forEach(functions::add);
            }
        }
        return functions;
    }
}
