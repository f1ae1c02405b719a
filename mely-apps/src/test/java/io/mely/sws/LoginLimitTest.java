// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.LoginLimit.Turn;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Only wrong passwords are limited; those of one client that are checked at once, too. */
class LoginLimitTest {
    private static final long NOW_NS = 1_000_000_000;

    private final List<String> woken = new ArrayList<>();

    private static InetAddress client(String address) throws UnknownHostException {
        return InetAddress.getByName(address);
    }

    private Turn begin(LoginLimit limit, String address, String who) throws UnknownHostException {
        return limit.begin(client(address), NOW_NS, () -> woken.add(who));
    }

    // Many people of one address: each waits its turn, and none is refused while nobody is wrong.
    @Test
    void begin_moreThanTriesAtOnce_wait_andAreLetInWhenOthersWereRight() throws UnknownHostException {
        LoginLimit limit = new LoginLimit(2, 10, 10);
        assertThat(begin(limit, "203.0.113.9", "a")).isEqualTo(Turn.MAY_TRY);
        assertThat(begin(limit, "203.0.113.9", "b")).isEqualTo(Turn.MAY_TRY);
        assertThat(begin(limit, "203.0.113.9", "c")).isEqualTo(Turn.WAITS);
        assertThat(begin(limit, "203.0.113.9", "d")).isEqualTo(Turn.WAITS);
        assertThat(begin(limit, "203.0.113.8", "e")).as("another client").isEqualTo(Turn.MAY_TRY);
        limit.end(client("203.0.113.9"), NOW_NS, false);
        assertThat(woken).containsExactly("c", "d");
        assertThat(begin(limit, "203.0.113.9", "c")).isEqualTo(Turn.MAY_TRY);
        assertThat(begin(limit, "203.0.113.9", "d")).isEqualTo(Turn.WAITS);
        for (int i = 0; i < 2; i++) {
            limit.end(client("203.0.113.9"), NOW_NS, false);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(begin(limit, "203.0.113.9", "a")).isEqualTo(Turn.MAY_TRY);
            limit.end(client("203.0.113.9"), NOW_NS, false);
        }
    }

    // When the last token is gone, those who waited for it hear so; one comes back with time.
    @Test
    void begin_allWrong_isRefused() throws UnknownHostException {
        LoginLimit limit = new LoginLimit(2, 10, 10);
        for (int i = 0; i < 2; i++) {
            assertThat(begin(limit, "2001:db8::1", "a")).isEqualTo(Turn.MAY_TRY);
        }
        assertThat(begin(limit, "2001:db8::2", "b")).as("of the same network").isEqualTo(Turn.WAITS);
        limit.end(client("2001:db8::1"), NOW_NS, true);
        assertThat(woken).containsExactly("b");
        assertThat(begin(limit, "2001:db8::2", "b")).isEqualTo(Turn.WAITS);
        limit.end(client("2001:db8::1"), NOW_NS, true);
        assertThat(woken).containsExactly("b", "b");
        assertThat(begin(limit, "2001:db8::2", "b")).isEqualTo(Turn.REFUSED);
        assertThat(limit.begin(client("2001:db8::2"), 2 * NOW_NS, () -> {})).isEqualTo(Turn.MAY_TRY);
    }

    @Test
    void begin_tooManyWait_isRefused() throws UnknownHostException {
        LoginLimit limit = new LoginLimit(1, 10, 1);
        assertThat(begin(limit, "203.0.113.9", "a")).isEqualTo(Turn.MAY_TRY);
        assertThat(begin(limit, "203.0.113.9", "b")).isEqualTo(Turn.WAITS);
        assertThat(begin(limit, "203.0.113.9", "c")).isEqualTo(Turn.REFUSED);
        limit.end(client("203.0.113.9"), NOW_NS, false);
        assertThat(begin(limit, "203.0.113.9", "b")).isEqualTo(Turn.MAY_TRY);
        assertThat(begin(limit, "203.0.113.9", "c")).isEqualTo(Turn.WAITS);
    }
}
