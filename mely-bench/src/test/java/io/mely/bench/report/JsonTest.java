// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Property: what is written is JSON, and says what was given. */
class JsonTest {
    @Test
    void write_escapesAndNests() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "a \"b\" \\ \n");
        map.put("numbers", Arrays.asList(1, 2L, 0.5, 1234.5678, Double.NaN, 3.0, null));
        map.put("empty", List.of());
        map.put("runs", List.of(Map.of("ok", true)));
        assertThat(Json.write(map)).isEqualTo("""
                        {
                          "text": "a \\"b\\" \\\\ \\u000a",
                          "numbers": [
                            1,
                            2,
                            0.500000,
                            1234.568,
                            null,
                            3,
                            null
                          ],
                          "empty": [],
                          "runs": [
                            {"ok": true}
                          ]
                        }
                        """);
    }

    @Test
    void write_refusesOtherKinds() {
        assertThatThrownBy(() -> Json.write(Map.of("x", new Object()))).isInstanceOf(IllegalArgumentException.class);
    }
}
