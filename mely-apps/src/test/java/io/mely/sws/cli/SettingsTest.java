// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.cli.Setting;
import io.mely.cli.Source;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sws.SwsSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsTest {
    static List<Arguments> counts() {
        return List.of(
                Arguments.of(SwsSettings.CORES, 1, 1024),
                Arguments.of(SwsSettings.MAX_CLIENTS, 1, 1 << 24),
                Arguments.of(SwsSettings.CLIENT_CONNECTIONS_MAX, 0, 1 << 24),
                Arguments.of(SwsSettings.CLIENT_RATE, 0, 1_000_000),
                Arguments.of(SwsSettings.CLIENT_BURST, 1, 1_000_000),
                Arguments.of(SwsSettings.CLIENT_ADDRESSES_MAX, 1, 1 << 24),
                Arguments.of(SwsSettings.BACKLOG, 1, Integer.MAX_VALUE),
                Arguments.of(SwsSettings.MAX_REQUESTS_PER_CONNECTION, 0, Integer.MAX_VALUE),
                Arguments.of(SwsSettings.HEADER_COUNT_MAX, 1, 1 << 16),
                Arguments.of(SwsSettings.CACHE_MISSES_MAX, 0, 1 << 20),
                Arguments.of(SwsSettings.ACCESS_LOG_KEEP, 0, 1000),
                Arguments.of(SwsSettings.GZIP_LEVEL, 1, 9),
                Arguments.of(SwsSettings.RANGES_MAX, 1, 1000),
                Arguments.of(SwsSettings.OPEN_FILES_MAX, 0, 1 << 16));
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
            boolean isAutomatic = setting == SwsSettings.CORES && value == 0;
            if (!isAutomatic && value <= Integer.MAX_VALUE) {
                assertThatThrownBy(() -> build(setting, (int) value)).isInstanceOf(UsageException.class);
            }
        }
    }

    static List<Arguments> sizes() {
        return List.of(
                Arguments.of(SwsSettings.REQUEST_LINE_MAX, 64L, 32L << 10),
                Arguments.of(SwsSettings.HEADER_MAX, 8L << 10, 1L << 20),
                Arguments.of(SwsSettings.WRITE_RATE_MIN, 0L, 1L << 20),
                Arguments.of(SwsSettings.ACCESS_LOG_BUFFER, 1L << 16, 1L << 26),
                Arguments.of(SwsSettings.ACCESS_LOG_ROTATE, 0L, Long.MAX_VALUE),
                Arguments.of(SwsSettings.GZIP_FILE_MIN, 1L, 1L << 20),
                Arguments.of(SwsSettings.GZIP_FILE_MAX, 1L, 1L << 26),
                Arguments.of(SwsSettings.BODY_MAX, 0L, Long.MAX_VALUE),
                Arguments.of(SwsSettings.CACHE_BUDGET, 0L, Long.MAX_VALUE),
                Arguments.of(SwsSettings.CACHE_FILE_MAX, 0L, 1L << 20),
                Arguments.of(SwsSettings.SLICE, 1L << 12, 1L << 30));
    }

    // Of the two sizes that depend on each other the bound is the other's default.
    @ParameterizedTest
    @MethodSource("sizes")
    void size_hasTheServersRange(Setting<Long> setting, long min, long max) {
        for (long value : new long[] {min, max}) {
            assertThat(setting.type().parse(value + " B")).isEqualTo(value);
            assertThatCode(() -> build(setting, value)).doesNotThrowAnyException();
        }
        assertThatThrownBy(() -> build(setting, min - 1)).isInstanceOf(UsageException.class);
        if (max < Long.MAX_VALUE) {
            assertThatThrownBy(() -> build(setting, max + 1)).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void time_hasTheServersRange() {
        for (Setting<Duration> setting : List.of(
                SwsSettings.IDLE_TIMEOUT,
                SwsSettings.HEADER_TIMEOUT,
                SwsSettings.BODY_TIMEOUT,
                SwsSettings.WRITE_TIMEOUT,
                SwsSettings.DRAIN_DEADLINE,
                SwsSettings.ACCESS_LOG_ROTATE_EVERY,
                SwsSettings.OVERLOAD_TARGET,
                SwsSettings.OVERLOAD_INTERVAL,
                SwsSettings.CACHE_REVALIDATION)) {
            boolean mayBeZero = setting == SwsSettings.DRAIN_DEADLINE
                    || setting == SwsSettings.OVERLOAD_TARGET
                    || setting == SwsSettings.ACCESS_LOG_ROTATE_EVERY
                    || setting == SwsSettings.CACHE_REVALIDATION;
            assertThat(setting.type().parse("0 s") != null).as(setting.key()).isEqualTo(mayBeZero);
            assertThatCode(() -> build(setting, mayBeZero ? Duration.ZERO : Duration.ofMillis(1)))
                    .doesNotThrowAnyException();
            assertThat(setting.type().parse("1 d")).isEqualTo(Duration.ofDays(1));
            assertThatCode(() -> build(setting, Duration.ofDays(1))).doesNotThrowAnyException();
            assertThat(setting.type().parse("86401 s")).isNull();
            assertThatThrownBy(() -> build(setting, Duration.ofSeconds(86_401))).isInstanceOf(UsageException.class);
        }
    }

    // Names are unique, and a default is read again from what the reference shows.
    @Test
    void settings_areConsistent() {
        assertThat(Settings.TABLE.all()).extracting(Setting::key).doesNotHaveDuplicates();
        assertThat(Settings.TABLE.all()).extracting(Settings.TABLE::variable).doesNotHaveDuplicates();
        for (Setting<?> setting : Settings.TABLE.all()) {
            assertThat(setting.key()).matches("[a-z]+2?(-[a-z]+)*");
            assertThat(setting.effect()).endsWith(".");
            assertThat(Settings.TABLE.byKey(setting.key())).isSameAs(setting);
            assertThat(Settings.TABLE.byVariable(Settings.TABLE.variable(setting)))
                    .isSameAs(setting);
        }
        assertThat(Settings.TABLE.byKey("prot")).isNull();
        assertThat(Settings.TABLE.byVariable("SWS_PROT")).isNull();
    }

    private static <T> void build(Setting<T> setting, T value) throws Exception {
        Values values = new Values();
        values.put(setting, value, String.valueOf(value), Source.flag(setting.flag()));
        Invocation.of(values);
    }
}
