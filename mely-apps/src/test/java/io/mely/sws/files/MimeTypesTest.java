// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: every extension of the table has one type, and text says its charset. */
class MimeTypesTest {
    @ParameterizedTest
    @CsvSource({
        "/a/index.html, text/html; charset=utf-8",
        "INDEX.HTM, text/html; charset=utf-8",
        "x.css, text/css; charset=utf-8",
        "x.js, text/javascript; charset=utf-8",
        "x.mjs, text/javascript; charset=utf-8",
        "x.json, application/json",
        "x.svg, image/svg+xml",
        "x.png, image/png",
        "x.min.js, text/javascript; charset=utf-8",
        "x.wasm, application/wasm",
        "x.woff2, font/woff2",
        "x.tar.gz, application/gzip",
        "x.unheardof, application/octet-stream",
        "README, application/octet-stream",
        "a.html/README, application/octet-stream",
        "x., application/octet-stream",
    })
    void of_extension(String name, String type) {
        assertThat(MimeTypes.bundled().of(name)).isEqualTo(type);
    }

    @Test
    void parse_extensionWithTwoTypes_isRefused() {
        BufferedReader table = new BufferedReader(new StringReader("# c\ntext/a x y\ntext/b y\n"));
        assertThatThrownBy(() -> MimeTypes.parse(table))
                .hasMessageContaining("line 3")
                .hasMessageContaining("extension=y");
    }
}
