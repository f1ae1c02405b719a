// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTest {
    // Nothing that ends a line, moves a cursor or reorders letters gets through.
    @Test
    void escape_leavesOneLineOfPrintableText() {
        assertThat(Text.escape("a\nb\r\tc\u001b[31m\u0000\u202e\u2028\u0085"))
                .isEqualTo("a\\nb\\r\\tc\\u001b[31m\\u0000\\u202e\\u2028\\u0085");
        assertThat(Text.escape("\ud800")).isEqualTo("\\ud800");
    }

    @Test
    void escape_keepsLettersOfAllLanguages() {
        assertThat(Text.quote("Straße 東京 \ud83d\ude00")).isEqualTo("'Straße 東京 \ud83d\ude00'");
    }

    @Test
    void escape_shortensWhatIsLong() {
        assertThat(Text.escape("x".repeat(10_000))).hasSizeLessThan(410).endsWith("x...");
    }
}
