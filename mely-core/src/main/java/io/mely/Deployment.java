// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Which groups a runtime has, and what is other than its program says of its stages: so the same program runs under any policy.
 *
 * <pre>
 *   new Deployment()
 *       .withGroup("staged", Policy.of("cohort", VisitPolicy.cohort()))
 *       .withGroup("calls", Policy.passThrough())
 *       .withStage("parse", options -&gt; options.withGroup("staged"))
 *       .withStage("log", options -&gt; options.withGroup("calls"))
 *       .applyTo(Mely.builder()).build()
 * </pre>
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Deployment {
    private final Map<String, Policy> groups;
    private final Map<String, UnaryOperator<StageOptions>> stages;

    /** Changes nothing. */
    public Deployment() {
        this(Map.of(), Map.of());
    }

    private Deployment(Map<String, Policy> groups, Map<String, UnaryOperator<StageOptions>> stages) {
        this.groups = groups;
        this.stages = stages;
    }

    /**
     * Adds a group, or replaces one of the program. The group of stages that name none is {@link StageOptions#GROUP_DEFAULT}; a policy for it that says nothing of the cores leaves them as the
     * program has tuned them.
     *
     * @param name of the group
     * @param policy of its stages
     * @return a changed copy
     */
    public Deployment withGroup(String name, Policy policy) {
        MelyBuilder.checkGroup(name, policy);
        Map<String, Policy> changed = new LinkedHashMap<>(groups);
        changed.put(name, policy);
        return new Deployment(changed, stages);
    }

    /**
     * Changes what the program says of a stage.
     *
     * @param name of the stage
     * @param change of its options; after an earlier one of the same stage
     * @return a changed copy
     */
    public Deployment withStage(String name, UnaryOperator<StageOptions> change) {
        Map<String, UnaryOperator<StageOptions>> changed = new LinkedHashMap<>(stages);
        UnaryOperator<StageOptions> before = stages.get(Objects.requireNonNull(name, "name"));
        Objects.requireNonNull(change, "change");
        changed.put(name, before == null ? change : options -> change.apply(before.apply(options)));
        return new Deployment(groups, changed);
    }

    /**
     * The stages that it names, for programs that know theirs.
     *
     * @return sorted
     */
    public Set<String> stageNames() {
        return new TreeSet<>(stages.keySet());
    }

    /**
     * Makes a builder build by it, also after what the program says later.
     *
     * @param builder to change
     * @return the same builder
     */
    public MelyBuilder applyTo(MelyBuilder builder) {
        builder.deployment = this;
        return builder;
    }

    /**
     * The most threads beside the cores that its groups have at once, for programs that keep something for each thread.
     *
     * @param program names of all stages of the program
     * @return 0 if there are no pools
     */
    public int threadsMax(Collection<String> program) {
        Map<String, List<String>> members = new HashMap<>();
        List<String> main = members.computeIfAbsent(StageOptions.GROUP_DEFAULT, group -> new ArrayList<>());
        main.add(Policy.EXECUTE);
        for (String stage : program) {
            String group = change(stage, StageOptions.defaults()).group();
            Policy policy = groups.get(group);
            boolean isCalled = policy != null && policy.isPassThrough();
            (isCalled ? main : members.computeIfAbsent(group, name -> new ArrayList<>())).add(stage);
        }
        int threads = 0;
        for (Map.Entry<String, Policy> group : groups.entrySet()) {
            threads += group.getValue().threadsMax(members.getOrDefault(group.getKey(), List.of()));
        }
        return threads;
    }

    /** The policies of a program's groups and of its own. */
    Map<String, Policy> policies(Map<String, Policy> ofProgram) {
        Map<String, Policy> all = new LinkedHashMap<>(ofProgram);
        all.putAll(groups);
        Policy main = groups.get(StageOptions.GROUP_DEFAULT);
        Policy programs = ofProgram.get(StageOptions.GROUP_DEFAULT);
        if (main != null && programs != null) {
            all.put(StageOptions.GROUP_DEFAULT, main.onCoresOf(programs));
        }
        return all;
    }

    StageOptions change(String stage, StageOptions options) {
        UnaryOperator<StageOptions> change = stages.get(stage);
        return change == null ? options : change.apply(options);
    }
}
