// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.queue.ColorQueue;
import io.mely.queue.MixedColor;
import java.lang.reflect.Field;

/**
 * Where colors live. The paper's rounds begin with all colors on the first core, which no runtime offers: an idle color is put back by hand, at no
 * cost. It is the only place where the simulator changes something of the runtime's.
 */
final class Homes {
    private Homes() {}

    static int of(Color color) {
        return ((io.mely.runtime.EngineColor) color).homeCore();
    }

    static boolean isIdle(Color color) {
        if (color instanceof ColorQueue queue) {
            return queue.isIdle();
        }
        try {
            return field(MixedColor.class, "pending").getInt(color) == 0
                    && !field(MixedColor.class, "isRunning").getBoolean(color);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    static void set(Color color, int home) {
        try {
            if (color instanceof ColorQueue) {
                field(ColorQueue.class, "home").setShort(color, (short) home);
            } else {
                field(color.getClass(), "home").setInt(color, home);
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Class<?> of, String name) {
        try {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("the runtime keeps a color's home elsewhere now", e);
        }
    }
}
