// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpusTest {
    @TempDir
    Path temp;

    private final List<String> warnings = new ArrayList<>();

    private CpuSet allowed() {
        return Cpus.allowed(temp, 3, warnings::add);
    }

    // The text lists CPUs that could come one day; only those that are there count.
    @Test
    void allowed_status_isItsListOnline() {
        Machines.write(temp.resolve("proc/self/status"), "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t2-127\n");
        Machines.write(temp.resolve("sys/devices/system/cpu/online"), "0-7");

        assertThat(allowed()).hasToString("2-7");
        assertThat(warnings).isEmpty();
    }

    @Test
    void allowed_noOnlineFile_isTheList() {
        Machines.write(temp.resolve("proc/self/status"), "Cpus_allowed_list:\t1,5");

        assertThat(allowed()).hasToString("1,5");
        assertThat(warnings).isEmpty();
    }

    // Not Linux: the JVM knows its masks.
    @Test
    void allowed_noStatus_isTheJvmsCount() {
        assertThat(allowed()).hasToString("0-2");
        assertThat(warnings).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cpus_allowed_list:\tall", "Cpus_allowed_list:\t", "Name:\tjava"})
    void allowed_garbage_isTheJvmsCountWithOneWarning(String status) {
        Machines.write(temp.resolve("proc/self/status"), status);

        assertThat(allowed()).hasToString("0-2");
        assertThat(warnings).singleElement().asString().endsWith("cpus=0-2");
    }

    @Test
    void allowed_thisProcess_isNotEmptyAndStays() {
        assertThat(Cpus.allowed().isEmpty()).isFalse();
        assertThat(Cpus.allowed()).isSameAs(Cpus.allowed());
    }

    @Test
    void current_onLinux_isAnAllowedCpu() {
        assumeTrue(LinuxAffinity.UNAVAILABLE == null);

        assertThat(Cpus.allowed().contains(Cpus.current())).isTrue();
    }

    @Test
    void current_elsewhere_isUnknown() {
        assumeTrue(LinuxAffinity.UNAVAILABLE != null);

        assertThat(Cpus.current()).isEqualTo(-1);
    }
}
