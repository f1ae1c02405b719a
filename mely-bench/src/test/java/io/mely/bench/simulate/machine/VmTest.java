// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;

/** What a walk through data takes, alone and beside another core's. */
class VmTest {
    private static final Path MACHINE = Path.of("../config/machines/xeon-e5410x2.conf");
    private static final int LINES = 1_000;

    /** Of so many cores of a machine; the time each took, in cycles. */
    private static double[] run(String settings, int cores, ObjIntConsumer<Vm> handler) {
        int[] cpus = new int[cores];
        for (int i = 0; i < cores; i++) {
            cpus[i] = 2 * i; // no second level in common
        }
        Vm vm = new Vm(MachineSpec.read(MACHINE, settings), cpus, 100);
        double[] took = new double[cores];
        vm.run(
                new Vm.Body() {
                    @Override
                    public void enter(int core) {}

                    @Override
                    public void run(int core) {
                        handler.accept(vm, core);
                        took[core] = vm.now();
                    }
                },
                Thread::new);
        return took;
    }

    private static int data(Vm vm, int lines) {
        return vm.newData((long) lines * CacheModel.LINE_BYTES);
    }

    /** Of a walk through new data. */
    private static double walk(String settings, double computing) {
        return run(settings, 1, (vm, core) -> vm.walk(data(vm, LINES), LINES, true, computing))[0];
    }

    // A core that walks far at a time is ahead of the others, and must not be met on the link by those who come to that
    // time later: a walk of ten lines had waited as long as the other core's of a thousand.
    @Test
    void walk_besideALongOne_waitsForItsShareOfTheLinkOnly() {
        String settings = "memory { busCycles = 1, streamOverlap = 1 }";
        double alone = run(settings, 1, (vm, core) -> vm.stream(data(vm, 10), 10, true))[0];
        double beside = run(settings, 2, (vm, core) -> vm.stream(data(vm, 10), core == 0 ? LINES : 10, true))[1];
        assertThat(beside).isBetween(alone, 1.1 * alone);
    }

    // Two cores of a package want more than its link carries.
    @Test
    void walks_togetherTakeWhatTheLinkTakes() {
        String settings = "memory { busCycles = 200, streamOverlap = 1 }";
        double[] both = run(settings, 2, (vm, core) -> vm.stream(data(vm, LINES), LINES, true));
        assertThat(both[0]).isCloseTo(2 * LINES * 200, within(LINES * 4.0));
    }

    @Test
    void walk_computesMeanwhile() {
        double waiting = walk("", 0);
        assertThat(walk("memory.walkOverlap = 0", 30_000)).isEqualTo(waiting + 30_000);
        assertThat(walk("memory.walkOverlap = 0.5", 30_000)).isEqualTo(waiting + 15_000);
        assertThat(walk("memory.walkOverlap = 0.5", 10 * waiting)).isEqualTo(10.5 * waiting);
    }

    @Test
    void walk_thatGoesOn_doesNotBeginAnew() {
        String settings = "memory.walkStart = 2";
        double latency = MachineSpec.read(MACHINE).memory().latency();
        double whole = walk("", 0);
        assertThat(walk(settings, 0)).isEqualTo(whole + 2 * latency);
        double inParts = run(settings, 1, (vm, core) -> {
            int first = data(vm, LINES);
            for (int at = 0; at < LINES; at += LINES / 10) {
                vm.stream(first + at, LINES / 10, true);
            }
        })[0];
        assertThat(inParts).isEqualTo(whole + 2 * latency);
        double backwards = run(settings, 1, (vm, core) -> {
            int first = data(vm, LINES);
            for (int at = LINES - LINES / 10; at >= 0; at -= LINES / 10) {
                vm.stream(first + at, LINES / 10, true);
            }
        })[0];
        assertThat(backwards).isEqualTo(whole + 10 * 2 * latency);
    }

    // What arrived while a core was on its way to sleep did not wake it: in the search engine all cores came to sleep
    // for ever.
    @Test
    void interrupt_ofACoreThatIsAboutToSleep_endsTheSleep() {
        double[] took = run("", 2, (vm, core) -> {
            if (core == 0) {
                boolean unused = vm.block(1e12);
            } else {
                vm.work(500); // less than it takes to fall asleep, but more than a core may be ahead
                vm.interruptAt(0, 50_000);
            }
        });
        assertThat(took[0]).isBetween(50_000.0, 100_000.0);
    }
}
