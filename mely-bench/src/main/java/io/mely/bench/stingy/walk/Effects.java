// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.mely.bench.stingy.walk.Atom.Made;
import io.mely.bench.stingy.walk.Body.Call;
import io.mely.bench.stingy.walk.Rules.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What each method does to stages and buffers.
 *
 * <p>An effect whose stage, function or buffer is a parameter of the method belongs to its callers: a method that passes its argument to {@code send} is a way to send. So does one that makes
 * a stage or a buffer out of its parameters and returns it: its callers are the allocation sites. Such effects are lifted until they depend on no parameter.
 */
final class Effects {
    /** Calls inside each other through which an effect is lifted; beyond, parameters stand for what any caller gives. A guess. */
    private static final int LIFTS_MAX = 6;

    private final Program program;
    private final Map<MethodId, Set<Effect>> own = new HashMap<>();
    private final Map<MethodId, Set<Effect>> open = new HashMap<>();

    /**
     * One.
     *
     * @param kind what is done
     * @param path the call that does it, and before it those through which it was lifted
     * @param args what matters of it: of a stage its name and handler, of an allocation its size, else what is sent to, run or freed
     * @param isInLoop whether one run of the method may do it several times
     * @param isAlways whether every run does it
     */
    record Effect(Rules.Kind kind, List<Site> path, List<Values> args, boolean isInLoop, boolean isAlways) {
        /** Where it is done. */
        Site site() {
            return path.get(0);
        }

        /** As a caller does it. */
        Effect by(Call call, boolean isOnlyTarget) {
            List<Site> longer =
                    Stream.concat(Stream.of(call.site()), path.stream()).toList();
            List<Values> given = args.stream()
                    .map(each -> each.given(call.args(), call.site()))
                    .toList();
            return new Effect(
                    kind, longer, given, isInLoop || call.isInLoop(), isAlways && call.isAlways() && isOnlyTarget);
        }

        /** Whether what matters of it is among some first arguments. */
        boolean isOf(List<Values> first) {
            return args.stream()
                    .flatMap(each -> each.atoms().stream())
                    .allMatch(atom -> !(atom instanceof Atom.Param param) || param.index() < first.size());
        }

        /** As it is done when the method is run with some arguments. */
        Effect with(List<Values> given) {
            return new Effect(
                    kind,
                    path,
                    args.stream().map(each -> each.given(given, null)).toList(),
                    isInLoop,
                    isAlways);
        }
    }

    Effects(Program program) {
        this.program = program;
        Map<MethodId, List<Effect>> fresh = new HashMap<>();
        for (Body body : program.bodies()) {
            for (Call call : body.calls()) {
                for (Effect effect : direct(call)) {
                    put(body, effect, fresh);
                }
            }
        }
        for (int lift = 1; !fresh.isEmpty(); lift++) {
            fresh = lift(fresh, lift < LIFTS_MAX);
        }
    }

    private List<Effect> direct(Call call) {
        Rule rule = program.rule(call);
        if (rule == null) {
            return program.isOfFunction(call)
                    ? List.of(effect(Rules.Kind.CALL, call, call.args().get(0)))
                    : List.of();
        }
        List<Values> args = new ArrayList<>();
        switch (rule.kind()) {
            case STAGE -> {
                args.add(call.args().get(rule.first()));
                args.add(call.args().get(rule.second()));
            }
            case ALLOCATE -> args.add(Program.sizeOf(rule, call));
            case SEND, FREE, CALL -> args.add(call.args().get(rule.first()));
            case RUN_LATER -> {
                Values functions = Values.none(1);
                for (int i = 0; i < call.args().size(); i++) {
                    if (rule.first() == i || rule.first() < 0) {
                        functions = functions.or(call.args().get(i));
                    }
                }
                args.add(functions);
            }
        }
        return List.of(new Effect(rule.kind(), List.of(call.site()), args, call.isInLoop(), call.isAlways()));
    }

    private static Effect effect(Rules.Kind kind, Call call, Values arg) {
        return new Effect(kind, List.of(call.site()), List.of(arg), call.isInLoop(), call.isAlways());
    }

    private void put(Body body, Effect effect, Map<MethodId, List<Effect>> fresh) {
        if (!isForCallers(body, effect)) {
            own.computeIfAbsent(body.id(), key -> new LinkedHashSet<>()).add(effect);
        } else if (open.computeIfAbsent(body.id(), key -> new LinkedHashSet<>()).add(effect)) {
            fresh.computeIfAbsent(body.id(), key -> new ArrayList<>()).add(effect);
        }
    }

    private static boolean isForCallers(Body body, Effect effect) {
        return switch (effect.kind) {
            case SEND, FREE, RUN_LATER, CALL -> effect.args.get(0).hasParam();
            case STAGE, ALLOCATE ->
                effect.args.stream().anyMatch(Values::isOpen)
                        && body.returned().atoms().stream()
                                .anyMatch(atom ->
                                        atom instanceof Made made && made.path().equals(effect.path));
        };
    }

    private Map<MethodId, List<Effect>> lift(Map<MethodId, List<Effect>> lifted, boolean isGoingOn) {
        Map<MethodId, List<Effect>> fresh = new HashMap<>();
        for (Body body : program.bodies()) {
            for (Call call : body.calls()) {
                Set<MethodId> targets = program.targets(call);
                for (MethodId target : targets) {
                    for (Effect effect : lifted.getOrDefault(target, List.of())) {
                        Effect here = effect.by(call, targets.size() == 1);
                        if (isGoingOn && !effect.path.contains(call.site())) {
                            put(body, here, fresh);
                        } else {
                            own.computeIfAbsent(body.id(), key -> new LinkedHashSet<>())
                                    .add(here);
                        }
                    }
                }
            }
        }
        return fresh;
    }

    /** What a method does whoever calls it. */
    Set<Effect> own(MethodId method) {
        return own.getOrDefault(method, Set.of());
    }

    /** What it does with what it is given. */
    Set<Effect> open(MethodId method) {
        return open.getOrDefault(method, Set.of());
    }
}
