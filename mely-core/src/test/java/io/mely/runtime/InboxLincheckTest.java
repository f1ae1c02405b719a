// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.ModelCheck;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Senders that fill a ring of a few entries, which grows meanwhile, and its one consumer.
@Tag("model")
class InboxLincheckTest {
    private static ModelCheck check(Class<? extends InboxModel> model) {
        return ModelCheck.of(model, Specification.class)
                .scenario("", "offer 1; offer 2 | offer 3; offer 4 | take; take; take", "")
                .scenario("offer 1; take", "offer 2; offer 3 | offer 4 | take; take", "")
                .scenario("offer 1; offer 2", "offer 3; offer 4; offer 5 | offer 6 | take; take; take; take", "");
    }

    /** An inbox of two entries at first. Each entry comes out at its position. */
    public static class InboxModel {
        final Inbox inbox = new Inbox(2);
        private final long[] positions = new long[10];
        private final boolean[] areOffered = new boolean[10];
        private final List<Integer> taken = new ArrayList<>();

        /** A sender. */
        public void offer(int event) {
            positions[event] = inbox.offer(event, null, event, null, 0, null);
            areOffered[event] = true;
            if (inbox.isEmpty() && !inbox.isConsumed(positions[event])) { // what a thief relies on
                throw new AssertionError("empty, with an entry in it");
            }
        }

        /** The consumer. */
        public void take() {
            int key = inbox.peek();
            if (isThere(key)) {
                taken.add(key);
                if (!Integer.valueOf(key).equals(inbox.event())) {
                    throw new AssertionError(key + " with event " + inbox.event());
                }
                inbox.consume();
            }
        }

        boolean isThere(int key) {
            return key != 0;
        }

        /** All is taken. */
        @Validate
        public void validate() {
            while (!inbox.isEmpty()) {
                take();
            }
            for (int event = 0; event < areOffered.length; event++) {
                if (areOffered[event] && taken.get((int) positions[event]) != event) {
                    throw new AssertionError(taken + ": " + event + " was offered at " + positions[event]);
                }
            }
        }
    }

    /** Operations tell nothing: the model checks itself. */
    public static class Specification {
        /** As above. */
        public void offer(int event) {}

        /** As above. */
        public void take() {}
    }

    @Test
    void everyEntryComesOutOnce_atItsPosition() {
        check(InboxModel.class).holds();
    }

    /** A consumer that takes what was claimed, published or not. */
    public static class NoPeek extends InboxModel {
        @Override
        boolean isThere(int key) {
            return !inbox.isEmpty();
        }
    }

    @Test
    void noPeek_isFound() {
        check(NoPeek.class).isBrokenBy(1);
    }
}
