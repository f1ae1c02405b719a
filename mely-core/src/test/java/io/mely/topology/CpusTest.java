// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpusTest {
    @TempDir
    Path temp;

    private final LogCapture log = new LogCapture();

    @AfterEach
    void closeLog() {
        log.close();
    }

    private CpuSet allowed() {
        return Cpus.allowed(temp, 3);
    }

    // The text lists CPUs that could come one day; only those that are there count.
    @Test
    void allowed_status_isItsListOnline() {
        Machines.write(temp.resolve("proc/self/status"), "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t2-127\n");
        Machines.write(temp.resolve("sys/devices/system/cpu/online"), "0-7");

        assertThat(allowed()).hasToString("2-7");
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void allowed_noOnlineFile_isTheList() {
        Machines.write(temp.resolve("proc/self/status"), "Cpus_allowed_list:\t1,5");

        assertThat(allowed()).hasToString("1,5");
        assertThat(log.messages()).isEmpty();
    }

    // A file that is there and wrong is no reason to give the mask up quietly.
    @Test
    void allowed_garbageInOnline_isTheJvmsCountWithOneWarning() {
        Machines.write(temp.resolve("proc/self/status"), "Cpus_allowed_list:\t1,5");
        Machines.write(temp.resolve("sys/devices/system/cpu/online"), "all");

        assertThat(allowed()).hasToString("0-2");
        assertThat(log.messages()).singleElement().asString().contains("online");
    }

    // Not Linux: the JVM knows its masks.
    @Test
    void allowed_noStatus_isTheJvmsCount() {
        assertThat(allowed()).hasToString("0-2");
        assertThat(log.messages()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cpus_allowed_list:\tall", "Cpus_allowed_list:\t", "Name:\tjava"})
    void allowed_garbage_isTheJvmsCountWithOneWarning(String status) {
        Machines.write(temp.resolve("proc/self/status"), status);

        assertThat(allowed()).hasToString("0-2");
        assertThat(log.messages()).singleElement().asString().endsWith("cpus=0-2");
    }

    @Test
    void allowed_thisProcess_isNotEmptyAndStays() {
        assertThat(Cpus.allowed().isEmpty()).isFalse();
        assertThat(Cpus.allowed()).isSameAs(Cpus.allowed());
    }
}
