// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SnippetTest {
    @Test
    void wordsFound_areEverySecondPart() {
        Snippet snippet = Snippet.of("Running dogs run.", List.of("run"));
        assertThat(snippet.parts()).containsExactly("", "Running", " dogs ", "run", ".");
        assertThat(snippet.isBegin()).isTrue();
        assertThat(snippet.isEnd()).isTrue();
    }

    @Test
    void longText_isShownFromALittleBeforeTheFirstWord_inWholeWords() {
        String text = "word ".repeat(200) + "needle\n\n\tin " + "hay ".repeat(200);
        Snippet snippet = Snippet.of(text, List.of("needl"));
        assertThat(snippet.parts()).hasSize(3);
        assertThat(snippet.parts().get(0)).matches("(word )+").hasSizeLessThanOrEqualTo(60);
        assertThat(snippet.parts().get(1)).isEqualTo("needle");
        assertThat(snippet.parts().get(2)).startsWith(" in hay").endsWith("hay");
        assertThat(String.join("", snippet.parts())).hasSizeLessThanOrEqualTo(240);
        assertThat(snippet.isBegin()).isFalse();
        assertThat(snippet.isEnd()).isFalse();
    }

    @Test
    void oddTexts_areShown() {
        assertThat(Snippet.of("", List.of("x")).parts()).containsExactly("");
        assertThat(Snippet.of("x".repeat(1_000), List.of()).parts().get(0)).hasSize(240);
        assertThat(Snippet.of("y" + "x".repeat(1_000) + " needle", List.of("needl"))
                        .parts())
                .contains("needle");
        assertThat(Snippet.of("x".repeat(100_000) + " needle", List.of("needl")).parts())
                .hasSize(1);
    }
}
