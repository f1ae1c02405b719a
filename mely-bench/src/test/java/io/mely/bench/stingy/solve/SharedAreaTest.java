// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.stingy.model.AreaSize;
import io.mely.bench.stingy.model.MemoryPlan;
import io.mely.bench.stingy.model.MemoryPlan.PlannedObject;
import io.mely.bench.stingy.model.MemoryPlan.StageUse;
import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.model.StageModel.StageNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

// Many requests on their way through an acyclic graph, each waiting for all that its next stage allocates: one of them
// always goes on.
class SharedAreaTest {
    /** An area whose cells hold instances of one object at a time, beside one request's instances of each. */
    private static final class Area {
        private final Map<String, PlannedObject> objects = new HashMap<>();
        private final Map<String, Integer> own = new HashMap<>();
        private final List<Cell> cells = new ArrayList<>();
        private long cellBytes;

        private static final class Cell {
            private String object = "";
            private int taken;
        }

        Area(MemoryPlan plan, int number, boolean hasOwn) {
            long bytes = plan.areas().get(number).bytes();
            for (PlannedObject object : plan.objects()) {
                if (object.area() == number) {
                    objects.put(object.name(), object);
                    cellBytes = Math.max(cellBytes, object.sizeBytes());
                    own.put(object.name(), hasOwn ? object.ownCount() : 0);
                    bytes -= hasOwn ? object.ownCount() * object.sizeBytes() : 0;
                }
            }
            for (long at = cellBytes; at <= bytes; at += cellBytes) {
                cells.add(new Cell());
            }
        }

        private long perCell(String object) {
            return AreaSize.perCell(objects.get(object).sizeBytes(), cellBytes);
        }

        /** A place: null is the object's own; false if there is none. */
        boolean take(String object, List<Cell> places) {
            if (own.get(object) > 0) {
                own.merge(object, -1, Integer::sum);
                places.add(null);
                return true;
            }
            Cell empty = null;
            for (Cell cell : cells) {
                if (cell.taken > 0 && cell.object.equals(object) && cell.taken < perCell(object)) {
                    cell.taken++;
                    places.add(cell);
                    return true;
                }
                empty = cell.taken == 0 ? cell : empty;
            }
            if (empty == null) {
                return false;
            }
            empty.object = object;
            empty.taken = 1;
            places.add(empty);
            return true;
        }

        void give(String object, Cell place) {
            if (place == null) {
                own.merge(object, 1, Integer::sum);
            } else {
                place.taken--;
            }
        }
    }

    /** A request waits for a stage, and holds places by object. */
    private static final class Request {
        private int stage;
        private final Map<String, List<Area.Cell>> held = new HashMap<>();
    }

    private final long seed = Long.getLong("mely.seed", 17);
    private final Random random = new Random(seed);
    private StageModel model;
    private Map<String, StageUse> uses;
    private Map<String, PlannedObject> objects;
    private List<Area> areas;

    /** Runs requests until all are through; false if none can go on. */
    private boolean run(StageModel program, MemoryPlan plan, boolean hasOwn) {
        model = program;
        uses = new HashMap<>();
        plan.stages().forEach(use -> uses.put(use.name(), use));
        objects = new HashMap<>();
        plan.objects().forEach(object -> objects.put(object.name(), object));
        areas = new ArrayList<>();
        for (int number = 0; number < plan.areas().size(); number++) {
            areas.add(new Area(plan, number, hasOwn));
        }
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            requests.add(new Request());
        }
        while (!requests.isEmpty()) {
            int start = random.nextInt(requests.size());
            boolean isStuck = true;
            for (int tried = 0; isStuck && tried < requests.size(); tried++) {
                isStuck = !step(requests, (start + tried) % requests.size());
            }
            if (isStuck) {
                return false;
            }
        }
        return true;
    }

    private boolean step(List<Request> requests, int number) {
        Request request = requests.get(number);
        StageNode stage = model.stages().get(request.stage);
        StageUse use = uses.get(stage.name());
        Map<String, List<Area.Cell>> fresh = new HashMap<>();
        for (String object :
                use == null ? List.<String>of() : List.copyOf(use.allocs().keySet())) {
            List<Area.Cell> places = fresh.computeIfAbsent(object, key -> new ArrayList<>());
            for (int i = 0; i < objects.get(object).ownCount(); i++) { // all that the request may have of it
                if (!areas.get(objects.get(object).area()).take(object, places)) {
                    fresh.forEach(this::giveAll);
                    return false;
                }
            }
        }
        request.held.putAll(fresh);
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

    private void free(Request request, String object) {
        List<Area.Cell> places = request.held.remove(object);
        if (places != null) {
            giveAll(object, places);
        }
    }

    private void giveAll(String object, List<Area.Cell> places) {
        Area area = areas.get(objects.get(object).area());
        places.forEach(place -> area.give(object, place));
    }

    @Test
    void separateAreas_needNoRoomOfTheirOwn() {
        int planned = 0;
        for (int i = 0; i < 500; i++) {
            StageModel program = Models.random(random, 8, 6, 30, 400);
            try {
                MemoryPlan plan = new Planner(program, false).plan();
                assertThat(plan.areas()).hasSameSizeAs(plan.objects());
                assertThat(run(program, plan, false))
                        .as("seed %s, graph %s: %s", seed, i, program)
                        .isTrue();
                planned++;
            } catch (InfeasibleException tooLarge) {
                assertThat(tooLarge).hasMessageContaining("are missing");
            }
        }
        assertThat(planned).isGreaterThan(200);
    }

    // And without the room that is each object's own, some of the same programs stop.
    @Test
    void requests_alwaysGetThrough() {
        int shared = 0;
        int stuckWithoutOwn = 0;
        for (int i = 0; i < 1_500; i++) {
            StageModel program = Models.random(random, 8, 6, 30, 400);
            try {
                MemoryPlan plan = new Planner(program).plan();
                assertThat(run(program, plan, true))
                        .as("seed %s, graph %s: %s", seed, i, program)
                        .isTrue();
                if (plan.areas().size() < plan.objects().size()) {
                    shared++;
                    stuckWithoutOwn += run(program, plan, false) ? 0 : 1;
                }
            } catch (InfeasibleException tooLarge) {
                assertThat(tooLarge).hasMessageContaining("are missing");
            }
        }
        assertThat(shared).isGreaterThan(200);
        assertThat(stuckWithoutOwn).isPositive();
    }
}
