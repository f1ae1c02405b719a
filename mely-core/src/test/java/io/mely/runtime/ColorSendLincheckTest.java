// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Whatever senders and a core do at the same time: each event runs once, one of a color at a time, and those of a
// sender in its order.
@Tag("model")
class ColorSendLincheckTest {
    private static ModelCheck check(Class<? extends ColorModel> model) {
        return ColorModel.check(model)
                .scenario("", "send 0 21; send 0 22 | send 0 31; send 0 32 | core 0; core 0", "")
                .scenario("", "send 0 21; send 1 22; send 0 23 | sendFrom 0 0 1; core 0; sendFrom 0 0 2", "")
                .scenario("send 0 21", "send 0 22; send 0 23 | drain 0; drain 0 | core 0; core 0", "")
                .scenario("send 0 29", "core 0; core 0 | send 0 31; drain 0", "");
    }

    @Test
    void everyEventRunsOnce_inOrder_oneAtATime() {
        check(ColorModel.class).holds();
    }
}
