// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.deploy.stingy.DeclarationCheck;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import io.mely.deploy.stingy.RuntimePlan;
import io.mely.runtime.Hooks;
import io.mely.stingy.Stingy;
import io.mely.stingy.StingyAlloc;
import io.mely.stingy.StingyAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

// Each stage that allocates otherwise than declared is named, and no other.
class DeclarationCheckTest {
    private static StageUse stage(String name, Map<String, Integer> allocs) {
        return stage(name, allocs, Map.of());
    }

    private static StageUse stage(String name, Map<String, Integer> allocs, Map<String, Integer> mayAlloc) {
        return new StageUse(name, new TreeMap<>(allocs), new TreeMap<>(mayAlloc), new TreeMap<>());
    }

    private static MemoryPlan plan(StageUse... stages) {
        List<PlannedObject> objects =
                List.of(new PlannedObject("head", 64, 9, 1, 0, ""), new PlannedObject("body", 64, 9, 2, 1, ""));
        return new MemoryPlan(1 << 16, 64, objects, List.of(stages), new TreeMap<>());
    }

    /** Read allocates a head each time and two bodies every other time; Write nothing. */
    private static List<String> run(MemoryPlan plan) {
        return run(plan, 63);
    }

    private static List<String> run(MemoryPlan plan, int largest) {
        DeclarationCheck check = new DeclarationCheck(plan);
        Stingy stingy = Stingy.of(RuntimePlan.of(plan), 1);
        stingy.observe(check);
        StingyAllocator allocator = stingy.allocator(UnpooledByteBufAllocator.DEFAULT);
        assertThat(allocator.at("head").buffer(1_000).release()).isTrue(); // of no stage
        try (Mely mely = Hooks.NONE
                .withObservers(check)
                .on(Mely.builder())
                .cores(1)
                .build()
                .start()) {
            Stage<Integer> write = mely.stage("Write", number -> {});
            Stage<Integer> read = mely.stage("Read", number -> {
                assertThat(allocator.at("head").buffer(20).release()).isTrue();
                if (number % 2 == 0) {
                    assertThat(allocator.at("body").buffer(30).release()).isTrue();
                    StingyAlloc.use(stingy); // as a rewritten program allocates
                    assertThat(StingyAlloc.buffer(UnpooledByteBufAllocator.DEFAULT, 1, largest)
                                    .release())
                            .isTrue();
                    StingyAlloc.use(null);
                    assertThat(allocator.at(7).buffer(1).release()).isTrue(); // not planned
                }
                write.send(number);
            });
            for (int i = 0; i < 10; i++) {
                read.send(i);
            }
            assertThat(mely.close(Duration.ofSeconds(30)).isDrained()).isTrue();
        }
        return check.mismatches();
    }

    @Test
    void planThatHolds_hasNoMismatch() {
        assertThat(run(plan(stage("Read", Map.of("head", 1, "body", 2))))).isEmpty();
        assertThat(run(plan(stage("Read", Map.of("head", 1), Map.of("body", 2)))))
                .isEmpty();
    }

    @Test
    void mismatches_areNamedByStageAndObject() {
        assertThat(run(plan(
                        stage("Read", Map.of("head", 2, "body", 1)),
                        stage("Write", Map.of("head", 1)),
                        stage("Close", Map.of("head", 1)))))
                .containsExactly(
                        "stage Read: declared are 2 of head, and no event allocated more than 1",
                        "stage Read: an event allocated 2 of body, declared are 1",
                        "stage Write: declared are 1 of head, and no event allocated more than 0",
                        "stage Close: is declared, and no event of it has run");
        assertThat(run(plan()))
                .containsExactly(
                        "stage Read: an event allocated 1 of head, declared are 0",
                        "stage Read: an event allocated 2 of body, declared are 0");
    }

    @Test
    void sizes_areCompared() {
        assertThat(run(plan(stage("Read", Map.of("head", 1, "body", 2))), 64))
                .containsExactly("stage Read: an event asked for 64 bytes of body, served are fewer than 64");
    }
}
