// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class LoginGuardTest {
    private static final InetAddress A = address("192.0.2.1");
    private static final InetAddress B = address("192.0.2.2");

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void failures_tooMany_banForAWhile() {
        LoginGuard guard = new LoginGuard(2, 1000, 500, 10);
        assertThat(guard.failed(A, 0)).isFalse();
        assertThat(guard.failed(A, 1)).isFalse();
        assertThat(guard.isBanned(A, 2)).isFalse();
        assertThat(guard.failed(A, 2)).isTrue();
        assertThat(guard.isBanned(A, 501)).isTrue();
        assertThat(guard.failed(A, 3)).isFalse(); // it is already
        assertThat(guard.isBanned(B, 3)).isFalse();
        assertThat(guard.isBanned(A, 502)).isFalse();
        assertThat(guard.failed(A, 503)).isFalse();
    }

    @Test
    void failures_farApart_areForgotten() {
        LoginGuard guard = new LoginGuard(2, 1000, 500, 10);
        for (long nowNs = 0; nowNs < 100_000; nowNs += 1000) {
            assertThat(guard.failed(A, nowNs)).isFalse();
        }
        assertThat(guard.isBanned(A, 100_000)).isFalse();
    }

    @Test
    void login_forgetsAll() {
        LoginGuard guard = new LoginGuard(1, 1000, 500, 10);
        assertThat(guard.failed(A, 0)).isFalse();
        guard.succeeded(A);
        assertThat(guard.failed(A, 1)).isFalse();
        assertThat(guard.size()).isEqualTo(1);
    }

    @Test
    void bans_notWanted_areNone() {
        LoginGuard guard = new LoginGuard(0, 1000, 500, 10);
        for (int i = 0; i < 100; i++) {
            assertThat(guard.failed(A, i)).isFalse();
        }
        assertThat(guard.size()).isZero();
    }

    // However many addresses there are: those that failed last are remembered.
    @Test
    void addresses_tooMany_areForgotten() {
        LoginGuard guard = new LoginGuard(1, 1000, 500, 3);
        for (int i = 0; i < 100; i++) {
            guard.failed(address("10.0.0." + i), 0);
        }
        assertThat(guard.size()).isEqualTo(3);
        assertThat(guard.failed(address("10.0.0.99"), 1)).isTrue();
        assertThat(guard.failed(address("10.0.0.1"), 1)).isFalse();
    }

    // Who has one address of an IPv6 network has them all.
    @Test
    void network_ofOneClient_isOneAddress() {
        LoginGuard guard = new LoginGuard(1, 1000, 500, 10);
        guard.failed(address("2001:db8:1:2::1"), 0);
        assertThat(guard.failed(address("2001:db8:1:2:ffff::9"), 0)).isTrue();
        assertThat(guard.isBanned(address("2001:db8:1:3::1"), 0)).isFalse();
    }
}
