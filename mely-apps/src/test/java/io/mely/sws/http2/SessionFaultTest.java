// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// What clients do to a session that costs it more than it costs them, and what honest ones must not pay for.
class SessionFaultTest extends SessionHarness {
    // Of HEAD, or of a status without a body: it is taken, or whoever writes it would wait for ever.
    @ParameterizedTest
    @CsvSource({"HEAD,400", "GET,204", "GET,304"})
    void body_thatAnAnswerHasNot_isDropped(String method, int status) throws Exception {
        begin(method, Frames.END_STREAM);
        java.nio.ByteBuffer answer = answer(status, 10);
        assertThat(session.write(opened.get(0), answer)).isEqualTo(answer.limit());
        assertThat(flush()).containsExactly(Frames.HEADERS);
        assertThat(session.write(opened.get(0), 10, to -> 0)).isEqualTo(10);
        assertThat(session.output().isEmpty()).isTrue();
    }
}
