// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.ModelCheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Short events run where they are, in a group without the lock, while others send, drain, and take back what has not
// begun: each runs once, one of a color at a time, and those of a sender in its order.
@Tag("model")
class ShortQueueLincheckTest {
    /** With short-queues. */
    public static class ShortModel extends ColorModel {
        /** All idle. */
        public ShortModel() {
            super(true);
        }
    }

    private static ModelCheck check(Class<? extends ColorModel> model) {
        return ColorModel.check(model)
                .scenario("", "send 0 21; send 1 22; send 0 23 | core 0; core 0 | drain 0", "")
                .scenario("send 0 21; send 1 22; send 1 23", "core 0; core 0 | steal 1; core 1 | send 0 24", "")
                .scenario("", "sendFrom 0 0 1; sendFrom 0 1 2; sendFrom 0 1 3; core 0 | steal 1; core 1", "")
                .scenario("", "send 1 21; send 1 22; send 1 23 | core 0; core 0 | stealWorthy 1; core 1", "")
                .scenario("send 0 29", "core 0; core 0 | send 0 31; drain 0", "")
                .scenario("send 0 21", "core 0; give 0 0; core 0 | send 0 22; send 0 23 | core 1; core 1", "");
    }

    /** An heir that does not know what it gets. */
    public static class Unexpected extends ShortModel {
        @Override
        void expect(CoreQueue heir, int number) {}
    }

    // It runs a short event at once, while an earlier one is on its way from the color's old home.
    @Test
    void colorThatIsGivenToWhoDoesNotExpectIt_isFound() {
        ColorModel.check(Unexpected.class)
                .scenario("", "send 0 21; send 0 22 | give 0 0 | core 1", "")
                .isBrokenBy(1);
    }

    @Test
    void everyEventRunsOnce_inOrder_oneAtATime() {
        check(ShortModel.class).holds();
    }
}
