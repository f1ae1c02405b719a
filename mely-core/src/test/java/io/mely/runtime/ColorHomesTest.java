// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ColorHomesTest {
    private static final int COLORS = 100;

    /** Of versions. */
    private static final int WRAP = 1 << 22;

    /** Has no factor in common with the colors of a thread. */
    private static final int ODD = 171;

    @ParameterizedTest
    @CsvSource({"1, 0", "7, 2", "100, 1023", "101, 0", "255, 1", "256, 1023", "67108864, 5"})
    void where_holdsTheCore_andChangesWithEachMove(int number, int core) {
        ColorHomes homes = new ColorHomes(COLORS, slot -> core);
        homes.enter(number);
        int before = homes.where(number);
        assertThat(homes.coreOfColor(number)).isEqualTo(core);
        assertThat(ColorHomes.coreOf(before)).isEqualTo(core);
        homes.move(number, 1_023 - core);
        assertThat(homes.coreOfColor(number)).isEqualTo(1_023 - core);
        homes.move(number, core);
        assertThat(homes.coreOfColor(number)).isEqualTo(core);
        assertThat(homes.where(number)).as("it was away").isNotEqualTo(before);
    }

    @Test
    void where_versionWraps_afterAsManyMovesAsItsDocSays() {
        ColorHomes homes = new ColorHomes(COLORS, slot -> 1_023);
        int before = homes.where(3);
        for (int i = 1; i < WRAP; i++) {
            homes.move(3, 1_023);
            if (homes.where(3) == before) {
                fail("same word after %d moves", i);
            }
        }
        homes.move(3, 1_023);
        assertThat(homes.where(3)).isEqualTo(before);
    }

    @Test
    void firstHomes_areAskedOnce_ofEachSlot() {
        List<Integer> asked = new ArrayList<>();
        ColorHomes homes = new ColorHomes(COLORS, slot -> {
            asked.add(slot);
            return slot % 3;
        });
        assertThat(asked).isEqualTo(IntStream.range(0, COLORS).boxed().toList());
        homes.enter(COLORS);
        assertThat(asked).hasSize(COLORS);
        homes.enter(COLORS + 1);
        homes.enter(1_001);
        assertThat(asked).hasSize(COLORS + 2).endsWith(COLORS, 1_000);
        for (int number : new int[] {5, 1, 100, 101, 1_001}) {
            assertThat(homes.coreOfColor(number)).isEqualTo((number - 1) % 3);
        }
        assertThat(asked).as("looks ask nobody").hasSize(COLORS + 2);
    }

    @Test
    void move_leavesAllOthersWhereTheyAre() {
        ColorHomes homes = new ColorHomes(COLORS, slot -> 7);
        int last = COLORS + 2 * 256 + 1; // of the table, of two chunks, and one more
        for (int number = 1; number <= last; number++) {
            homes.enter(number);
        }
        for (int moved = 1; moved <= last; moved++) {
            homes.move(moved, 3);
            for (int number = 1; number <= last; number++) {
                assertThat(homes.coreOfColor(number)).isEqualTo(number <= moved ? 3 : 7);
            }
        }
    }

    /** Moves of some threads, each of colors of its own, while all of them make chunks. */
    @Test
    void move_whileTheTableGrows_isNotLost() throws Exception {
        int threads = 4;
        int each = 400;
        ColorHomes homes = new ColorHomes(COLORS, slot -> 0);
        CyclicBarrier start = new CyclicBarrier(threads);
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int me = 0; me < threads; me++) {
            int mine = me;
            FutureTask<Integer> task = new FutureTask<>(() -> {
                start.await();
                for (int i = 0; i < each; i++) {
                    homes.move(1 + mine + threads * (i * ODD % each), 1 + mine); // chunk by chunk, out of order
                }
                return mine;
            });
            tasks.add(task);
            new Thread(task, "mover-" + me).start();
        }
        for (FutureTask<Integer> task : tasks) {
            task.get();
        }
        for (int me = 0; me < threads; me++) {
            for (int i = 0; i < each; i++) {
                assertThat(homes.coreOfColor(1 + me + threads * i)).isEqualTo(1 + me);
            }
        }
    }
}
