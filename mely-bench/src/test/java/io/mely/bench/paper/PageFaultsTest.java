// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Minor faults are read behind the command's name; memory that is touched for the first time makes some. */
class PageFaultsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path folder;

    @Test
    void count_isTheTenthField_whateverTheName() throws IOException {
        Path stat = folder.resolve("stat");
        Files.writeString(stat, "7 (a ) b (c) S 1 2 3 4 5 4194304 1881055 6 7 8 9\n");
        assertThat(PageFaults.count(stat)).isEqualTo(1_881_055);
    }

    @Test
    void count_isNoneWhereThereIsNoFile() {
        assertThat(PageFaults.count(folder.resolve("stat"))).isZero();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void count_growsWithFreshMemory() {
        long before = PageFaults.count();
        ByteBuffer fresh = ByteBuffer.allocateDirect(16 << 20); // zeroed, and larger than what malloc keeps
        assertThat(PageFaults.count() - before).isPositive();
        assertThat(fresh.get(12_345)).isZero();
    }
}
