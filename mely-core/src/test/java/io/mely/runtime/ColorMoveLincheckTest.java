// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// A color is stolen while it is sent to: no event is lost, none runs twice, and those of a sender come in its order.
@Tag("model")
class ColorMoveLincheckTest {
    private static ModelCheck check(Class<? extends ColorModel> model) {
        return ColorModel.check(model)
                .scenario("send 0 21; drain 0", "send 0 22; send 0 23 | steal 1; core 1", "")
                .scenario("send 0 21; drain 0; send 1 31", "send 0 22; send 0 23 | steal 1 | core 0; core 0", "")
                .scenario("send 0 21; send 0 22; drain 0", "send 0 23 | stealWorthy 1; core 1 | steal 0; drain 1", "")
                .scenario("send 0 21; drain 0", "sendFrom 0 0 1; sendFrom 0 0 2; core 0 | steal 1; core 1", "")
                .scenario("send 0 21; send 1 22; drain 0", "send 0 23; send 1 24 | steal 1; core 1 | drain 0", "");
    }

    @Test
    void everyEventRunsOnce_inOrder() {
        check(ColorModel.class).holds();
    }

    // An event that takes the place of the running one, while its color settles on another thread.
    @Test
    void fusedEvent_overtakesNothing() {
        ColorModel.check(ColorModel.class)
                .invocations(1_000)
                .scenario("send 0 29; drain 0; send 1 31", "steal 1 | drain 0; drain 1", "")
                .holds();
    }

    private static ModelCheck given(Class<? extends ColorModel> model) {
        return ColorModel.check(model)
                .scenario("", "send 0 21; send 0 22 | give 0 0 | core 1", "")
                .scenario("", "send 0 21; send 0 22 | core 0; give 0 0; core 0 | drain 0", "")
                .scenario("", "sendFrom 1 0 11; sendFrom 1 0 12; core 1 | core 0; give 0 0 | send 0 21", "")
                .scenario("send 0 21; core 0", "give 0 0 | send 0 22; core 1 | drain 0; send 0 31", "");
    }

    /** A thief that does not wait for what is under way. */
    public static class NoWait extends ColorModel {
        @Override
        long leave(CoreQueue victim, ColorQueue color) {
            long unused = victim.migration.leave(color);
            return -1;
        }
    }

    @Test
    void noWait_isFound() {
        check(NoWait.class).isBrokenBy(1);
    }

    /** A sender that does not look at the home again. */
    public static class NoSecondLook extends ColorModel {
        @Override
        long offer(Inbox inbox, int event, int number, int where) {
            return offerAnyway(inbox, event, number);
        }
    }

    @Test
    void noSecondLook_isFound() {
        check(NoSecondLook.class).isBrokenBy(1);
    }

    /** A sender that looks at the home again before it claims its entry. */
    public static class LookBeforeClaim extends ColorModel {
        @Override
        long offer(Inbox inbox, int event, int number, int where) {
            return homes().where(number) != where ? Inbox.MOVED : offerAnyway(inbox, event, number);
        }
    }

    @Test
    void lookBeforeClaim_isFound() {
        check(LookBeforeClaim.class).isBrokenBy(1);
    }
}
