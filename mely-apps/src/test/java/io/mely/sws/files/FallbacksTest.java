// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FallbacksTest {
    private final Fallbacks fallbacks = new Fallbacks(List.of(
            new Fallback("/app/", "/app/index.html"),
            new Fallback("/app/admin/", "/admin.html"),
            new Fallback("/caf\u00e9/", "/caf\u00e9/start.html")));

    // The longest prefix, no matter in which order; nothing for other paths, assets and hidden names; names with a dot
    // that is no
    // extension are names.
    @ParameterizedTest
    @CsvSource({
        "/app/, /app/index.html",
        "/app/users/7, /app/index.html",
        "/app/users/, /app/index.html",
        "/app/john.doe, /app/index.html",
        "/app/v1.2/about, /app/index.html",
        "/app/page.html, /app/index.html",
        "/app/admin/x, /admin.html",
        "/app/administrator, /app/index.html",
        "/caf%C3%A9/x, /caf\u00e9/start.html",
        "/app,",
        "/application/x,",
        "/,",
        "/app/main.js,",
        "/app/logo.PNG,",
        "/app/data.json,",
        "/app/setup.exe,",
        "/app/.env,",
        "/app/.git/config,",
    })
    void of_longestPrefix(String path, String file) {
        RequestPath canonical = new RequestPath(100);
        byte[] bytes = path.getBytes(StandardCharsets.US_ASCII);
        assertThat(canonical.set(bytes, 0, bytes.length)).isTrue();
        byte[] found = fallbacks.of(canonical);
        assertThat(found == null ? null : new String(found, StandardCharsets.UTF_8))
                .isEqualTo(file);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/a /b",
                "/a/ b",
                "/a/ /b/",
                "a/ /b",
                "/../ /b",
                "/a/ /../b",
                "//a/ /b",
                "/a/ /x//b",
                "/a/ /%62"
            })
    void parse_otherForms_areRefused(String text) {
        assertThat(Fallback.parse(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ /index.html", "/a/ /b c.html"})
    void parse_isShownAgain(String text) {
        assertThat(Fallback.parse(text)).hasToString(text);
    }
}
