// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long SECOND = 1_000_000_000L;

    // What was sent is paid for by time; time without a response is not saved up.
    @Test
    void waitNs_isWhatWasSent() {
        Pace pace = new Pace(1_000, 0);
        assertThat(pace.waitNs(0)).isZero();
        pace.sent(2_000, 0);
        assertThat(pace.waitNs(0)).isEqualTo(2 * SECOND);
        assertThat(pace.waitNs(2 * SECOND)).isZero();
        pace.sent(500, SECOND);
        assertThat(pace.waitNs(SECOND)).isEqualTo(SECOND + SECOND / 2);
        pace.sent(1_000, 10 * SECOND);
        assertThat(pace.waitNs(10 * SECOND)).isEqualTo(SECOND);
        assertThat(pace.bytesAtOnce()).isEqualTo(1_000);
    }

    // The longest response at the slowest rate.
    @Test
    void waitNs_doesNotOverflow() {
        Pace pace = new Pace(1 << 10, 0);
        pace.sent(1 << 20, Long.MAX_VALUE - SECOND);
        assertThat(pace.waitNs(Long.MAX_VALUE - SECOND)).isEqualTo(1024 * SECOND);
    }
}
