// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Property: connections, large files and the reserve fit into what the process may open; without a known limit nothing is cut. */
class DescriptorBudgetTest {
    @TempDir
    Path proc;

    private final SwsConfig config = SwsConfig.builder(Path.of("/")).build();

    @BeforeEach
    void openTen() throws IOException {
        for (int i = 0; i < 10; i++) {
            Files.createDirectories(proc.resolve("fd/" + i));
        }
    }

    @Test
    void of_lowLimit_isDivided() throws IOException {
        limits("Max open files            64                   524288               files");
        DescriptorBudget budget = DescriptorBudget.of(config, proc);
        assertThat(budget.openFiles()).isEqualTo(54 / 4);
        assertThat(budget.sockets()).isEqualTo(54 - 54 / 4 - DescriptorBudget.RESERVE);
    }

    @Test
    void of_highOrNoLimit_leavesTheConfiguration() throws IOException {
        for (String limit : new String[] {"1048576", "unlimited"}) {
            limits("Max open files            " + limit + "              1048576              files");
            DescriptorBudget budget = DescriptorBudget.of(config, proc);
            assertThat(budget.openFiles()).isEqualTo(config.get(SwsSettings.OPEN_FILES_MAX));
            assertThat(budget.sockets()).isGreaterThan(config.get(SwsSettings.MAX_CLIENTS));
        }
        assertThat(DescriptorBudget.of(config, proc.resolve("none")).sockets()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void of_almostNothing_stillServesOne() throws IOException {
        limits("Max open files            12                   12                   files");
        assertThat(DescriptorBudget.of(config, proc)).isEqualTo(new DescriptorBudget(1, 0));
    }

    private void limits(String line) throws IOException {
        Files.writeString(proc.resolve("limits"), "Limit    Soft Limit    Hard Limit    Units\n" + line + "\n");
    }
}
