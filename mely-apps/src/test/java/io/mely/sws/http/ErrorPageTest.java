// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: an error page is STATUS FILE, for a status that this server answers with a page. */
class ErrorPageTest {
    @Test
    void parse_takesItApart() {
        ErrorPage page = ErrorPage.parse(" 404 \t errors/not found.html ");
        assertThat(page).isEqualTo(new ErrorPage(404, Path.of("errors/not found.html")));
        assertThat(ErrorPage.parse(page.toString())).isEqualTo(page);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "404", "404 ", "x.html", "x 404", "200 x.html", "416 x.html", "499 x.html", "404 a\u0000b"})
    void parse_refuses(String text) {
        assertThat(ErrorPage.parse(text)).isNull();
    }

    @Test
    void constructor_namesTheStatus() {
        assertThatThrownBy(() -> new ErrorPage(200, Path.of("x"))).hasMessageContaining("status=200");
    }
}
