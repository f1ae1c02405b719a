// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PinningTest {
    private static final int NO_CPU = CpuSet.CPUS_MAX - 1;

    /** On a thread that ends afterwards: pinning is for life. */
    private static <T> T onOwnThread(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task, "pinned");
        thread.start();
        return task.get();
    }

    private static IntConsumer way(String name) {
        return name.equals("openhft") ? Pinning::pinByOpenHft : Pinning::pinByJna;
    }

    private static boolean pin(String name, int cpu) {
        return Pinning.pin(cpu, List.of(way(name)), warning -> {});
    }

    private static CpuSet mask() {
        return LinuxAffinity.get(LinuxAffinity.CALLING_THREAD);
    }

    // Both ways really bind: the kernel's mask says so, the process's own stays.
    @ParameterizedTest
    @ValueSource(strings = {"openhft", "jna"})
    void pin_eachAllowedCpu_isWhereTheThreadRuns(String name) throws Exception {
        assumeTrue(LinuxAffinity.UNAVAILABLE == null);
        int process = Math.toIntExact(ProcessHandle.current().pid());
        for (int cpu : Cpus.allowed().stream().limit(4).toArray()) {
            CpuSet mask = onOwnThread(() -> {
                if (!pin(name, cpu)) {
                    return CpuSet.of();
                }
                assertThat(Cpus.current()).isEqualTo(cpu);
                return mask();
            });
            assumeFalse(mask.isEmpty(), "pinning is forbidden here");
            assertThat(mask).isEqualTo(CpuSet.of(cpu));
        }
        assertThat(LinuxAffinity.get(process)).isEqualTo(Cpus.allowed());
    }

    // Threads begin with the CPUs of who starts them, so who is pinned is not meanwhile, and is again afterwards,
    // whatever happens.
    @Test
    void doUnpinned_isUnpinnedMeanwhileOnly() throws Exception {
        assumeTrue(LinuxAffinity.UNAVAILABLE == null);
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

    // A failure is false, and the process hears of it at most once.
    @Test
    void pinCallingThread_cpuThatIsNotThere_isFalse() throws Exception {
        assumeFalse(Cpus.allowed().contains(NO_CPU));
        try (LogCapture log = new LogCapture()) {
            assertThat(onOwnThread(() -> Pinning.pinCallingThread(NO_CPU))).isFalse();
            assertThat(onOwnThread(() -> Pinning.pinCallingThread(NO_CPU))).isFalse();
            assertThat(log.messages()).hasSizeLessThan(2);
        }
    }

    @Test
    void pin_noWayThatWorks_saysReasonsAndConsequence() {
        List<String> warnings = new ArrayList<>();
        IntConsumer missing = cpu -> {
            throw new UnsupportedOperationException("no OpenHFT");
        };
        IntConsumer refusing = cpu -> {
            throw new UnsupportedOperationException("forbidden here");
        };

        assertThat(Pinning.pin(3, List.of(missing, refusing), warnings::add)).isFalse();

        assertThat(warnings)
                .containsExactly("Pinning a thread failed; threads float between CPUs, which is slower but gives"
                        + " right results: cpu=3, reasons=[no OpenHFT, forbidden here]");
    }

    // A module path may lack OpenHFT, whose jar has no module name.
    @Test
    void pin_firstWayFails_isDoneTheOtherWayQuietly() {
        List<String> warnings = new ArrayList<>();
        List<Integer> pinned = new ArrayList<>();
        IntConsumer missing = cpu -> {
            throw new UnsupportedOperationException("no OpenHFT");
        };

        assertThat(Pinning.pin(3, List.of(missing, pinned::add), warnings::add)).isTrue();

        assertThat(pinned).containsExactly(3);
        assertThat(warnings).isEmpty();
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
        assumeTrue(LinuxAffinity.UNAVAILABLE == null);
        assertThatThrownBy(() -> LinuxAffinity.set(LinuxAffinity.CALLING_THREAD, CpuSet.of(NO_CPU)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageMatching("sched_setaffinity failed: tid=0, cpus=65535, errno=\\d+");
    }
}
