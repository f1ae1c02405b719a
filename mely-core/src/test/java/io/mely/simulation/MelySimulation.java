// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A JUnit 5 test that runs your stages under thousands of schedules.
 *
 * <pre>{@code
 * @MelySimulation(seeds = 2_000)
 * void leavingIsTheLastThingARoomHears(Simulation.World world) {
 *     Room room = new Room(world.mely());
 *     world.outsideThread("client", room.client("hello", "bye"));
 *     world.checkAtEnd(() -> assertThat(room.heard()).containsExactly("hello", "bye", "left"));
 * }
 * }</pre>
 *
 * <p>The method sets up one run: it makes stages on {@link Simulation.World#mely}, adds the threads that send, and says what must hold. It is
 * called once for each seed. Then the cores, those threads, timers and the close take their steps, all on one thread, in virtual time, in the
 * order that the seed decides, with the {@link #faults} it chooses. What the runtime promises is checked as well.
 *
 * <p>Keep state in the method or in objects it makes: fields of the test class are shared by all seeds. Handlers must not read the real
 * clock, wait for other threads, or use {@code Mely.blocking}: a run is repeated exactly only if nothing but the seed decides.
 *
 * <p><b>Errors.</b> The first seed that fails ends the test; the message says how to run that seed alone. <b>Settings.</b> The system property
 * {@code mely.simulation.seed} runs one seed and prints its steps; {@code mely.simulation.seeds} replaces the number of seeds.
 * <b>Costs.</b> About 10,000 seeds of a small application in a few seconds.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@TestTemplate
@ExtendWith(MelySimulationExtension.class)
public @interface MelySimulation {
    /**
     * How many schedules.
     *
     * @return &gt; 0; seeds 1 to this are run
     */
    int seeds() default 1_000;

    /**
     * Cores of the runtime.
     *
     * @return 1 or more
     */
    int cores() default 2;

    /**
     * Random steps in a run before faults end and everything must come to rest.
     *
     * @return &gt; 0
     */
    int actions() default 400;

    /**
     * What may go wrong.
     *
     * @return all, if not set
     */
    Fault[] faults() default {
        Fault.PREEMPTION,
        Fault.SLOW_DRAIN,
        Fault.REFUSED_LOCK,
        Fault.SPURIOUS_WAKEUP,
        Fault.DELAYED_WAKEUP,
        Fault.CLOCK_JUMP,
        Fault.THROWING_HANDLER,
        Fault.STALLED_HANDLER
    };
}
