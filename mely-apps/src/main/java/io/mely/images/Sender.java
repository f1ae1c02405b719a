// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Color;
import io.mely.sws.Answer;
import io.mely.sws.Request;
import java.io.IOException;
import java.util.Deque;

/**
 * Who has sent an upload, and gets its answer.
 *
 * <p><b>Threads.</b> Any; one at a time.
 */
interface Sender {
    /** The color in which it is answered. */
    Color color();

    /** How much was sent. */
    long bytes();

    /** The files that were sent: at least one, in their order. Once. */
    Deque<Source> files() throws FormException, IOException;

    /** Answers. */
    void answer(Answer answer);

    /** A client of the server. */
    record Client(Request request, FormReader forms) implements Sender {
        @Override
        public Color color() {
            return request.color();
        }

        @Override
        public long bytes() {
            return request.bodyBytes();
        }

        @Override
        public Deque<Source> files() throws FormException, IOException {
            return forms.files(request);
        }

        @Override
        public void answer(Answer answer) {
            request.answer(answer);
        }
    }
}
