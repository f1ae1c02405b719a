// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ResultsPageTest {
    // The page is in English, wherever its server runs.
    @Test
    void total_isWrittenTheSameInEachLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            byte[] page = ResultsPage.of("cat", null, 12_345, List.of(), List.of());
            assertThat(new String(page, StandardCharsets.UTF_8)).contains("12,345 pages, the first 0");
        } finally {
            Locale.setDefault(before);
        }
    }
}
