// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CorsRuleTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "** *",
                "fonts *",
                "/private/** none",
                "/** https://a.example",
                "/** https://a.example http://localhost:3000 https://*.b.example",
                "/** https://a.example credentials",
                "/** capacitor://localhost",
                "/** http://[::1]:8080",
            })
    void parse_readsWhatItWrites(String text) {
        assertThat(CorsRule.parse(text)).hasToString(text);
        assertThat(CorsRule.parse("  " + text.replace(" ", "\t ") + " ")).isEqualTo(CorsRule.parse(text));
    }

    // Credentials for everybody are what the rule exists to prevent; and what no browser sends is a mistake.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "**",
                "** credentials",
                "** * credentials",
                "** none credentials",
                "** * https://a.example",
                "** none https://a.example",
                "a *",
                "/** a.example",
                "/** https://a.example/",
                "/** https://a.example/x",
                "/** https://*",
                "/** https://*.*.example",
                "/** https://a*.example",
                "/** https://a.example, https://b.example",
                "/** null",
            })
    void parse_refusesTheRest(String text) {
        assertThat(CorsRule.parse(text)).isNull();
    }

    // A name is compared as a whole, and what a star stands for is names.
    @Test
    void allows_wholeOrigins() {
        CorsRule rule = CorsRule.parse("/** https://A.example:443 https://*.b.example:8443");
        assertThat(rule.allows("https://a.example")).isTrue();
        assertThat(rule.allows("https://x.b.example:8443")).isTrue();
        assertThat(rule.allows("https://x.y.b.example:8443")).isTrue();
        for (String other : new String[] {
            "",
            "null",
            "http://a.example",
            "https://a.example:8443",
            "https://a.example.evil",
            "https://evil-a.example",
            "https://b.example:8443",
            "https://.b.example:8443",
            "https://x.b.example",
            "https://evil.com/.b.example:8443",
            "https://evil.com:1@x.b.example:8443",
            "https://x\r\ny.b.example:8443",
        }) {
            assertThat(rule.allows(other)).as(other).isFalse();
        }
    }

    @Test
    void matches_fonts_byTheirExtension() {
        CorsRule rule = CorsRule.parse("fonts *");
        assertThat(rule.matches("/a/b.woff2")).isTrue();
        assertThat(rule.matches("/B.TTF")).isTrue();
        assertThat(rule.matches("/woff2")).isFalse();
        assertThat(rule.matches("/a.woff2/b.css")).isFalse();
        assertThat(rule.matches("/a.woff2.txt")).isFalse();
    }
}
