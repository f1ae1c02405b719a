// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PinningTest {
    private static final Path PROC = Path.of("/proc");
    private static final int NO_CPU = CpuSet.CPUS_MAX - 1;

    /** On a thread that ends afterwards: pinning is for life. */
    private static <T> T onOwnThread(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task, "pinned");
        thread.start();
        return task.get();
    }

    private static CpuSet mask() {
        try {
            return Cpus.mask(PROC.resolve("thread-self/status"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** On Linux; elsewhere there is nothing to see. */
    @BeforeEach
    void needsLinux() {
        assumeTrue(Files.exists(PROC.resolve("thread-self")));
    }

    // Both ways really bind: the kernel's mask says so, the process's own stays.
    @ParameterizedTest
    @ValueSource(strings = {"openhft", "jna"})
    void set_eachAllowedCpu_isWhereTheThreadRuns(String name) throws Exception {
        for (int cpu : Cpus.allowed().stream().limit(4).toArray()) {
            CpuSet mask = onOwnThread(() -> {
                CpuSet only = CpuSet.of(cpu);
                if (!(name.equals("openhft") ? Pinning.setByOpenHft(only) : Pinning.setOrWarn(only))) {
                    return CpuSet.of();
                }
                assertThat(Pinning.currentCpu()).isEqualTo(cpu);
                return mask();
            });
            assumeFalse(mask.isEmpty(), "pinning is forbidden here");
            assertThat(mask).isEqualTo(CpuSet.of(cpu));
        }
        assertThat(Cpus.mask(PROC.resolve("self/status"))).isEqualTo(Cpus.allowed());
    }

    // Threads begin with the CPUs of who starts them, so who is pinned is not meanwhile, and is again afterwards,
    // whatever happens.
    @Test
    void doUnpinned_isUnpinnedMeanwhileOnly() throws Exception {
        int cpu = Cpus.allowed().first();
        List<CpuSet> masks = onOwnThread(() -> {
            List<CpuSet> seen = new ArrayList<>();
            if (Pinning.pinCallingThread(cpu)) {
                assertThatThrownBy(() -> Pinning.doUnpinned(cpu, () -> {
                            seen.add(mask());
                            throw new IllegalStateException("planned");
                        }))
                        .hasMessage("planned");
                seen.add(mask());
            }
            return seen;
        });
        assumeFalse(masks.isEmpty(), "pinning is forbidden here");
        assertThat(masks).containsExactly(Cpus.allowed(), CpuSet.of(cpu));
    }

    // A failure is false, and the process hears of it once: why, and what happens instead.
    @Test
    void pinCallingThread_cpuThatIsNotThere_isFalse() throws Exception {
        assumeFalse(Cpus.allowed().contains(NO_CPU));
        Pinning.HAS_WARNED.set(false);
        try (LogCapture log = new LogCapture()) {
            assertThat(onOwnThread(() -> Pinning.pinCallingThread(NO_CPU))).isFalse();
            assertThat(onOwnThread(() -> Pinning.pinCallingThread(NO_CPU))).isFalse();
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("threads float", "slower but gives right results", "cpus=65535", "errno=");
        }
    }

    @Test
    void pinCallingThread_wrongCpu_namesIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pinning.pinCallingThread(-1))
                .withMessageContaining("cpu=-1");
    }

    // A mask larger than glibc's, with a CPU outside any machine, comes back as a reason.
    @Test
    void set_unknownCpu_saysWhy() {
        assertThatThrownBy(() -> Pinning.set(0, CpuSet.of(NO_CPU)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageMatching("sched_setaffinity failed: tid=0, cpus=65535, errno=\\d+");
    }
}
