// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Color;
import io.mely.queue.ColorHomes;
import io.mely.queue.ColorIndex;
import io.mely.queue.ColorQueue;
import io.mely.queue.MixedColor;
import io.mely.runtime.EngineRuntime;
import io.mely.runtime.MelyRuntime;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

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
        try {
            if (runtimeOf(color) instanceof MelyRuntime runtime) {
                ColorQueue queue = queueOf(runtime, color);
                return queue == null || queue.isIdle();
            }
            return field(MixedColor.class, "pending").getInt(color) == 0
                    && !field(MixedColor.class, "isRunning").getBoolean(color);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    static void set(Color color, int home) {
        try {
            if (runtimeOf(color) instanceof MelyRuntime runtime) {
                ColorQueue queue = queueOf(runtime, color);
                if (queue != null) {
                    field(ColorQueue.class, "home").setShort(queue, (short) home);
                }
                Method move = ColorHomes.class.getDeclaredMethod("move", int.class, int.class);
                move.setAccessible(true);
                move.invoke(field(MelyRuntime.class, "homes").get(runtime), numberOf(color), home);
            } else {
                field(color.getClass(), "home").setInt(color, home);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the runtime keeps a color's home elsewhere now", e);
        }
    }

    private static EngineRuntime runtimeOf(Color color) {
        return ((io.mely.runtime.EngineColor) color).runtime();
    }

    private static int numberOf(Color color) {
        return color.slot() + 1;
    }

    /** What is a core's of a color; null if it has not had any. */
    private static @Nullable ColorQueue queueOf(MelyRuntime runtime, Color color) throws IllegalAccessException {
        Object index = field(MelyRuntime.class, "index").get(runtime);
        ColorQueue[] queues = (ColorQueue[]) field(ColorIndex.class, "queues").get(index);
        return numberOf(color) < queues.length ? queues[numberOf(color)] : null;
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
