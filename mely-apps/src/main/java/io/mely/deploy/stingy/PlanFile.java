// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy.stingy;

import io.mely.deploy.Block;
import io.mely.deploy.Nearest;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import io.mely.stingy.StingyPlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The file of a {@link MemoryPlan}: what {@code stingy gen} writes, people edit, and {@code stingy stingify} and the program read.
 *
 * <pre>
 *   stingy {
 *     region = 1048576
 *     objects { read { site = 0, size = 4096, count = 12, own = 1, area = 0 } }
 *     stages { ParseRequest { allocs { read = 1 }, frees { head = 1 } } }
 *   }
 * </pre>
 */
public final class PlanFile {
    /** Key of the object that has everything. */
    public static final String ROOT = "stingy";

    private static final int AREAS_MAX = 10_000; // far beyond any program's objects

    private PlanFile() {}

    /**
     * Reads a file.
     *
     * @param file its path
     * @return the plan
     * @throws WrongFileException naming file, line and key of each problem
     */
    public static MemoryPlan read(Path file) throws WrongFileException {
        return HoconFile.read(file, ROOT, PlanFile::plan);
    }

    /**
     * Reads a text.
     *
     * @param file the name to use in messages
     * @param text of the file
     * @return the plan
     * @throws WrongFileException naming file, line and key of each problem
     */
    public static MemoryPlan readText(String file, String text) throws WrongFileException {
        return HoconFile.readText(file, text, ROOT, PlanFile::plan);
    }

    private record Numbered(int site, PlannedObject object) {}

    private static @Nullable MemoryPlan plan(Block root) {
        long region = root.bytes("region", 0);
        if (region <= 0) {
            root.wrong("region", "must be > 0, as 1 MiB");
        }
        int line = root.number("line", StingyPlan.LINE_BYTES);
        List<Numbered> numbered = new ArrayList<>();
        HoconFile.forEach(root.block("objects"), (name, block) -> numbered.add(object(name, block)));
        numbered.sort(Comparator.comparingInt(Numbered::site));
        for (int site = 0; site < numbered.size(); site++) {
            if (numbered.get(site).site != site) {
                root.wrong("objects", "sites must be 0, 1, 2 and so on: there is no " + site);
                break;
            }
        }
        List<PlannedObject> objects = numbered.stream().map(Numbered::object).toList();
        Collection<String> names =
                new TreeSet<>(objects.stream().map(PlannedObject::name).toList());
        List<StageUse> stages = new ArrayList<>();
        HoconFile.forEach(root.block("stages"), (name, block) -> {
            SortedMap<String, Integer> allocs = counts(block, "allocs", names);
            SortedMap<String, Integer> mayAlloc = counts(block, "mayAlloc", names);
            stages.add(new StageUse(name, allocs, mayAlloc, counts(block, "frees", names)));
        });
        SortedMap<String, String> unmanaged = new TreeMap<>();
        Block left = root.has("unmanaged") ? root.block("unmanaged") : null;
        if (left != null) {
            left.names().forEach(name -> unmanaged.put(name, left.text(name, "")));
        }
        MemoryPlan plan = new MemoryPlan(region, line, objects, stages, unmanaged);
        if (region > 0 && plan.usedBytes() > region) {
            root.wrong("region", "has " + region + " bytes, and the areas of the objects take " + plan.usedBytes());
        }
        return plan;
    }

    private static SortedMap<String, Integer> counts(Block block, String key, Collection<String> known) {
        SortedMap<String, Integer> counts = HoconFile.counts(block, key);
        for (String name : counts.keySet()) {
            if (!known.contains(name)) {
                String hint = known.isEmpty() ? "there are none" : "the nearest is " + Nearest.to(name, known);
                block.wrong(key, "'" + name + "' is unknown; " + hint);
            }
        }
        return counts;
    }

    private static Numbered object(String name, Block block) {
        long size = block.bytes("size", 0);
        int count = block.number("count", 0);
        int own = block.number("own", 1);
        int area = block.number("area", 0);
        if (size < 1 || count < 1 || own < 1 || own > count) {
            block.wrong("", "size, count and own must be >= 1, and own <= count");
        }
        if (area < 0 || area > AREAS_MAX) {
            block.wrong("area", "must be 0 to " + AREAS_MAX);
        }
        return new Numbered(
                block.number("site", 0), new PlannedObject(name, size, count, own, area, block.text("place", "")));
    }

    /**
     * Writes a plan.
     *
     * @param plan to be written
     * @param remarks lines for people, at the top
     * @return the text of a file that reads as the same
     */
    public static String write(MemoryPlan plan, List<String> remarks) {
        StringBuilder out = new StringBuilder();
        remarks.forEach(remark -> out.append(HoconFile.comment("", remark)));
        out.append(ROOT).append(" {\n");
        out.append("  region = ")
                .append(plan.regionBytes())
                .append("\n  line = ")
                .append(plan.lineBytes());
        out.append("\n  objects {\n");
        for (int site = 0; site < plan.objects().size(); site++) {
            PlannedObject object = plan.objects().get(site);
            out.append("    ")
                    .append(HoconFile.quote(object.name()))
                    .append(" { site = ")
                    .append(site);
            out.append(", size = ")
                    .append(object.sizeBytes())
                    .append(", count = ")
                    .append(object.count());
            out.append(", own = ").append(object.ownCount()).append(", area = ").append(object.area());
            out.append(object.place().isEmpty() ? "" : ", place = " + HoconFile.quote(object.place()))
                    .append(" }\n");
        }
        out.append("  }\n  stages {\n");
        for (StageUse stage : plan.stages()) {
            out.append("    ").append(HoconFile.quote(stage.name())).append(" { allocs ");
            out.append(HoconFile.object(stage.allocs()));
            out.append(stage.mayAlloc().isEmpty() ? "" : ", mayAlloc " + HoconFile.object(stage.mayAlloc()));
            out.append(stage.frees().isEmpty() ? "" : ", frees " + HoconFile.object(stage.frees()));
            out.append(" }\n");
        }
        out.append("  }\n  unmanaged {\n");
        plan.unmanaged()
                .forEach((name, reason) -> out.append("    ")
                        .append(HoconFile.quote(name))
                        .append(" = ")
                        .append(HoconFile.quote(reason))
                        .append('\n'));
        return out.append("  }\n}\n").toString();
    }
}
