// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuotaTest {
    @TempDir
    Path temp;

    private final LogCapture log = new LogCapture();

    @AfterEach
    void closeLog() {
        log.close();
    }

    private void container(String cgroup) {
        Machines.write(temp.resolve("proc/self/cgroup"), cgroup);
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
        assertThat(Cpus.quota(Machines.container(container))).isCloseTo(cpus, within(1e-9));
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void read_max_isNoLimit() {
        assertThat(Cpus.quota(Machines.container("unlimited"))).isInfinite();
        assertThat(log.messages()).isEmpty();
    }

    // A limit that says nothing understandable is none; the ancestor's still counts.
    @Test
    void read_malformed_warnsOnceAndKeepsTheOtherLimits() {
        assertThat(Cpus.quota(Machines.container("malformed"))).isEqualTo(4.0);
        assertThat(log.messages())
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
        container("0::/web");
        Machines.write(temp.resolve("sys/fs/cgroup/web/cpu.max"), value);

        assertThat(Cpus.quota(temp)).isInfinite();
        assertThat(log.messages()).hasSize(1);
    }

    @Test
    void read_version1WithoutPeriod_isNoLimit() {
        container("2:cpu:/");
        Machines.write(temp.resolve("sys/fs/cgroup/cpu/cpu.cfs_quota_us"), "100000");

        assertThat(Cpus.quota(temp)).isInfinite();
        assertThat(log.messages()).singleElement().asString().contains("cpu.cfs_period_us is missing");
    }

    // In a namespace of its own the container's group is the mount point, and its path is "/".
    @Test
    void read_ownNamespace_isTheMountPoint() {
        container("0::/");
        Machines.write(temp.resolve("sys/fs/cgroup/cpu.max"), "75000 100000");

        assertThat(Cpus.quota(temp)).isEqualTo(0.75);
    }

    // The host's name of a group that is not below our mount.
    @ParameterizedTest
    @ValueSource(strings = {"0::/docker/1f9a", "0::/../other", "0::/a/../../../../../../etc"})
    void read_groupNotBelowTheMount_isTheMountPoint(String cgroup) {
        container(cgroup);
        Machines.write(temp.resolve("sys/fs/cgroup/cpu.max"), "75000 100000");

        assertThat(Cpus.quota(temp)).isEqualTo(0.75);
        assertThat(log.messages()).isEmpty();
    }

    // A group's name may contain what separates the fields.
    @Test
    void read_colonInTheName_isPartOfIt() {
        container("0::/web:1");
        Machines.write(temp.resolve("sys/fs/cgroup/web:1/cpu.max"), "75000 100000");

        assertThat(Cpus.quota(temp)).isEqualTo(0.75);
    }

    // CentOS 7 names the controllers of a hierarchy in another order than its mount point does.
    @Test
    void read_version1OtherOrder_isFound() {
        container("4:cpuacct,cpu:/web");
        Machines.write(temp.resolve("sys/fs/cgroup/cpu,cpuacct/web/cpu.cfs_quota_us"), "75000");
        Machines.write(temp.resolve("sys/fs/cgroup/cpu,cpuacct/web/cpu.cfs_period_us"), "100000");

        assertThat(Cpus.quota(temp)).isEqualTo(0.75);
    }

    // The same name in the other version's hierarchy is another group.
    @Test
    void read_version2Name_isNotLookedUpInVersion1() {
        container("4:cpu,cpuacct:/\n0::/web");
        Machines.write(temp.resolve("sys/fs/cgroup/cpu/web/cpu.cfs_quota_us"), "75000");
        Machines.write(temp.resolve("sys/fs/cgroup/cpu/web/cpu.cfs_period_us"), "100000");

        assertThat(Cpus.quota(temp)).isInfinite();
    }

    // No cgroups, or not Linux: nothing to warn of.
    @Test
    void read_nothingThere_isNoLimit() {
        assertThat(Cpus.quota(temp.resolve("none"))).isInfinite();
        container("nonsense\n1:\n::");
        assertThat(Cpus.quota(temp)).isInfinite();
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void read_unreadableProc_warnsOnce() throws IOException {
        Files.createDirectories(temp.resolve("proc/self/cgroup"));

        assertThat(Cpus.quota(temp)).isInfinite();
        assertThat(log.messages()).singleElement().asString().contains("cgroup is not a regular file");
    }

    // No file system has such a name, and no runtime fails for it.
    @Test
    void read_impossibleName_warnsOnce() {
        container("0::/a\u0000b");

        assertThat(Cpus.quota(temp)).isInfinite();
        assertThat(log.messages()).singleElement().asString().contains("counts as none");
    }

    // Whatever container the test runs in, asking does not fail.
    @Test
    void ofThisProcess_isPositiveOrNone() {
        assertThat(Cpus.quota()).isPositive();
    }
}
