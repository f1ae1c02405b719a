// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuQuotaTest {
    private static final String VERSION_2_MOUNT = "31 23 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw";

    @TempDir
    Path temp;

    private final List<String> warnings = new ArrayList<>();

    private CpuQuota read(Path fsRoot) {
        return CpuQuota.read(fsRoot, warnings::add);
    }

    private void container(String cgroup, String mountinfo) {
        Machines.write(temp.resolve("proc/self/cgroup"), cgroup);
        Machines.write(temp.resolve("proc/self/mountinfo"), mountinfo);
    }

    // The least limit on the group and its ancestors wins, in every arrangement of cgroups.
    @ParameterizedTest
    @CsvSource({
        "v2-own, 1.5",
        "v2-ancestor, 2.5",
        "v1, 0.5",
        "v1-ancestor, 2.0",
        "hybrid, 3.5",
        "namespaced, 0.5",
        "namespaced-v1, 3.0",
    })
    void read_limited_isTheLeastLimit(String container, double cpus) {
        CpuQuota quota = read(Machines.container(container));

        assertThat(quota.isLimited()).isTrue();
        assertThat(quota.cpus()).isCloseTo(cpus, within(1e-9));
        assertThat(warnings).isEmpty();
    }

    @Test
    void read_max_isNoLimit() {
        CpuQuota quota = read(Machines.container("unlimited"));

        assertThat(quota.isLimited()).isFalse();
        assertThat(quota.cpus()).isInfinite();
        assertThat(warnings).isEmpty();
    }

    // A limit that says nothing understandable is none; the ancestor's still counts.
    @Test
    void read_malformed_warnsOnceAndKeepsTheOtherLimits() {
        CpuQuota quota = read(Machines.container("malformed"));

        assertThat(quota.cpus()).isEqualTo(4.0);
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("cpu.max holds no limit: \"lots 100000\"")
                .contains("counts as none");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-1 100000",
                "100000",
                "100000 0",
                "0 100000",
                "1e5 100000",
                "100000 100000 1",
                "99999999999999999999 1"
            })
    void read_malformedValues_areNoLimit(String value) {
        container("0::/web", VERSION_2_MOUNT);
        Machines.write(temp.resolve("sys/fs/cgroup/web/cpu.max"), value);

        assertThat(read(temp).isLimited()).isFalse();
        assertThat(warnings).hasSize(1);
    }

    @Test
    void read_version1WithoutPeriod_isNoLimit() {
        container("2:cpu:/", "34 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu");
        Machines.write(temp.resolve("sys/fs/cgroup/cpu/cpu.cfs_quota_us"), "100000");

        assertThat(read(temp).isLimited()).isFalse();
        assertThat(warnings).singleElement().asString().contains("cpu.cfs_period_us is missing");
    }

    // In a namespace of its own the container's group is the mount point, and its path is "/".
    @Test
    void read_ownNamespace_isTheMountPoint() {
        container("0::/", VERSION_2_MOUNT);
        Machines.write(temp.resolve("sys/fs/cgroup/cpu.max"), "75000 100000");

        assertThat(read(temp).cpus()).isEqualTo(0.75);
    }

    // The host's name of a group that is not below our mount.
    @ParameterizedTest
    @ValueSource(strings = {"0::/docker/1f9a", "0::/../other", "0::/a/../../../../../../etc", "0::/a\u0000b"})
    void read_groupNotBelowTheMount_isTheMountPoint(String cgroup) {
        container(cgroup, VERSION_2_MOUNT);
        Machines.write(temp.resolve("sys/fs/cgroup/cpu.max"), "75000 100000");

        assertThat(read(temp).cpus()).isEqualTo(0.75);
        assertThat(warnings).isEmpty();
    }

    // Of two mounts of one hierarchy the one that contains the group is taken.
    @Test
    void read_hostMountedToo_usesOurOwnMount() {
        container("0::/web", "40 23 0:26 /../.. /host/cgroup rw - cgroup2 cgroup2 rw\n" + VERSION_2_MOUNT);
        Machines.write(temp.resolve("host/cgroup/cpu.max"), "10000 100000");
        Machines.write(temp.resolve("sys/fs/cgroup/web/cpu.max"), "75000 100000");

        assertThat(read(temp).cpus()).isEqualTo(0.75);
    }

    @Test
    void read_escapedMountPoint_isFound() {
        container("0::/web:1", "31 23 0:26 / /my\\040cgroup rw - cgroup2 cgroup2 rw");
        Machines.write(temp.resolve("my cgroup/web:1/cpu.max"), "75000 100000");

        assertThat(read(temp).cpus()).isEqualTo(0.75);
        assertThat(Cgroups.unescaped("a\\134b\\011\\9\\04")).isEqualTo("a\\b\t\\9\\04");
    }

    // No cgroups, or not Linux: nothing to warn of.
    @Test
    void read_nothingThere_isNoLimit() {
        assertThat(read(temp.resolve("none")).isLimited()).isFalse();
        container("nonsense\n1:\n::", "nonsense - x\n- cgroup2\n\n1 2 3 4 5 6 - cgroup2 cgroup2 rw");
        assertThat(read(temp).isLimited()).isFalse();
        assertThat(warnings).isEmpty();
    }

    @Test
    void read_unreadableProc_warnsOnce() throws IOException {
        container("0::/", VERSION_2_MOUNT);
        Files.delete(temp.resolve("proc/self/mountinfo"));
        Files.createDirectory(temp.resolve("proc/self/mountinfo"));

        assertThat(read(temp).isLimited()).isFalse();
        assertThat(warnings).singleElement().asString().contains("mountinfo is not a regular file");
    }

    @Test
    void new_wrongLimit_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuQuota(0)).withMessageContaining("cpus=0.0");
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuQuota(Double.NaN));
    }

    // Whatever container the test runs in, asking does not fail.
    @Test
    void ofThisProcess_isPositiveOrNone() {
        CpuQuota quota = CpuQuota.ofThisProcess();

        assertThat(quota.cpus()).isPositive();
    }
}
