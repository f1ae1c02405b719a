// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy.stingy;

import io.mely.Stage;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import io.mely.runtime.HandlerObserver;
import io.mely.stingy.AllocationObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Whether a program allocates what its plan says: counts the allocations of each event, and names the stages that differ.
 *
 * <pre>{@code
 * DeclarationCheck check = new DeclarationCheck(plan);
 * stingy.observe(check);
 * Mely mely = Hooks.NONE.withObservers(check).on(Mely.builder()).build().start();
 * // ... what the program is for
 * assertThat(check.mismatches()).isEmpty();
 * }</pre>
 *
 * <p>So it observes the handlers, and the sites. Other allocators may tell it by {@link #allocated}, on the thread that allocates.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> For tests: a map look-up for each event and each allocation. <b>Source.</b> spec: Stingy §8.
 */
public final class DeclarationCheck implements HandlerObserver.Factory, AllocationObserver {
    private final MemoryPlan plan;
    private final ThreadLocal<Deque<Event>> running = ThreadLocal.withInitial(ArrayDeque::new);
    private final ConcurrentMap<String, Seen> stages = new ConcurrentHashMap<>();

    /** What the events of a stage have allocated at most, by site. */
    private static final class Seen {
        private final int[] most;
        private final int[] largest;

        Seen(int sites) {
            most = new int[sites];
            largest = new int[sites];
        }

        synchronized void ended(Event event) {
            for (int site = 0; site < most.length; site++) {
                most[site] = Math.max(most[site], event.allocated[site]);
                largest[site] = Math.max(largest[site], event.largest[site]);
            }
        }

        synchronized int largest(int site) {
            return largest[site];
        }

        synchronized int most(int site) {
            return most[site];
        }
    }

    /** An event under way. One that calls the handler of another stage waits for that. */
    private static final class Event {
        private final String stage;
        private final int[] allocated;
        private final int[] largest; // bytes

        Event(String stage, int sites) {
            this.stage = stage;
            allocated = new int[sites];
            largest = new int[sites];
        }
    }

    /**
     * Begins with nothing seen.
     *
     * @param plan that is to hold
     */
    public DeclarationCheck(MemoryPlan plan) {
        this.plan = plan;
    }

    @Override
    public HandlerObserver create(int core) {
        return new HandlerObserver() {
            @Override
            public void began(Stage<?> stage, int slot) {
                running.get().push(new Event(stage.name(), plan.objects().size()));
            }

            @Override
            public void ended() {
                Event event = running.get().pop();
                stages.computeIfAbsent(event.stage, name -> new Seen(event.allocated.length))
                        .ended(event);
            }

            @Override
            public void sent(Stage<?> stage, int slot) {
                // allocates nothing
            }
        };
    }

    /**
     * Tells of an allocation on this thread. Outside of a handler it belongs to no stage, and is left out.
     *
     * @param site number in the plan; others are not planned, and are left out
     * @param bytes that are asked for
     */
    @Override
    public void allocated(int site, int bytes) {
        Event event = running.get().peek();
        if (event != null && site >= 0 && site < event.allocated.length) {
            event.allocated[site]++;
            event.largest[site] = Math.max(event.largest[site], bytes);
        }
    }

    /**
     * Compares. Handlers that are still running do not count yet.
     *
     * @return a line for each stage and object that differ; none if the plan holds
     */
    public List<String> mismatches() {
        List<String> differences = new ArrayList<>();
        Map<String, StageUse> declared = new TreeMap<>();
        plan.stages().forEach(stage -> declared.put(stage.name(), stage));
        new TreeMap<>(stages).forEach((name, seen) -> {
            for (int site = 0; site < plan.objects().size(); site++) {
                PlannedObject object = plan.objects().get(site);
                StageUse stage = declared.get(name);
                int least = stage == null ? 0 : stage.allocs().getOrDefault(object.name(), 0);
                int limit = stage == null ? 0 : least + stage.mayAlloc().getOrDefault(object.name(), 0);
                int most = seen.most(site);
                if (seen.largest(site) >= object.sizeBytes()) {
                    differences.add("stage " + name + ": an event asked for " + seen.largest(site) + " bytes of "
                            + object.name() + ", served are fewer than " + object.sizeBytes());
                }
                if (most > limit) {
                    differences.add("stage " + name + ": an event allocated " + most + " of " + object.name()
                            + ", declared are " + limit);
                } else if (most < least) {
                    differences.add("stage " + name + ": declared are " + least + " of " + object.name()
                            + ", and no event allocated more than " + most);
                }
            }
        });
        declared.forEach((name, stage) -> {
            if (!stages.containsKey(name) && !stage.allocs().isEmpty()) {
                differences.add("stage " + name + ": is declared, and no event of it has run");
            }
        });
        return differences;
    }
}
