// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Property: both ways to steal are measured in all sizes, the scan follows every link, and the page shows both. */
class StealCommandTest {
    @Test
    void execute_writesTableAndPlot(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("steal.json");
        Path html = dir.resolve("steal.html");
        assertThat(StealCommand.execute(
                        "--rounds", "2",
                        "--measure-ms", "1",
                        "--pending", "10,200",
                        "--json", json.toString(),
                        "--html", html.toString()))
                .isZero();
        // From MixedListTest: pending + 1 links.
        assertThat(Files.readString(json))
                .contains("\"what\": \"Mely, four colors\", \"pending\": 200", "\"linksPerSteal\": 201");
        assertThat(Files.readString(html)).contains("<svg", "polyline", "libasync-smp", "ns for one steal");
    }

    @Test
    void execute_refusesTooFewPending() {
        assertThat(StealCommand.execute("--pending", "4")).isEqualTo(2);
    }
}
