// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Calls a {@link MelySimulation} method once for each seed. One JUnit invocation stands for all, as thousands would drown the report. */
final class MelySimulationExtension implements TestTemplateInvocationContextProvider {
    private static final String SEED = "mely.simulation.seed";
    private static final String SEEDS = "mely.simulation.seeds";

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Method method = context.getRequiredTestMethod();
        MelySimulation annotation = method.getAnnotation(MelySimulation.class);
        if (annotation == null || !Arrays.equals(method.getParameterTypes(), new Class<?>[] {Simulation.World.class})) {
            throw new ExtensionConfigurationException(
                    "a method with @MelySimulation has one parameter, Simulation.World: method=" + method);
        }
        check(annotation.seeds() > 0, "seeds must be > 0: seeds=" + annotation.seeds());
        check(annotation.cores() > 0, "cores must be > 0: cores=" + annotation.cores());
        check(annotation.actions() > 0, "actions must be > 0: actions=" + annotation.actions());
        return Stream.of(new AllSeeds(annotation, property(SEED), property(SEEDS)));
    }

    private static void check(boolean isValid, String message) {
        if (!isValid) {
            throw new ExtensionConfigurationException("@MelySimulation: " + message);
        }
    }

    private static @Nullable Long property(String name) {
        String text = System.getProperty(name);
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw new ExtensionConfigurationException(name + " must be a whole number: " + name + "=" + text, e);
        }
    }

    private static final class AllSeeds
            implements TestTemplateInvocationContext, InvocationInterceptor, ParameterResolver {
        private final MelySimulation annotation;
        private final boolean isOne;
        private final long first;
        private final long last;

        AllSeeds(MelySimulation annotation, @Nullable Long seed, @Nullable Long seeds) {
            this.annotation = annotation;
            isOne = seed != null;
            first = seed != null ? seed : 1;
            last = seed != null ? seed : seeds != null ? seeds : annotation.seeds();
        }

        @Override
        public String getDisplayName(int invocationIndex) {
            return isOne ? "seed " + first : "seeds " + first + " to " + last;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Simulation.World.class;
        }

        @Override
        public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return null; // each seed has its own
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context) {
            invocation.skip();
            Method method = call.getExecutable();
            method.setAccessible(true);
            Object test = context.getRequiredTestInstance();
            for (long seed = first; seed <= last; seed++) {
                run(seed, test, method);
            }
        }

        private void run(long seed, Object test, Method method) {
            Set<Fault> faults = EnumSet.noneOf(Fault.class);
            faults.addAll(List.of(annotation.faults()));
            Simulation simulation = Simulation.ofSeed(seed)
                    .cores(annotation.cores())
                    .actions(annotation.actions())
                    .faults(faults);
            Simulation.Result result =
                    (isOne ? simulation.traced() : simulation).tryRun(world -> setUp(test, method, world));
            if (isOne && result.trace() != null) {
                System.out.println(String.join(System.lineSeparator(), result.trace()));
            }
            Violation violation = result.violation();
            if (violation != null) {
                throw new AssertionError(
                        violation.getMessage() + System.lineSeparator() + "This was schedule " + (seed - first + 1)
                                + " of " + (last - first + 1) + ". To see its steps: -D" + SEED + "=" + seed,
                        violation);
            }
        }

        private static void setUp(Object test, Method method, Simulation.World world) {
            try {
                method.invoke(test, world);
            } catch (InvocationTargetException e) {
                throw new IllegalStateException("the method threw while it set up a run", e.getCause());
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
