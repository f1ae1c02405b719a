// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.ModelCheck;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// A color is in one place, and an inbox entry that is late, doubled, or at a core where the color no longer lives does
// no harm: it
// neither makes an event run twice or out of order, nor breaks a queue.
@Tag("model")
class ColorLifeLincheckTest {
    private static ModelCheck check(Class<? extends ColorModel> model) {
        return ModelCheck.of(model, ColorModel.Specification.class)
                .scenario("send 0 1", "core 0; send 0 2 | promote 0 0; promote 0 0 | steal 1", "ran 0")
                .scenario("send 0 1; promote 0 0", "steal 1; sendFrom 1 0 2 | core 0; core 0", "ran 0")
                .scenario("", "sendFrom 0 0 1; core 0 | send 0 2; promote 1 0 | steal 1; core 1", "ran 0")
                .scenario("send 0 1; steal 1", "send 0 2 | promote 0 0; core 0 | core 1; core 1", "ran 0");
    }

    @Test
    void lateEntries_doNoHarm() {
        check(ColorModel.class).holds();
    }

    /** A color whose place is told after its entry is in the inbox: the entry may be read before. */
    public static class LateMark extends ColorModel {
        @Override
        void handInOpened(ColorQueue color) {
            handIn(color.home(), color);
            color.markOpened();
        }
    }

    @Test
    void lateMark_isFound() {
        check(LateMark.class).isBrokenBy(1);
    }

    /** Inboxes of its own, to be drained by fewer rules. */
    abstract static class OwnInboxes extends ColorModel {
        private final List<Queue<ColorQueue>> inboxes =
                List.of(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());

        abstract boolean isLinked(int core, ColorQueue color);

        @Override
        void handIn(int core, ColorQueue color) {
            inboxes.get(core).add(color);
        }

        @Override
        void drain(int core) {
            for (ColorQueue color = inboxes.get(core).poll();
                    color != null;
                    color = inboxes.get(core).poll()) {
                if (isLinked(core, color)) {
                    queues[core].link(color);
                }
            }
        }

        @Override
        boolean hasWork(int core) {
            return queues[core].hasWork() || !inboxes.get(core).isEmpty();
        }
    }

    /** A drain by the rules: what the twins below differ from. */
    public static class ByTheRules extends OwnInboxes {
        @Override
        boolean isLinked(int core, ColorQueue color) {
            return color.home() == core && color.placeAcquire() == ColorQueue.OPENED;
        }
    }

    @Test
    void byTheRules_holds() {
        check(ByTheRules.class).invocations(50).holds();
    }

    /** A drain that links what is not linked yet, running colors too. */
    public static class NoPlace extends OwnInboxes {
        @Override
        boolean isLinked(int core, ColorQueue color) {
            return color.home() == core && color.placeAcquire() != ColorQueue.QUEUED && !color.isIdle();
        }
    }

    @Test
    void noPlace_isFound() {
        check(NoPlace.class).isBrokenBy(1);
    }

    /** A drain that links at the core where the entry was found. */
    public static class NoHome extends OwnInboxes {
        @Override
        boolean isLinked(int core, ColorQueue color) {
            return color.placeAcquire() == ColorQueue.OPENED;
        }
    }

    @Test
    void noHome_isFound() {
        check(NoHome.class).isBrokenBy(1);
    }
}
