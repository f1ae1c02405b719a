// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import io.mely.deploy.stingy.PlanFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Files read as what was written, and what is wrong in them is named with its place.
class FilesTest {
    private static final StageModel MODEL = new StageModel(
            1 << 20,
            64,
            100,
            List.of(
                    new MemoryObject("A.b:1", 4097, 2, false, "A.b:1 > C.d:2 \"x\""),
                    new MemoryObject("no size", 0, 0, true, "")),
            List.of(
                    new StageNode(
                            "Read",
                            2.5,
                            true,
                            new TreeMap<>(Map.of("A.b:1", 2)),
                            new TreeSet<>(),
                            new TreeSet<>(),
                            new TreeSet<>(List.of("no size")),
                            new TreeSet<>(List.of("Read", "to be written"))),
                    new StageNode(
                            "to be written",
                            1,
                            false,
                            new TreeMap<>(Map.of("no size", 1)),
                            new TreeSet<>(List.of("no size")),
                            new TreeSet<>(List.of("A.b:1")),
                            new TreeSet<>(),
                            new TreeSet<>())));

    private static final MemoryPlan PLAN = new MemoryPlan(
            10_000,
            64,
            List.of(
                    new PlannedObject("z", 4096, 2, 1, 0, "Z.z:9 call"),
                    new PlannedObject("a:1", 64, 9, 3, 0, ""),
                    new PlannedObject("m", 100, 1, 1, 1, "")),
            List.of(new StageUse(
                    "Read it",
                    new TreeMap<>(Map.of("z", 1)),
                    new TreeMap<>(Map.of("m", 1)),
                    new TreeMap<>(Map.of("a:1", 3)))),
            new TreeMap<>(Map.of("X.y:3", "its size is not known")));

    @TempDir
    Path folder;

    @Test
    void model_readsAsWritten() throws WrongFileException {
        String text = ModelFile.write(MODEL, List.of("two\nlines"));
        assertThat(text).startsWith("# two lines\n");
        assertThat(ModelFile.readText("m.conf", text)).isEqualTo(MODEL);
    }

    @Test
    void plan_readsAsWritten() throws WrongFileException {
        assertThat(PlanFile.readText("p.conf", PlanFile.write(PLAN, List.of()))).isEqualTo(PLAN);
    }

    @Test
    void areas_followEachOther() {
        // One of z and three of a; then a cell for another z, in which six of a have room.
        assertThat(PLAN.areas())
                .containsExactly(new MemoryPlan.Area(0, 4096 + 3 * 64 + 4096), new MemoryPlan.Area(8384, 128));
        assertThat(PLAN.usedBytes()).isEqualTo(8512);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stingy { stages { s {} } } | region: must be > 0",
                "stingy { region = many, stages { s {} } } | m.conf:1: stingy.region: cannot be \"many\"",
                "stingy { region = 1 MiB } | stages: must have at least one",
                "stingy { region = 1 MiB, stagse {}, stages { s {} } } | stagse: unknown; the nearest known key is stages",
                "stingy { region = 1 MiB, stages { s { alocs {} } } } | alocs: unknown; the nearest known key is allocs",
                "stingy { region = 1 MiB, stages { s { next = [ss] } } } | next: 'ss' is unknown; the nearest is s",
                "stingy { region = 1 MiB, stages { s { frees = [a] } } } | frees: 'a' is unknown; there are none",
                "stingy { region = 1 MiB, objects { a { size = 0 } }, stages { s {} } } | size: must be > 0",
                "stingy { region = 1 MiB, objects { a { count = 0 } }, stages { s {} } } | count: must be >= 1: 0",
                "stingy { region = 1 MiB, objects { a {} }, stages { s { allocs { a = 0 } } } } | a: must be >= 1: 0",
                "stingy { region = 1 MiB, stages { s { weight = -1 } } } | weight: must be >= 0",
                "stingi {} | stingi: unknown; the nearest known key is stingy",
                "stingy { | m.conf: 1: expecting a close brace"
            })
    void wrongModel_isNamed(String text, String problem) {
        assertThatThrownBy(() -> ModelFile.readText("m.conf", text))
                .isInstanceOf(WrongFileException.class)
                .hasMessageContaining(problem.startsWith("m.conf: 1") ? "m.conf: 1" : problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "region = 64, objects { a { size = 65, count = 1 } } | region: has 64 bytes, and the areas of the objects take 128",
                "region = 64, objects { a { size = 64 } } | count and own must be >= 1",
                "region = 64, objects { a { size = 9, count = 1, own = 2 } } | own <= count",
                "region = 64, objects { a { site = 1, size = 9, count = 1 } } | there is no 0",
                "region = 64, objects { a { size = 9, count = 1, area = -1 } } | area: must be 0 to",
                "region = 64, objects {}, stages { s { allocs { b = 1 } } } | 'b' is unknown; there are none"
            })
    void wrongPlan_isNamed(String text, String problem) {
        assertThatThrownBy(() -> PlanFile.readText("p.conf", "stingy { " + text + " }"))
                .isInstanceOf(WrongFileException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void missingFile_isNamed() {
        assertThatThrownBy(() -> ModelFile.read(folder.resolve("none.conf")))
                .isInstanceOf(WrongFileException.class)
                .hasMessageContaining("none.conf: no such file");
        assertThatThrownBy(() -> PlanFile.read(folder))
                .isInstanceOf(WrongFileException.class)
                .hasMessageContaining("cannot be read");
    }
}
