// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;

/** Threads beside the cores take turns as a kernel's do. */
class TimeSharingTest {
    private static final MachineSpec MACHINE = MachineSpec.read(Path.of("../config/machines/opteron-835x2.conf"));
    private static final double QUANTUM = 1_000_000;
    private static final double SWITCH = 0;

    /** When each thread was over, in cycles. A core's own thread sleeps until the end. */
    private static double[] run(int cores, int count, boolean favoursSleepers, ObjIntConsumer<Vm> thread) {
        int[] cpus = new int[cores];
        for (int i = 0; i < cores; i++) {
            cpus[i] = i;
        }
        Vm vm = new Vm(MACHINE, cpus, 0);
        double[] over = new double[count];
        vm.run(
                new Vm.Body() {
                    @Override
                    public void enter(int strand) {}

                    @Override
                    public void run(int strand) {
                        if (strand < cores) {
                            boolean unused = vm.block(1e10);
                        } else {
                            thread.accept(vm, strand - cores);
                            over[strand - cores] = vm.now();
                        }
                    }
                },
                Thread::new,
                new TimeSharing.Threads(count, QUANTUM, SWITCH, favoursSleepers));
        return over;
    }

    // Two threads of five quanta each end together, not one after the other.
    @Test
    void oneCore_isSharedByQuanta() {
        double[] over = run(1, 2, false, (vm, thread) -> vm.work(5 * QUANTUM));
        assertThat(over[0]).isCloseTo(9 * QUANTUM, within(0.6 * QUANTUM));
        assertThat(over[1]).isCloseTo(10 * QUANTUM, within(0.6 * QUANTUM));
    }

    @Test
    void moreCores_doAsMuchMore() {
        double[] over = run(4, 8, false, (vm, thread) -> vm.work(10 * QUANTUM));
        for (double one : over) {
            assertThat(one).isBetween(18 * QUANTUM, 21 * QUANTUM);
        }
    }

    // Work that has no whole number of cycles must end, too: what was left of it was too small to move the time.
    @Test
    void work_ofPartsOfCycles_ends() {
        double[] over = run(1, 3, true, (vm, thread) -> {
            for (int i = 0; i < 100_000; i++) {
                vm.work(123.456789 + thread / 7.0);
            }
        });
        assertThat(over[2]).isPositive();
    }

    // Thread 1 works for long; thread 0 sleeps meanwhile, and is woken by thread 2 on the other core.
    private static double wokenAt(boolean favoursSleepers) {
        Semaphore semaphore = new Semaphore(0);
        double[] over = run(2, 4, favoursSleepers, (vm, thread) -> {
            try {
                if (thread == 0) {
                    Vm.acquire(semaphore);
                } else if (thread == 3) {
                    vm.work(8.5 * QUANTUM);
                    Vm.release(semaphore);
                    vm.work(100 * QUANTUM);
                } else {
                    vm.work(100 * QUANTUM);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        return over[0];
    }

    @Test
    void sleeper_takesTheCoreOfWhoHasUsedItsQuantum_ifTheKernelFavoursIt() {
        assertThat(wokenAt(true)).isLessThan(wokenAt(false));
    }

    @Test
    void permitThatNobodyGives_isADeadlock() {
        assertThatThrownBy(() -> run(1, 1, false, (vm, thread) -> {
                    try {
                        Vm.acquire(new Semaphore(0));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .hasStackTraceContaining("deadlock");
    }

    @Test
    void badArguments_areNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TimeSharing.Threads(1, 0, 0, false))
                .withMessageContaining("quantumCycles=0");
    }
}
