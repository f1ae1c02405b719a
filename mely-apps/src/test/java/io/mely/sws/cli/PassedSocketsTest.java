// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.sws.InheritedSocket;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PassedSocketsTest {
    @Test
    void of_readsCountAndNames() throws IOException {
        assertThat(PassedSockets.of(Map.of("LISTEN_FDS", "2", "LISTEN_PID", "7"), 7))
                .containsExactly(new InheritedSocket(3, false), new InheritedSocket(4, false));
        assertThat(PassedSockets.of(
                        Map.of("LISTEN_FDS", "3", "LISTEN_PID", "7", "LISTEN_FDNAMES", "https:redirect:unknown:more"),
                        7))
                .containsExactly(
                        new InheritedSocket(3, false), new InheritedSocket(4, true), new InheritedSocket(5, false));
    }

    // Those of a shell before it are not for this process.
    @Test
    void of_whatIsForOthers_isPassedOver() throws IOException {
        assertThat(PassedSockets.of(Map.of("LISTEN_FDS", "2", "LISTEN_PID", "8"), 7))
                .isEmpty();
        assertThat(PassedSockets.of(Map.of("LISTEN_FDS", "2"), 7)).isEmpty();
        assertThat(PassedSockets.of(Map.of(), 7)).isEmpty();
        assertThat(PassedSockets.of(Map.of("LISTEN_FDS", "0", "LISTEN_PID", "7"), 7))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "x", "1001", "99999999999"})
    void of_nonsense_isNamed(String count) {
        assertThatThrownBy(() -> PassedSockets.of(Map.of("LISTEN_FDS", count, "LISTEN_PID", "7"), 7))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("LISTEN_FDS=" + count);
    }
}
