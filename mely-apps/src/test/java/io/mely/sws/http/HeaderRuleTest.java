// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: a rule is PATTERN NAME: VALUE, can't break a response, and matches whole paths. */
class HeaderRuleTest {
    @ParameterizedTest
    @CsvSource({
        "/a.css, /a.css, true",
        "/a.css, /a-css, false",
        "/a.css, /x/a.css, false",
        "/*.css, /a.css, true",
        "/*.css, /x/a.css, false",
        "/**.css, /x/y/a.css, true",
        "**.css, /x/y/a.css, true",
        "/assets/**, /assets/x/y, true",
        "/assets/**, /assets/, true",
        "/assets/**, /assets, false",
        "/assets/*, /assets/x/y, false",
        "/a?c, /abc, true",
        "/a?c, /a/c, false",
        "/a[b]+(c), /a[b]+(c), true",
        "/a[b], /ab, false",
        "/ü, /ü, true",
        "/, /, true",
        "/, /x, false",
    })
    void pattern(String pattern, String path, boolean isMatch) {
        HeaderRule rule = HeaderRule.parse(pattern + " X: y");
        assertThat(rule.regex().matcher(path).matches()).isEqualTo(isMatch);
    }

    @Test
    void parse_takesItApart() {
        HeaderRule rule = HeaderRule.parse("  /a/** \t Cache-Control:   public, max-age=60: x  ");
        assertThat(rule).isEqualTo(new HeaderRule("/a/**", "Cache-Control", "public, max-age=60: x"));
        assertThat(HeaderRule.parse(rule.toString())).isEqualTo(rule);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/a",
                "/a X",
                "/a X y",
                "/a X:",
                "/a : y",
                "/a X Y: z",
                "a X: y",
                "/a X: \u00fc",
                "/a X: a\r\nB: c",
                "/a X: a\u0000",
                "/a X(: y",
                "/a Content-Length: 5",
                "/a transfer-encoding: chunked",
                "/a Connection: close",
                "/a DATE: now",
                "/a ETag: \"x\"",
            })
    void parse_refuses(String text) {
        assertThat(HeaderRule.parse(text)).isNull();
    }

    @Test
    void constructor_namesWhatIsWrong() {
        assertThatThrownBy(() -> new HeaderRule("x", "A", "b")).hasMessageContaining("pattern=x");
        assertThatThrownBy(() -> new HeaderRule("/x", "Date", "b")).hasMessageContaining("name=Date");
        assertThatThrownBy(() -> new HeaderRule("/x", "A", "")).hasMessageContaining("value=");
        assertThatThrownBy(() -> new HeaderRule("/x", "A", "y".repeat(HeaderRule.CHARS_MAX + 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
