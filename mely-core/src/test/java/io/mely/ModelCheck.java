// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.LinearizabilityVerifier;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;
import org.jetbrains.lincheck.util.LoggingLevel;

/**
 * Looks at the schedules of a model: a class whose operations call production code, and whose results must be those of a sequential
 * specification in some order. Says how many schedules it has seen.
 *
 * <p>A scenario is written in three parts: what happens before, the threads, what happens after; operations are parted by semicolons and
 * threads by bars, as in {@code "send 0 1; send 0 2 | core 0 | steal 1"}. An operation takes ints.
 *
 * <p>{@code -Dmely.lincheck.scale=N} looks at N times as many schedules of each scenario.
 */
public final class ModelCheck {
    private static final int SCALE = Integer.getInteger("mely.lincheck.scale", 1);

    private final Class<?> model;
    private final ModelCheckingOptions options = new ModelCheckingOptions();
    /** Schedules a twin is given. Most need fewer than 500; which are tried changes with each access of the production code. */
    private static final int TWIN_INVOCATIONS = 5_000;

    /** More than any loop of the production code takes that waits for nothing. */
    private static final int LOOPS = 32;

    /** A search of fewer schedules a scenario has not looked. */
    private static final int SEEN_MIN = 10;

    private int invocations = 250;
    private final List<ExecutionScenario> scenarios = new ArrayList<>();

    private ModelCheck(Class<?> model, Class<?> specification) {
        this.model = model;
        options.sequentialSpecification(specification)
                .verifier(Counting.class)
                .loopBound(500)
                .loopIterationsBeforeThreadSwitch(
                        LOOPS) // a loop that is taken for a spin before the threads begin ends the search
                .minimizeFailedScenario(false)
                .logLevel(LoggingLevel.ERROR);
    }

    /** A check of one model. */
    public static ModelCheck of(Class<?> model, Class<?> specification) {
        return new ModelCheck(model, specification);
    }

    /** Most schedules of one scenario. */
    public ModelCheck invocations(int count) {
        invocations = count;
        return this;
    }

    /** Adds a scenario. */
    public ModelCheck scenario(String before, String threads, String after) {
        List<List<Actor>> parallel = new ArrayList<>();
        for (String thread : threads.split("\\|")) {
            parallel.add(actors(thread));
        }
        scenarios.add(new ExecutionScenario(actors(before), parallel, actors(after), validation()));
        return this;
    }

    /** Does not look inside a class: its methods are single steps. */
    public ModelCheck asSteps(String... classes) {
        options.addGuarantee(
                ManagedStrategyGuaranteeKt.forClasses(classes).allMethods().ignore());
        return this;
    }

    /** No schedule of any scenario may break the model. */
    public void holds() {
        run(scenarios, () -> check(invocations * SCALE));
        assertThat(Counting.SEEN).as("scenarios of %s", model).hasSize(scenarios.size());
        assertThat(Counting.SEEN.values())
                .as("schedules of each scenario of %s", model)
                .allMatch(seen -> seen > SEEN_MIN);
    }

    /** Some schedule of one scenario must break the model, within {@link #TWIN_INVOCATIONS}. */
    public void isBrokenBy(int scenario) {
        run(
                scenarios.subList(scenario - 1, scenario),
                () -> assertThatThrownBy(() -> check(TWIN_INVOCATIONS))
                        .as("a twin that nothing finds: %s", model)
                        .isInstanceOf(LincheckAssertionError.class));
    }

    private void run(List<ExecutionScenario> of, Runnable body) {
        long startNs = System.nanoTime();
        Counting.SEEN.clear();
        of.forEach(options::addCustomScenario);
        body.run();
        System.out.printf(
                "%s: %d scenarios, %d schedules without a finding, %d ms%n",
                model.getName(), of.size(), Counting.all(), (System.nanoTime() - startNs) / 1_000_000);
    }

    private void check(int schedules) {
        options.invocationsPerIteration(schedules).iterations(0).check(model);
    }

    private List<Actor> actors(String text) {
        List<Actor> actors = new ArrayList<>();
        for (String call : text.split(";")) {
            String[] words = call.trim().split(" ");
            if (!words[0].isEmpty()) {
                Object[] arguments = Arrays.stream(words, 1, words.length)
                        .map(Integer::valueOf)
                        .toArray();
                actors.add(new Actor(operation(words[0], arguments.length), List.of(arguments)));
            }
        }
        return actors;
    }

    private Method operation(String name, int arguments) {
        return Arrays.stream(model.getMethods())
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == arguments)
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no operation of the model: " + name));
    }

    private Actor validation() {
        return Arrays.stream(model.getMethods())
                .filter(method -> method.isAnnotationPresent(Validate.class))
                .findAny()
                .map(method -> new Actor(method, List.of()))
                .orElse(null);
    }

    /** Linearizability, counted. */
    public static final class Counting implements Verifier {
        /** By scenario, as text. */
        static final Map<String, Integer> SEEN = new ConcurrentHashMap<>();

        private final Verifier verifier;

        /** As Lincheck makes it, once per scenario. */
        public Counting(Class<?> specification) {
            verifier = new LinearizabilityVerifier(specification);
        }

        static int all() {
            return SEEN.values().stream().mapToInt(Integer::intValue).sum();
        }

        @Override
        public boolean verifyResults(ExecutionScenario scenario, ExecutionResult results) {
            SEEN.merge(scenario.toString(), 1, Integer::sum);
            return verifier.verifyResults(scenario, results);
        }
    }
}
