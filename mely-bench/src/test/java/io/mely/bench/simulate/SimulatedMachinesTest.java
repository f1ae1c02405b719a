// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.bench.simulate.machine.MachineSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every machine's file can be read, and says of each number where it comes from. */
class SimulatedMachinesTest {
    static final Path MACHINES = Path.of("../config/machines");

    static List<Path> machines() throws IOException {
        try (Stream<Path> files = Files.list(MACHINES)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("machines")
    void machine_isRead(Path file) {
        MachineSpec spec = MachineSpec.read(file);
        assertThat(spec.cpus()).isPositive();
        assertThat(spec.transferCycles(0, spec.cpus() - 1)).isGreaterThanOrEqualTo(spec.transferCycles(0, 1));
    }

    // A line with a number has a comment, unless the one above speaks for the block.
    @ParameterizedTest
    @MethodSource("machines")
    void machine_saysItsSources(Path file) throws IOException {
        boolean isExplained = false;
        for (String line : Files.readAllLines(file)) {
            boolean hasNumber = line.matches(".*=\\s*\\d.*");
            isExplained = line.contains("#") || (isExplained && !line.isBlank());
            assertThat(!hasNumber || isExplained).as("%s: %s", file, line).isTrue();
        }
    }

    @Test
    void unknownKey_isRefused(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("odd.conf");
        Files.writeString(file, Files.readString(MACHINES.resolve("xeon-e5410x2.conf")) + "\nturbo = 3\n");
        assertThatThrownBy(() -> MachineSpec.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("turbo");
    }

    @Test
    void shareOutOfBounds_isRefused() {
        Path file = MACHINES.resolve("xeon-e5410x2.conf");
        for (String share : List.of("1.1", "-0.1")) {
            assertThatThrownBy(() -> MachineSpec.read(file, "memory.walkOverlap = " + share))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("memory.walkOverlap=" + share);
        }
    }

    @Test
    void missingKey_isNamed(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("short.conf");
        Files.writeString(
                file, Files.readString(MACHINES.resolve("xeon-e5410x2.conf")).replace("pause", "paws"));
        assertThatThrownBy(() -> MachineSpec.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cpu.pause");
    }
}
