// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.Policy;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a woven campaign tests: the runtime with its own policies, or a policy of any module.
 *
 * <p>The class that makes the policy has a public constructor without arguments. If it is a {@code Runnable} too, it is run after each step, and throws an
 * AssertionError if the group that it made last is unsound.
 *
 * <p>All stages of the workload are of that policy. It must keep colors serial and in order, and give the default color to what is sent without one.
 *
 * @param policy makes it; null: the runtime's own policies
 * @param sample any class of the policy's package, whose classes are woven as the runtime's are; null if policy is
 * @param undivided methods of that package that nobody interrupts once they have begun, as {@code SmpCore.move}. For what others would wait for, as the simulation is one thread and
 *     they would wait in vain for what is below them on the stack. What they take is as a spin lock's: see {@link Yield#locked}
 */
public record Subject(
        @Nullable Class<? extends Supplier<Policy>> policy,
        @Nullable Class<?> sample,
        Set<String> undivided) {
    /** The runtime with its own policies. */
    public static final Subject RUNTIME = new Subject(null, null, Set.of());

    String policyName() {
        return policy == null ? "" : policy.getName();
    }
}
