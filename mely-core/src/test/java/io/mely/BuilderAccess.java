// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.runtime.RuntimeConfig;

/** Lets a simulator see what a builder would build. */
public final class BuilderAccess {
    private BuilderAccess() {}

    /** The settings of a builder. */
    public static RuntimeConfig config(MelyBuilder builder) {
        return builder.config();
    }
}
