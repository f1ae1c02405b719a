// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
    // Every unit means what HOCON's own reader says it means.
    @Test
    void units_areThoseOfHocon() {
        for (String unit : Units.byteUnits()) {
            assertThat(Units.bytes("3 " + unit))
                    .as(unit)
                    .isEqualTo(
                            ConfigFactory.parseString("v = \"3 " + unit + "\"").getBytes("v"));
        }
        for (String unit : Units.timeUnits()) {
            assertThat(Units.duration("3 " + unit))
                    .as(unit)
                    .isEqualTo(
                            ConfigFactory.parseString("v = \"3 " + unit + "\"").getDuration("v"));
        }
    }

    // Spaces are free, fractions work, a bare size is bytes.
    @Test
    void parse_acceptsWhatPeopleWrite() {
        assertThat(Units.bytes("64MiB")).isEqualTo(64L << 20);
        assertThat(Units.bytes(" 1.5 KiB ")).isEqualTo(1536);
        assertThat(Units.bytes("0")).isZero();
        assertThat(Units.bytes("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        assertThat(Units.duration("1.5s")).isEqualTo(Duration.ofMillis(1500));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "-1",
                "1 x",
                "1 MiB x",
                "9223372036854775808",
                "9 GiBs",
                "99999999 TiB",
                "1e3",
                "0x10",
                "NaN"
            })
    void bytes_refuses(String text) {
        assertThat(Units.bytes(text)).isEqualTo(-1);
    }

    // A bare number is refused: HOCON would take it for milliseconds.
    @ParameterizedTest
    @ValueSource(strings = {"", "30", "-1 s", "1 S", "1 week", "300000000000 s", "s"})
    void duration_refuses(String text) {
        assertThat(Units.duration(text)).isNull();
    }

    // What is written is read as the same value.
    @Test
    void show_isReadAgain() {
        for (long bytes : new long[] {0, 1, 1023, 1024, 1536, 1 << 20, 5L << 40, Long.MAX_VALUE}) {
            assertThat(Units.bytes(Units.show(bytes))).isEqualTo(bytes);
        }
        for (long nanos : new long[] {0, 1, 1_000, 1_500_000, 1_000_000_000, 86_400_000_000_000L}) {
            assertThat(Units.duration(Units.show(Duration.ofNanos(nanos)))).isEqualTo(Duration.ofNanos(nanos));
        }
        assertThat(Units.show(64L << 20)).isEqualTo("64 MiB");
        assertThat(Units.show(Duration.ofSeconds(75))).isEqualTo("75 s");
    }
}
