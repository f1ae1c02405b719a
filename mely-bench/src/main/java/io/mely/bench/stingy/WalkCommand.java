// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import io.mely.bench.stingy.model.ModelFile;
import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.walk.Walk;
import io.mely.deploy.Nearest;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stingy walk}: a model from classes. */
@Command(
        name = "walk",
        mixinStandardHelpOptions = true,
        description = "Finds the stages of a program, who sends to whom, and where buffers are allocated and released."
                + " Writes a model for gen, and lists what the classes do not say.")
final class WalkCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private final Classes classes = new Classes();

    @Option(
            names = "--region",
            required = true,
            paramLabel = "SIZE",
            description = "The cache that buffers may fill, as 1 MiB: of a core what it has to itself.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private String region;

    @Option(
            names = "--from",
            split = ",",
            paramLabel = "STAGE",
            description = "Only what these stages reach (default: all).")
    private List<String> from = List.of();

    @Option(names = "--without", split = ",", paramLabel = "STAGE", description = "Stages that carry little load.")
    private List<String> without = List.of();

    @Option(names = "--out", paramLabel = "FILE", description = "Where the model goes (default: the terminal).")
    private @Nullable Path out;

    @Override
    public Integer call() {
        long bytes = Output.bytes(spec, "--region", region);
        PrintWriter err = spec.commandLine().getErr();
        if (classes.packages.isEmpty()) {
            err.println("All classes are analysed. If that takes long, name the program's own by --package.");
        }
        Walk walk;
        try {
            walk = new Walk(classes.places, classes.packages, classes.annotations);
        } catch (IOException e) {
            throw Output.wrong(spec, Output.unreadable(e));
        } catch (WrongFileException | IllegalArgumentException e) {
            throw Output.wrong(spec, String.valueOf(e.getMessage()));
        }
        if (walk.stageNames().isEmpty()) {
            throw Output.wrong(spec, "no call of Mely.stage is in these classes");
        }
        List<String> named = new ArrayList<>(from);
        named.addAll(without);
        checkStages(spec, walk, named);
        SortedSet<String> unresolved = walk.unresolved();
        err.println(walk.stageNames().size() + " stages, " + walk.buffers().size() + " allocation sites, "
                + unresolved.size() + " unknown");
        unresolved.forEach(what -> err.println("unknown: " + what));
        return Output.write(spec, out, ModelFile.write(walk.model(bytes, from, without), walk.remarks()));
    }

    /** Names of stages must be known. */
    static void checkStages(CommandSpec spec, Walk walk, List<String> named) {
        List<String> known = walk.model(1, List.of(), List.of()).stages().stream()
                .map(StageModel.StageNode::name)
                .toList();
        for (String name : named) {
            if (!known.contains(name)) {
                throw Output.wrong(spec, "no stage '" + name + "'; the nearest is " + Nearest.to(name, known));
            }
        }
    }
}
