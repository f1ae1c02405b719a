// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import io.mely.bench.stingy.solve.Planner;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// The planted program has each trap of spec §5.2 and §5.3, and the analysis falls into none.
class WalkTest {
    private static final List<String> PLANTED = List.of("io.mely.bench.stingy.planted");

    private static Walk shop;
    private static StageModel model;

    @TempDir
    Path folder;

    static Path classes() {
        return Path.of(WalkTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
    }

    @BeforeAll
    static void analyse() throws IOException, WrongFileException {
        shop = new Walk(List.of(classes()), PLANTED, null);
        model = shop.model(1 << 16, List.of(), List.of());
    }

    private static StageNode stage(StageModel of, String name) {
        return of.stages().stream()
                .filter(each -> each.name().startsWith(name))
                .findFirst()
                .orElseThrow();
    }

    /** The site in a method. */
    private static String site(String method) {
        return shop.buffers().stream()
                .filter(each -> each.startsWith(method + ":"))
                .findFirst()
                .orElseThrow();
    }

    private static MemoryObject object(StageModel of, String method) {
        String name = site(method);
        return of.objects().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void stages_areFoundByName() {
        assertThat(shop.stageNames()).containsExactly("Close", "Log", "Parse", "Read", "Write");
    }

    @Test
    void send_isFollowedThroughWrappersGettersAndFunctions() {
        String command = stage(model, "execute Shop.read").name();
        assertThat(shop.next("Read")).containsExactly(command); // it runs as an event of its own
        assertThat(shop.next(command)).containsExactly("Parse");
        assertThat(shop.next("Parse")).containsExactly("Parse", "Write");
        assertThat(shop.next("Write")).containsExactly("Close");
        assertThat(shop.next("Close")).containsExactly("Close", "Log");
        assertThat(shop.next("Log")).isEmpty();
    }

    @Test
    void functionThatIsCalledAndSentTo_isPartOfBothStages() {
        assertThat(stage(model, "Write").mayFree()).contains(site("Till.print"));
        assertThat(stage(model, "Close").mayFree()).contains(site("Till.print"));
    }

    @Test
    void size_isFollowedThroughConstantsFieldsAndParameters() {
        assertThat(object(model, "Shop.parse").sizeBytes()).isEqualTo(4097);
        assertThat(object(model, "Shop.keep").sizeBytes()).isEqualTo(101);
        MemoryObject head = model.objects().stream()
                .filter(each -> each.sizeBytes() == 73)
                .findFirst()
                .orElseThrow();
        assertThat(head.name()).startsWith("Shop.parse:"); // whoever calls the wrapper is the site
        assertThat(head.place()).contains(" > Shop.small:", "directBuffer");
    }

    @Test
    void release_isFollowedThroughFields() {
        StageNode parse = stage(model, "Parse");
        assertThat(parse.allocs()).hasSize(2);
        assertThat(parse.mayFree()).containsExactly(site("Shop.parse")); // not on the way on which it sends itself
        assertThat(stage(model, "Write").frees()).hasSize(1).allMatch(each -> each.startsWith("Shop.parse:"));
    }

    // It does not matter that a release comes on every way, if what is released is the one before.
    @Test
    void objectThatIsAllocatedAnew_livesOn() {
        StageNode log = stage(model, "Log");
        String renewed = model.objects().stream()
                .filter(each -> each.sizeBytes() == 34)
                .findFirst()
                .orElseThrow()
                .name();
        String own = model.objects().stream()
                .filter(each -> each.sizeBytes() == 23)
                .findFirst()
                .orElseThrow()
                .name();
        assertThat(log.allocs()).containsKeys(renewed, own);
        assertThat(log.mayFree()).contains(renewed);
        assertThat(log.frees()).contains(own);
    }

    @Test
    void allocationInALoopOrARecursion_mayBeAnyNumber() {
        assertThat(object(model, "Shop.nest").isRepeated()).isTrue();
        assertThat(object(model, "Till.print").isRepeated()).isTrue();
        assertThat(object(model, "Shop.parse").isRepeated()).isFalse();
    }

    @Test
    void whatTheClassesDoNotSay_isListed() {
        assertThat(shop.unresolved()).anyMatch(each -> each.startsWith("size of the buffer allocated at Shop.heap:"));
        assertThat(shop.remarks()).anyMatch(each -> each.startsWith("allocated by no stage: Shop.heap:"));
    }

    @Test
    void plan_managesWhatTheModelAllows() throws Exception {
        MemoryPlan plan = new Planner(model).plan();
        assertThat(plan.unmanaged().get(site("Shop.parse"))).contains("cycle");
        assertThat(plan.unmanaged().get(site("Shop.keep"))).contains("global");
        assertThat(plan.unmanaged().get(site("Till.print"))).contains("any number");
    }

    @Test
    void annotations_sayWhatIsMissing() throws Exception {
        Path file = folder.resolve("annotations.conf");
        Files.writeString(
                file,
                "annotations { counts { \"" + site("Shop.parse") + "\" = 1, \"" + site("Till.print")
                        + "\" = 1 }, sizes { \"" + site("Shop.heap") + "\" = 512 } }");
        Walk said = new Walk(List.of(classes()), PLANTED, file);
        assertThat(said.unresolved()).noneMatch(each -> each.contains("Shop.heap"));
        MemoryPlan plan = new Planner(said.model(1 << 16, List.of(), List.of())).plan();
        assertThat(plan.objects()).extracting(PlannedObject::name).contains(site("Shop.parse"), site("Till.print"));
    }

    @Test
    void annotationOfAMethod_makesItAnAllocator() throws Exception {
        Path file = folder.resolve("annotations.conf");
        Files.writeString(
                file,
                "annotations { methods { \"io.mely.bench.stingy.planted.Till.print\" { does = allocate, argument = 7 } } }");
        assertThatThrownBy(() -> new Walk(List.of(classes()), PLANTED, file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Till.print: it has no argument 7");
        Files.writeString(file, "annotations { methods { \"a.B.c\" { does = alocate } }, sise {} }");
        assertThatThrownBy(() -> new Walk(List.of(classes()), PLANTED, file))
                .isInstanceOf(WrongFileException.class)
                .hasMessageContaining("the nearest is allocate")
                .hasMessageContaining("the nearest known key is sizes");
    }

    @Test
    void receiverThatIsSaid_isFollowed() throws Exception {
        String place = shop.unresolved().stream()
                .filter(each -> each.startsWith("receiver of the event sent at Shop.tell:"))
                .map(each -> each.substring(each.indexOf("Shop.tell:")))
                .findFirst()
                .orElseThrow();
        assertThat(shop.next("Log")).isEmpty();
        Path file = folder.resolve("annotations.conf");
        Files.writeString(file, "annotations { sends { \"" + place + "\" = [Read] } }");
        Walk said = new Walk(List.of(classes()), PLANTED, file);
        assertThat(said.next("Log")).containsExactly("Read");
        assertThat(said.unresolved()).noneMatch(each -> each.contains("Shop.tell"));
    }

    @Test
    void placeThatIsNone_isRefused() throws Exception {
        Path file = folder.resolve("annotations.conf");
        Files.writeString(file, "annotations { sizes { \"Shop.heep:1\" = 9 }, sends { \"Shop.no:1\" = [Reed] } }");
        assertThatThrownBy(() -> new Walk(List.of(classes()), PLANTED, file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sizes: 'Shop.heep:1' is unknown; the nearest is Shop.heap:")
                .hasMessageContaining("sends: no stage does that at 'Shop.no:1'")
                .hasMessageContaining("sends: 'Reed' is unknown; the nearest is Read");
    }

    // In a part of a program, too, each object is one that the part allocates.
    @Test
    void partOfAProgram_isWhatSomeStagesReach() {
        StageModel part = shop.model(1 << 16, List.of("Write"), List.of("Log"));
        assertThat(part.stages()).extracting(StageNode::name).containsExactly("Close", "Write");
        assertThat(part.objects()).extracting(MemoryObject::name).containsExactly(site("Till.print"));
    }

    @Test
    void missingJar_isNamed() {
        assertThatThrownBy(() -> new Walk(List.of(folder.resolve("no.jar")), List.of(), null))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("no.jar");
    }
}
