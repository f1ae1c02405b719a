// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
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
        assertThat(rule.matches(path)).isEqualTo(isMatch);
    }

    /** A regular expression would take years. */
    @Test
    void pattern_takesLinearTime() {
        String dashes = "/" + "-".repeat(250);
        assertThat(HeaderRule.parse("/**-**-**-**-**-**-**/*.png X: y").matches(dashes.repeat(14) + "/x.jpg"))
                .isFalse();
        assertThat(HeaderRule.parse("/**" + "a**".repeat(30) + "/b X: y").matches("/" + "a".repeat(4000)))
                .isFalse();
        assertThat(HeaderRule.parse("/" + "*".repeat(990) + " X: y").matches("/" + "a/".repeat(2000)))
                .isTrue();
        assertThat(HeaderRule.parse("/***.css X: y").matches("/x/y.css")).isTrue();
        assertThat(HeaderRule.parse("/**.css X: y").matches("/x/y.cs")).isFalse();
        assertThat(HeaderRule.parse("/a*b*c X: y").matches("/a/bc")).isFalse();
    }

    /** As a plain regular expression decides, on short texts. */
    @Test
    void pattern_matchesAsARegularExpression() {
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            String pattern = "/" + text(random, "a/*?", 8);
            String path = "/" + text(random, "ab/", 8);
            String regex = pattern.replace("**", "\1")
                    .replace("*", "[^/]*")
                    .replace("?", "[^/]")
                    .replace("\1", ".*");
            assertThat(new HeaderRule(pattern, "X", "y").matches(path))
                    .as("%s %s", pattern, path)
                    .isEqualTo(path.matches(regex));
        }
    }

    private static String text(Random random, String letters, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    @Test
    void fields_ofOneResponse_areTheLongestOfEachName() {
        assertThat(HeaderRule.fieldsCharsMax(List.of())).isZero();
        assertThat(HeaderRule.fieldsCharsMax(List.of(
                        new HeaderRule("/a", "X", "12345"),
                        new HeaderRule("/b", "x", "1"),
                        new HeaderRule("/c", "Y", "1"))))
                .isEqualTo(1 + 5 + 4 + 1 + 1 + 4);
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
        assertThatThrownBy(() -> new HeaderRule("/x", "A", "y".repeat(HeaderRule.VALUE_CHARS_MAX + 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
