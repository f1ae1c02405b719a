// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Stage;

/** Colors by slot, for tests in which it matters where a color lives. */
public final class Slots {
    private Slots() {}

    /** The color of a slot of a stage's runtime. */
    public static Color of(Stage<?> stage, int slot) {
        return ((StageImpl<?>) stage).color().runtime().colorAt(slot);
    }
}
