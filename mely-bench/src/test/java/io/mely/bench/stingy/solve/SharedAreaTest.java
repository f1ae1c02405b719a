// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.model.StageModel.StageNode;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import io.mely.deploy.stingy.RuntimePlan;
import io.mely.spi.Supply;
import io.mely.stingy.Stingy;
import io.mely.stingy.StingyAllocator;
import io.mely.stingy.StingyPlan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

// Many requests on their way through an acyclic graph, each waiting until the runtime's region has all that its next
// stage allocates: one of them always goes on.
class SharedAreaTest {
    private static final int REQUESTS = 30;
    private static final int LINE_BYTES = 64;

    /** A request waits for a stage, and holds buffers by object. */
    private static final class Request {
        private int stage;
        private final Map<String, List<ByteBuf>> held = new HashMap<>();
    }

    private final long seed = Long.getLong("mely.seed", 17);
    private final Random random = new Random(seed);
    private StageModel model;
    private Map<String, StageUse> uses;
    private Stingy stingy;
    private StingyAllocator allocator;

    /** Runs requests until all are through; false if none can go on. */
    private boolean run(StageModel program, MemoryPlan plan, StingyPlan runtimePlan) {
        model = program;
        uses = new HashMap<>();
        plan.stages().forEach(use -> uses.put(use.name(), use));
        stingy = Stingy.of(runtimePlan, 1);
        allocator = stingy.allocator(UnpooledByteBufAllocator.DEFAULT);
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(new Request());
        }
        while (!requests.isEmpty()) {
            int start = random.nextInt(requests.size());
            boolean isStuck = true;
            for (int tried = 0; isStuck && tried < requests.size(); tried++) {
                isStuck = !step(requests, (start + tried) % requests.size());
            }
            if (isStuck) {
                requests.forEach(request -> List.copyOf(request.held.keySet()).forEach(name -> free(request, name)));
                return false;
            }
        }
        stingy.stats().sites().forEach(site -> {
            assertThat(site.live()).as("%s", site).isZero();
            assertThat(site.fallbacks() + site.undeclared() + site.guards())
                    .as("%s", site)
                    .isZero();
        });
        return true;
    }

    private boolean step(List<Request> requests, int number) {
        Request request = requests.get(number);
        StageNode stage = model.stages().get(request.stage);
        StageUse use = uses.get(stage.name());
        if (use != null && !use.allocs().isEmpty()) {
            Supply supply = stingy.supply(stage.name());
            if (!supply.tryTake(0, 1)) {
                return false;
            }
            use.allocs().forEach((object, count) -> {
                for (int i = 0; i < count; i++) {
                    request.held
                            .computeIfAbsent(object, name -> new ArrayList<>())
                            .add(allocator.at(object).buffer(0));
                }
            });
            supply.giveBack(0);
        }
        (use == null ? List.<String>of() : List.copyOf(use.frees().keySet())).forEach(object -> free(request, object));
        if (stage.next().isEmpty()) {
            List.copyOf(request.held.keySet()).forEach(object -> free(request, object));
            requests.remove(number);
        } else {
            List<String> next = List.copyOf(stage.next());
            String chosen = next.get(random.nextInt(next.size()));
            while (!model.stages().get(request.stage).name().equals(chosen)) {
                request.stage++; // later ones come later
            }
        }
        return true;
    }

    private static void free(Request request, String object) {
        List<ByteBuf> buffers = request.held.remove(object);
        if (buffers != null) {
            buffers.forEach(buffer -> assertThat(buffer.release()).isTrue());
        }
    }

    /** The same without room of its own for each object. */
    private static StingyPlan withoutOwn(StingyPlan plan) {
        StingyPlan.Builder builder = StingyPlan.builder(plan.regionBytes());
        plan.sites().forEach(site -> builder.site(site.name(), site.sizeBytes(), site.count(), site.area()));
        plan.stages().forEach(stage -> builder.stage(stage, plan.needs(stage)));
        return builder.build();
    }

    private StageModel randomProgram() {
        StageModel any = Models.random(random, 8, 6, 400, 1);
        return new StageModel(1_024 + random.nextInt(8_192), LINE_BYTES, 0, any.objects(), any.stages());
    }

    @Test
    void separateAreas_needNoRoomOfTheirOwn() {
        int planned = 0;
        for (int i = 0; i < 100; i++) {
            StageModel program = randomProgram();
            try {
                MemoryPlan plan = new Planner(program, false).plan();
                assertThat(plan.areas()).hasSameSizeAs(plan.objects());
                if (!plan.objects().isEmpty()) {
                    assertThat(run(program, plan, withoutOwn(RuntimePlan.of(plan))))
                            .as("seed %s, graph %s: %s", seed, i, program)
                            .isTrue();
                    planned++;
                }
            } catch (InfeasibleException tooLarge) {
                assertThat(tooLarge).hasMessageContaining("are missing");
            }
        }
        assertThat(planned).isGreaterThan(50);
    }

    // And without the room that is each object's own, some of the same programs stop.
    @Test
    void requests_alwaysGetThrough() {
        int shared = 0;
        int stuckWithoutOwn = 0;
        for (int i = 0; i < 150; i++) {
            StageModel program = randomProgram();
            try {
                MemoryPlan plan = new Planner(program).plan();
                if (plan.areas().size() < plan.objects().size()) {
                    StingyPlan runtimePlan = RuntimePlan.of(plan);
                    assertThat(run(program, plan, runtimePlan))
                            .as("seed %s, graph %s: %s", seed, i, program)
                            .isTrue();
                    shared++;
                    stuckWithoutOwn += run(program, plan, withoutOwn(runtimePlan)) ? 0 : 1;
                }
            } catch (InfeasibleException tooLarge) {
                assertThat(tooLarge).hasMessageContaining("are missing");
            }
        }
        assertThat(shared).isGreaterThan(20);
        assertThat(stuckWithoutOwn).isPositive();
    }
}
