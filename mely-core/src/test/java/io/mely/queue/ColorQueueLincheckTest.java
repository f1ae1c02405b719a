// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.ModelCheck;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Whatever senders, a core and a thief do at the same time: the events of a color run once, one at a time, and in an
// order in which they may have been sent.
@Tag("model")
class ColorQueueLincheckTest {
    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.privateLookupIn(ColorQueue.class, MethodHandles.lookup())
                    .findVarHandle(ColorQueue.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static ModelCheck check(Class<? extends ColorModel> model) {
        return ModelCheck.of(model, ColorModel.Specification.class)
                .scenario("send 0 1", "send 0 2 | core 0", "ran 0")
                .scenario("", "send 0 1; send 0 2 | send 0 3 | core 0; core 0", "ran 0")
                .scenario("", "send 0 1; send 0 2 | core 0; core 0 | steal 1", "ran 0")
                .scenario("send 0 1; send 0 2; send 1 5", "send 0 3 | core 0 | stealWorthy 1; core 1", "ran 0; ran 1")
                .scenario("send 0 1; steal 1", "send 0 2; send 0 3 | core 1 | steal 0; core 0", "ran 0");
    }

    @Test
    void everyEventRunsOnce_inOrder_oneAtATime() {
        check(ColorModel.class).holds();
    }

    /** A sender that reads and writes the tail where it should exchange it. */
    public static class NoExchange extends ColorModel {
        @Override
        boolean append(ColorQueue color, EventRecord record) {
            int before = (int) TAIL.getVolatile(color);
            if (before == EventRecord.NONE) {
                return color.append(record);
            }
            TAIL.setVolatile(color, record.id);
            records.at(before).nextRelease(record);
            return false;
        }
    }

    @Test
    void noExchange_isFound() {
        check(NoExchange.class).isBrokenBy(2);
    }

    /** A runner that looks at the tail and then clears it, where it should compare and set. */
    public static class NoCas extends ColorModel {
        @Override
        EventRecord advance(ColorQueue color, EventRecord record) {
            if (color.onlyRecord() != null) {
                TAIL.setVolatile(color, EventRecord.NONE);
                return null;
            }
            return color.advance(record);
        }
    }

    @Test
    void noCas_isFound() {
        check(NoCas.class).isBrokenBy(1);
    }

    /** A runner that asks the color whether it is idle, when that is no longer its own. */
    public static class LateLook extends ColorModel {
        @Override
        boolean isIdle(ColorQueue color, boolean wasLast) {
            return color.isIdle();
        }
    }

    @Test
    void lateLook_isFound() {
        check(LateLook.class).isBrokenBy(1);
    }
}
