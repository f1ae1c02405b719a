// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// RFC 9218 4: what is not as it should be counts as not said.
class PriorityTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "'', 3, false",
                "u=0, 0, false",
                "\"u=7,i\", 7, true",
                "\" i , u=1 \", 1, true",
                "\"u=1;a=b, i;c\", 1, true",
                "i=?0, 3, false",
                "i=?1, 3, true",
                "u=8, 3, false",
                "u=-1, 3, false",
                "u=10, 3, false",
                "\"u=2, u=5\", 5, false",
                "\"x=1, u=5, \"\"\", 5, false",
                "i=1, 3, false",
            })
    void parse_takesWhatItKnows(String text, int urgency, boolean isIncremental) {
        assertThat(Priority.parse(text)).isEqualTo(new Priority(urgency, isIncremental));
    }
}
