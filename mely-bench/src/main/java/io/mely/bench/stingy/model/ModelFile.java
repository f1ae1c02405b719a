// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.model;

import io.mely.bench.stingy.model.StageModel.MemoryObject;
import io.mely.bench.stingy.model.StageModel.StageNode;
import io.mely.deploy.Block;
import io.mely.deploy.Nearest;
import io.mely.deploy.stingy.HoconFile;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.PlanFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The file of a {@link StageModel}: what {@code stingy walk} writes, people edit, and {@code stingy gen} reads.
 *
 * <pre>
 *   stingy {
 *     region = 1 MiB
 *     objects { head { size = 4 KiB }, body { size = 16 KiB, count = 1 } }
 *     stages {
 *       Read { entry = true, allocs { head = 1 }, next = [Parse] }
 *       Parse { freesFirst = [head], allocs { body = 1 }, next = [Write], weight = 2 }
 *       Write { frees = [body] }
 *     }
 *   }
 * </pre>
 */
public final class ModelFile {
    private static final String ROOT = PlanFile.ROOT;

    private ModelFile() {}

    /**
     * Reads a file.
     *
     * @param file its path
     * @return the model
     * @throws WrongFileException naming file, line and key of each problem
     */
    public static StageModel read(Path file) throws WrongFileException {
        return HoconFile.read(file, ROOT, ModelFile::model);
    }

    static StageModel readText(String file, String text) throws WrongFileException {
        return HoconFile.readText(file, text, ROOT, ModelFile::model);
    }

    private static @Nullable StageModel model(Block root) {
        long region = root.bytes("region", 0);
        if (region <= 0) {
            root.wrong("region", "must be > 0, as 1 MiB");
        }
        int line = positive(root, "line", StageModel.LINE_BYTES);
        long finals = root.bytes("finals", 0);
        List<MemoryObject> objects = new ArrayList<>();
        HoconFile.forEach(root.block("objects"), (name, block) -> objects.add(object(name, block)));
        Block ofStages = root.block("stages");
        if (ofStages == null || ofStages.names().isEmpty()) {
            root.wrong("stages", "must have at least one");
            return null;
        }
        Collection<String> stageNames = new TreeSet<>(ofStages.names());
        Collection<String> objectNames = new TreeSet<>();
        objects.forEach(object -> objectNames.add(object.name()));
        List<StageNode> stages = new ArrayList<>();
        HoconFile.forEach(ofStages, (name, block) -> stages.add(stage(name, block, objectNames, stageNames)));
        boolean isWhole = stages.stream()
                .allMatch(stage -> stage.frees().stream().allMatch(objectNames::contains)
                        && stage.freesFirst().stream().allMatch(objectNames::contains)
                        && stage.mayFree().stream().allMatch(objectNames::contains)
                        && objectNames.containsAll(stage.allocs().keySet())
                        && stageNames.containsAll(stage.next()));
        return isWhole && region > 0 && finals >= 0 ? new StageModel(region, line, finals, objects, stages) : null;
    }

    private static int positive(Block block, String key, int otherwise) {
        int number = block.number(key, otherwise);
        if (number < 1) {
            block.wrong(key, "must be >= 1: " + number);
            return otherwise;
        }
        return number;
    }

    private static MemoryObject object(String name, Block block) {
        long size = block.bytes("size", 0);
        if (block.has("size") && size <= 0) {
            block.wrong("size", "must be > 0; leave it out if it is not known");
        }
        int count = block.has("count") ? positive(block, "count", 1) : 0;
        return new MemoryObject(name, Math.max(0, size), count, block.flag("repeated", false), block.text("place", ""));
    }

    private static StageNode stage(String name, Block block, Collection<String> objects, Collection<String> stages) {
        var allocs = HoconFile.counts(block, "allocs");
        check(block, "allocs", allocs.keySet(), objects);
        double weight = block.decimal("weight", 1);
        if (!(weight >= 0 && Double.isFinite(weight))) {
            block.wrong("weight", "must be >= 0");
            weight = 1;
        }
        return new StageNode(
                name,
                weight,
                block.flag("entry", false),
                allocs,
                names(block, "frees", objects),
                names(block, "freesFirst", objects),
                names(block, "mayFree", objects),
                names(block, "next", stages));
    }

    private static SortedSet<String> names(Block block, String key, Collection<String> known) {
        SortedSet<String> names = new TreeSet<>(block.texts(key));
        check(block, key, names, known);
        return names;
    }

    private static void check(Block block, String key, Collection<String> names, Collection<String> known) {
        for (String name : names) {
            if (!known.contains(name)) {
                String hint = known.isEmpty() ? "there are none" : "the nearest is " + Nearest.to(name, known);
                block.wrong(key, "'" + name + "' is unknown; " + hint);
            }
        }
    }

    /**
     * Writes a model.
     *
     * @param model to be written
     * @param remarks lines for people, at the top
     * @return the text of a file that reads as the same
     */
    public static String write(StageModel model, List<String> remarks) {
        StringBuilder out = new StringBuilder();
        remarks.forEach(remark -> out.append(HoconFile.comment("", remark)));
        out.append(ROOT).append(" {\n");
        out.append("  region = ").append(model.regionBytes()).append("  # bytes: the cache that buffers may fill\n");
        out.append("  line = ")
                .append(model.lineBytes())
                .append("  # bytes: each instance begins at a multiple of it\n");
        out.append("  finals = ")
                .append(model.finalBytesMax())
                .append("  # bytes: objects that are never freed are kept in the region up to this size\n");
        out.append("  # size: a buffer that is smaller is served, so one more than what is asked for.\n  objects {\n");
        for (MemoryObject object : model.objects()) {
            out.append("    ").append(HoconFile.quote(object.name())).append(" {");
            out.append(object.sizeBytes() == 0 ? "" : " size = " + object.sizeBytes() + ",");
            out.append(object.count() == 0 ? "" : " count = " + object.count() + ",");
            out.append(object.isRepeated() ? " repeated = true," : "");
            out.append(object.place().isEmpty() ? "" : " place = " + HoconFile.quote(object.place()));
            out.append(" }\n");
        }
        out.append("  }\n  stages {\n");
        for (StageNode stage : model.stages()) {
            out.append("    ").append(HoconFile.quote(stage.name())).append(" {\n");
            line(out, "weight", stage.weight() == 1 ? "" : String.format(Locale.ROOT, "%s", stage.weight()));
            line(out, "entry", stage.isEntry() ? "true" : "");
            line(out, "freesFirst", stage.freesFirst().isEmpty() ? "" : HoconFile.list(stage.freesFirst()));
            line(out, "allocs", stage.allocs().isEmpty() ? "" : HoconFile.object(stage.allocs()));
            line(out, "frees", stage.frees().isEmpty() ? "" : HoconFile.list(stage.frees()));
            line(out, "mayFree", stage.mayFree().isEmpty() ? "" : HoconFile.list(stage.mayFree()));
            line(out, "next", stage.next().isEmpty() ? "" : HoconFile.list(stage.next()));
            out.append("    }\n");
        }
        return out.append("  }\n}\n").toString();
    }

    private static void line(StringBuilder out, String key, String value) {
        if (!value.isEmpty()) {
            out.append("      ").append(key).append(" = ").append(value).append('\n');
        }
    }
}
