// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// An event that takes the place of the running one overtakes nothing that its sender has sent to the color before,
// although the color
// settles on another thread at that moment.
@Tag("model")
class FusedLincheckTest {
    @Test
    void fusedEvent_overtakesNothing() {
        ColorModel.check(ColorModel.class)
                .invocations(5_000)
                .scenario("send 0 29; drain 0; send 1 31", "steal 1 | drain 0; drain 1", "")
                .holds();
    }
}
