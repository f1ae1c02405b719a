// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.cli.Setting;
import io.mely.cli.Source;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsTest {
    private static <T> SfsConfig build(Setting<T> setting, T value) throws Exception {
        Values values = new Values();
        values.put(setting, value, String.valueOf(value), Source.byDefault(setting.key()));
        return Invocation.of(values);
    }

    static List<Arguments> counts() {
        return List.of(
                Arguments.of(SfsSettings.CORES, 1, 1024),
                Arguments.of(SfsSettings.BACKLOG, 1, Integer.MAX_VALUE),
                Arguments.of(SfsSettings.MAX_CONNECTIONS, 1, 1 << 20),
                Arguments.of(SfsSettings.ADDRESS_CONNECTIONS_MAX, 0, 1 << 20),
                Arguments.of(SfsSettings.USER_CONNECTIONS_MAX, 0, 1 << 20),
                Arguments.of(SfsSettings.LOGINS_MAX, 1, 1 << 20),
                Arguments.of(SfsSettings.CHANNELS_MAX, 1, 1024),
                Arguments.of(SfsSettings.HANDLES_MAX, 1, 1 << 16),
                Arguments.of(SfsSettings.USER_HANDLES_MAX, 0, 1 << 20),
                Arguments.of(SfsSettings.LOGIN_TRIES, 1, 1000),
                Arguments.of(SfsSettings.BAN_AFTER, 0, 1 << 20),
                Arguments.of(SfsSettings.BAN_ADDRESSES_MAX, 1, 1 << 24),
                Arguments.of(SfsSettings.AUDIT_LOG_KEEP, 0, 1000));
    }

    // The range that a user may use is the one that the server takes: neither wider nor narrower.
    @ParameterizedTest
    @MethodSource("counts")
    void count_hasTheServersRange(Setting<Integer> setting, int min, int max) {
        for (int value : new int[] {min, max}) {
            assertThat(setting.type().parse(String.valueOf(value))).isEqualTo(value);
            assertThatCode(() -> build(setting, value)).doesNotThrowAnyException();
        }
        for (long value : new long[] {min - 1L, max + 1L}) {
            assertThat(setting.type().parse(String.valueOf(value))).isNull();
            boolean isAutomatic = setting == SfsSettings.CORES && value == 0;
            if (!isAutomatic && value <= Integer.MAX_VALUE) {
                assertThatThrownBy(() -> build(setting, (int) value)).isInstanceOf(UsageException.class);
            }
        }
    }

    @Test
    void size_hasTheServersRange() {
        for (long value : new long[] {32 << 10, 16 << 20}) {
            assertThat(SfsSettings.SLICE.type().parse(value + " B")).isEqualTo(value);
            assertThatCode(() -> build(SfsSettings.SLICE, value)).doesNotThrowAnyException();
        }
        for (long value : new long[] {(32 << 10) - 1, (16 << 20) + 1}) {
            assertThat(SfsSettings.SLICE.type().parse(value + " B")).isNull();
            assertThatThrownBy(() -> build(SfsSettings.SLICE, value)).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void time_hasTheServersRange() {
        for (Setting<Duration> setting : List.of(
                SfsSettings.LOGIN_TIMEOUT,
                SfsSettings.IDLE_TIMEOUT,
                SfsSettings.LOGIN_FAILURE_DELAY,
                SfsSettings.BAN_FORGET,
                SfsSettings.BAN_TIME,
                SfsSettings.DRAIN_DEADLINE)) {
            boolean mayBeZero = setting == SfsSettings.IDLE_TIMEOUT
                    || setting == SfsSettings.LOGIN_FAILURE_DELAY
                    || setting == SfsSettings.DRAIN_DEADLINE;
            assertThat(setting.type().parse("0 s") != null).as(setting.key()).isEqualTo(mayBeZero);
            assertThatCode(() -> build(setting, mayBeZero ? Duration.ZERO : Duration.ofMillis(1)))
                    .doesNotThrowAnyException();
            if (!mayBeZero) {
                assertThatThrownBy(() -> build(setting, Duration.ZERO)).isInstanceOf(UsageException.class);
            }
            assertThatCode(() -> build(setting, Duration.ofDays(1))).doesNotThrowAnyException();
            assertThat(setting.type().parse("86401 s")).isNull();
            assertThatThrownBy(() -> build(setting, Duration.ofSeconds(86_401))).isInstanceOf(UsageException.class);
        }
    }

    // Names are unique, and a default is read again from what the reference shows.
    @Test
    void settings_areConsistent() {
        assertThat(Settings.TABLE.all()).extracting(Setting::key).doesNotHaveDuplicates();
        for (Setting<?> setting : Settings.TABLE.all()) {
            assertThat(setting.key()).matches("[a-z]+(-[a-z]+)*");
            assertThat(setting.effect()).endsWith(".");
            assertThat(Settings.TABLE.byKey(setting.key())).isSameAs(setting);
        }
    }

    @Test
    void words_notKnown_areRefused() {
        assertThat(SfsSettings.CIPHERS.type().parseList(List.of("aes128-cbc"))).isNull();
        assertThat(SfsSettings.HOST_KEY_TYPES.type().parseList(List.of("dsa"))).isNull();
        assertThat(SfsSettings.HOST_KEY_TYPES.type().parse("ed25519, ecdsa")).hasSize(2);
        assertThat(SfsSettings.UMASK.type().parse("028")).isNull();
        assertThat(Settings.USER.type().parse("a b")).isNull();
        assertThatThrownBy(() -> build(SfsSettings.CIPHERS, List.of())).isInstanceOf(UsageException.class);
    }

    @Test
    void umask_isOctal() throws Exception {
        assertThat(SfsSettings.UMASK.type().parse("027")).isEqualTo(027);
        assertThat(build(SfsSettings.UMASK, 027).get(SfsSettings.UMASK)).isEqualTo(027);
    }
}
