// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.util.function.UnaryOperator;

/** Lets a test change a part of what a builder was given. */
public final class BuilderAccess {
    private BuilderAccess() {}

    /** Tunes the cores, whatever the policy. */
    public static MelyBuilder tune(MelyBuilder builder, UnaryOperator<Policy> change) {
        return builder.policy(change.apply(builder.policies.get(StageOptions.GROUP_DEFAULT)));
    }
}
