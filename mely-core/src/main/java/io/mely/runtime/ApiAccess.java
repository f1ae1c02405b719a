// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Mely;
import io.mely.MelyBuilder;
import org.jspecify.annotations.Nullable;

/** What the runtime and its tests need of the classes of {@code io.mely} that is not part of the API. {@link Mely} sets it. */
public abstract class ApiAccess {
    private static volatile @Nullable ApiAccess access;

    /**
     * Opens it, once.
     *
     * @param given by {@link Mely}
     */
    public static void set(ApiAccess given) {
        access = given;
    }

    static ApiAccess get() {
        ApiAccess known = access;
        if (known == null) {
            MelyBuilder unused = Mely.builder(); // Mely was not used before
            known = access;
        }
        assert known != null : "Mely sets it first of all";
        return known;
    }

    /** Puts the API in front of a runtime. */
    protected abstract Mely mely(MelyRuntime runtime);

    /** What is behind it. */
    protected abstract MelyRuntime runtime(Mely mely);

    /** What a builder would build. */
    protected abstract RuntimeConfig config(MelyBuilder builder);

    /** The hooks of a builder. */
    protected abstract Hooks hooks(MelyBuilder builder);

    /** Sets them. */
    protected abstract void setHooks(MelyBuilder builder, Hooks hooks);
}
