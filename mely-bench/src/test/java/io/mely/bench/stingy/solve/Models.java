// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Stage models for tests. */
final class Models {
    private final List<MemoryObject> objects = new ArrayList<>();
    private final List<StageNode> stages = new ArrayList<>();
    private int line = 1;

    Models object(String name, long size) {
        return object(name, size, 0);
    }

    Models object(String name, long size, int count) {
        objects.add(new MemoryObject(name, size, count, false, ""));
        return this;
    }

    Models line(int bytes) {
        line = bytes;
        return this;
    }

    /** A stage; each text names objects or stages, with spaces between. */
    Models stage(String name, double weight, String freesFirst, String allocs, String frees, String next) {
        SortedMap<String, Integer> counts = new TreeMap<>();
        words(allocs).forEach(object -> counts.merge(object, 1, Integer::sum));
        stages.add(new StageNode(
                name,
                weight,
                false,
                counts,
                new TreeSet<>(words(frees)),
                new TreeSet<>(words(freesFirst)),
                new TreeSet<>(),
                new TreeSet<>(words(next))));
        return this;
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.trim().split(" +"));
    }

    StageModel in(long regionBytes) {
        return new StageModel(regionBytes, line, 0, objects, stages);
    }

    /** Figure 2 of the paper: O2 in stages 1 to 3, O1 in 2 and 3. */
    static Models figure2(long size1, long size2, double w1) {
        return new Models()
                .object("O1", size1)
                .object("O2", size2)
                .stage("1", w1, "", "O2", "", "2")
                .stage("2", 1, "", "O1", "", "3")
                .stage("3", 1, "", "", "O1 O2", "");
    }

    /** R in stages 1 to 4, B from 2 until H is allocated in 3. */
    static Models threeObjects() {
        return new Models()
                .object("B", 512)
                .object("H", 64)
                .object("R", 128)
                .stage("1", 1, "", "R", "", "2")
                .stage("2", 1, "", "B", "", "3")
                .stage("3", 1, "B", "H", "", "4")
                .stage("4", 1, "", "", "H R", "");
    }

    /** An acyclic graph in which each object is allocated once, and may be freed by a later stage. */
    static StageModel random(Random random, int stagesMax, int objectsMax, int sizeMax, long regionMax) {
        int stages = 1 + random.nextInt(stagesMax);
        int objects = 1 + random.nextInt(objectsMax);
        Models models = new Models();
        StringBuilder[] allocs = texts(stages);
        StringBuilder[] frees = texts(stages);
        StringBuilder[] first = texts(stages);
        StringBuilder[] next = texts(stages);
        for (int object = 0; object < objects; object++) {
            models.object(
                    "o" + object, 1 + random.nextInt(sizeMax), random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0);
            int from = random.nextInt(stages);
            int to = from + random.nextInt(stages - from);
            allocs[from].append(" o").append(object);
            (to > from && random.nextInt(3) == 0 ? first : frees)
                    [to].append(" o")
                    .append(object);
        }
        for (int stage = 0; stage < stages - 1; stage++) {
            next[stage].append(" s").append(stage + 1);
            if (stage + 2 < stages && random.nextBoolean()) {
                next[stage].append(" s").append(stage + 2 + random.nextInt(stages - stage - 2));
            }
        }
        for (int stage = 0; stage < stages; stage++) {
            double weight = random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(9);
            models.stage(
                    "s" + stage, weight, first[stage] + "", allocs[stage] + "", frees[stage] + "", next[stage] + "");
        }
        return models.in(1 + (long) (random.nextDouble() * regionMax));
    }

    private static StringBuilder[] texts(int count) {
        StringBuilder[] texts = new StringBuilder[count];
        for (int i = 0; i < count; i++) {
            texts[i] = new StringBuilder();
        }
        return texts;
    }
}
