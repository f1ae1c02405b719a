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

    // Both ways really bind: the kernel's mask says so, the process's own stays.
    @ParameterizedTest
    @ValueSource(strings = {"openhft", "jna"})
    void pinCallingThread_eachAllowedCpu_isWhereTheThreadRuns(String value) throws Exception {
        assumeTrue(LinuxAffinity.unavailableReason() == null);
        CpuSet before = LinuxAffinity.ofProcess();
        Pinning pinning = Pinning.of(value);
        for (int cpu : Cpus.allowed().stream().limit(4).toArray()) {
            CpuSet mask = onOwnThread(() -> {
                if (!pinning.pinCallingThread(cpu)) {
                    return CpuSet.of();
                }
                assertThat(Cpus.current()).isEqualTo(cpu);
                return LinuxAffinity.ofCallingThread();
            });
            assumeFalse(mask.isEmpty(), "pinning is forbidden here");
            assertThat(mask).isEqualTo(CpuSet.of(cpu));
        }
        assertThat(LinuxAffinity.ofProcess()).isEqualTo(before).isEqualTo(Cpus.allowed());
    }

    // Threads begin with the CPUs of who starts them, so who is pinned is not meanwhile, and is again afterwards,
    // whatever happens.
    @ParameterizedTest
    @ValueSource(strings = {"openhft", "jna"})
    void doUnpinned_isUnpinnedMeanwhileOnly(String value) throws Exception {
        assumeTrue(LinuxAffinity.unavailableReason() == null);
        Pinning pinning = Pinning.of(value);
        int cpu = Cpus.allowed().stream().min().orElseThrow();
        List<CpuSet> masks = onOwnThread(() -> {
            List<CpuSet> seen = new ArrayList<>();
            if (pinning.pinCallingThread(cpu)) {
                assertThatThrownBy(() -> pinning.doUnpinned(cpu, () -> {
                            seen.add(LinuxAffinity.ofCallingThread());
                            throw new IllegalStateException("planned");
                        }))
                        .hasMessage("planned");
                seen.add(LinuxAffinity.ofCallingThread());
            }
            return seen;
        });
        assumeFalse(masks.isEmpty(), "pinning is forbidden here");
        assertThat(masks).containsExactly(Cpus.allowed(), CpuSet.of(cpu));
    }

    // A failure is false, and the process hears of it at most once.
    @ParameterizedTest
    @ValueSource(strings = {"openhft", "jna"})
    void pinCallingThread_cpuThatIsNotThere_isFalse(String value) throws Exception {
        assumeFalse(Cpus.allowed().contains(NO_CPU));
        try (LogCapture log = new LogCapture()) {
            Pinning pinning = Pinning.of(value);
            assertThat(onOwnThread(() -> pinning.pinCallingThread(NO_CPU))).isFalse();
            assertThat(onOwnThread(() -> pinning.pinCallingThread(NO_CPU))).isFalse();
            assertThat(log.messages()).hasSizeLessThan(2);
        }
    }

    @Test
    void pinCallingThread_failure_saysReasonAndConsequence() {
        List<String> warnings = new ArrayList<>();
        Pinner refusing = cpu -> {
            throw new UnsupportedOperationException("forbidden here");
        };

        assertThat(new Pinning("jna", refusing, null, warnings::add).pinCallingThread(3))
                .isFalse();

        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("threads float")
                .contains("right results")
                .contains("by=jna, cpu=3, reason=forbidden here");
    }

    // OpenHFT needs a logging library, which a module path may lack.
    @Test
    void pinCallingThread_defaultThatCannotBeUsed_isDoneTheOtherWay() {
        List<String> warnings = new ArrayList<>();
        List<Integer> pinned = new ArrayList<>();
        Pinner broken = cpu -> {
            throw new UnsupportedOperationException("OpenHFT failed: no logger");
        };
        Pinning jna = new Pinning("jna", pinned::add, null, warnings::add);

        assertThat(new Pinning("openhft", broken, jna, warnings::add).pinCallingThread(3))
                .isTrue();

        assertThat(pinned).containsExactly(3);
        assertThat(warnings)
                .containsExactly("Threads are pinned by jna, as openhft failed: reason=OpenHFT failed: no logger");
    }

    @Test
    void of_none_doesNothing() {
        Pinning pinning = Pinning.of("none");

        assertThat(pinning.isOn()).isFalse();
        assertThat(pinning.pinCallingThread(0)).isFalse();
        assertThat(pinning).hasToString("none");
    }

    // OpenHFT is among the tests' dependencies, so it is the default.
    @Test
    void of_notSet_isOpenHft() {
        assertThat(Pinning.of(null)).hasToString("openhft");
        assertThat(Pinning.of(null).isOn()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "JNA", "lock", "none "})
    void of_anotherValue_namesPropertyValueAndChoices(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pinning.of(value))
                .withMessage("mely.affinity must be openhft, jna or none: mely.affinity=\"" + value + "\"");
    }

    @Test
    void pinCallingThread_wrongCpu_namesIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pinning.of("none").pinCallingThread(-1))
                .withMessageContaining("cpu=-1");
    }

    // A mask larger than glibc's, with a CPU outside any machine, comes back as a reason.
    @Test
    void setCallingThread_unknownCpu_saysWhy() throws Exception {
        assumeTrue(LinuxAffinity.unavailableReason() == null);
        String message = onOwnThread(() -> {
            try {
                LinuxAffinity.setCallingThread(CpuSet.of(NO_CPU));
                return "worked";
            } catch (UnsupportedOperationException e) {
                return e.getMessage();
            }
        });

        assertThat(message).matches("sched_setaffinity failed: cpus=65535, errno=\\d+");
    }
}
