// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpusTest {
    private static final Supplier<CpuSet> NO_KERNEL = () -> {
        throw new UnsupportedOperationException("not Linux but Plan 9");
    };

    @TempDir
    Path temp;

    private final List<String> warnings = new ArrayList<>();

    private CpuSet allowed(Supplier<CpuSet> kernel) {
        return Cpus.allowed(kernel, temp, 3, warnings::add);
    }

    @Test
    void allowed_kernelAnswers_isThatWithoutWarning() {
        assertThat(allowed(() -> CpuSet.of(1, 5))).hasToString("1,5");
        assertThat(warnings).isEmpty();
    }

    // The text lists CPUs that could come one day; only those that are there count.
    @Test
    void allowed_noKernel_isTheStatusOnline() {
        Machines.write(temp.resolve("proc/self/status"), "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t2-127\n");
        Machines.write(temp.resolve("sys/devices/system/cpu/online"), "0-7");

        assertThat(allowed(NO_KERNEL)).hasToString("2-7");
        assertThat(warnings)
                .containsExactly("The affinity mask cannot be read (not Linux but Plan 9);"
                        + " the allowed CPUs are taken from /proc/self/status: cpus=2-7");
    }

    @Test
    void allowed_noStatus_isTheCpuset() {
        for (String[] expected : new String[][] {{"v2-ancestor", "1-2"}, {"v1", "4-5"}}) {
            CpuSet cpus = Cpus.allowed(NO_KERNEL, Machines.container(expected[0]), 3, warnings::add);

            assertThat(cpus).hasToString(expected[1]);
        }
        assertThat(warnings).hasSize(2).allMatch(warning -> warning.contains("the cgroup's cpuset"));
    }

    @Test
    void allowed_garbageEverywhere_isTheJvmsCount() {
        Machines.write(temp.resolve("proc/self/status"), "Cpus_allowed_list:\tall");

        assertThat(allowed(NO_KERNEL)).hasToString("0-2");
        assertThat(allowed(CpuSet::of)).as("an empty mask is no answer").hasToString("0-2");
        assertThat(warnings).hasSize(2).last().asString().contains("the mask is empty");
    }

    @Test
    void allowed_thisProcess_isNotEmptyAndStays() {
        assertThat(Cpus.allowed().isEmpty()).isFalse();
        assertThat(Cpus.allowed()).isSameAs(Cpus.allowed());
    }

    @Test
    void current_onLinux_isAnAllowedCpu() {
        assumeTrue(LinuxAffinity.unavailableReason() == null);

        assertThat(Cpus.allowed().contains(Cpus.current())).isTrue();
    }

    @Test
    void current_elsewhere_isUnknown() {
        assumeTrue(LinuxAffinity.unavailableReason() != null);

        assertThat(Cpus.current()).isEqualTo(-1);
    }
}
