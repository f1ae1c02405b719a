// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import io.mely.bench.stingy.walk.Stingify;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.PlanFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stingy stingify}: a program that allocates by a plan. */
@Command(
        name = "stingify",
        mixinStandardHelpOptions = true,
        description = "Makes a program's allocation sites ask the plan's region first, and prints each change."
                + " Sites that cannot be changed are told, and stay as they are.")
final class StingifyCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private final Classes classes = new Classes();

    @Option(names = "--plan", required = true, paramLabel = "FILE", description = "Made by gen.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Path plan;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "JAR|FOLDER",
            description = "A jar like the one that is read; or a folder of the changed classes, to stand before the"
                    + " others on the class path.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Path out;

    @Override
    public Integer call() {
        PrintWriter terminal = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Stingify changed;
        try {
            changed = new Stingify(classes.places, classes.packages, classes.annotations, PlanFile.read(plan));
        } catch (IOException e) {
            throw Output.wrong(spec, Output.unreadable(e));
        } catch (WrongFileException | IllegalArgumentException e) {
            throw Output.wrong(spec, String.valueOf(e.getMessage()));
        }
        for (Stingify.Change change : changed.changes()) {
            terminal.println(change.place());
            terminal.println("  - " + change.before());
            terminal.println("  + " + change.after());
        }
        changed.refused().forEach(site -> err.println("stays as it is: " + site));
        try {
            changed.write(out);
        } catch (IOException e) {
            err.println("cannot write " + out + ": " + e);
            return Output.FAILED;
        } catch (IllegalArgumentException e) {
            throw Output.wrong(spec, String.valueOf(e.getMessage()));
        }
        terminal.println(changed.classes().size() + " classes changed: " + out);
        terminal.flush();
        return Output.OK;
    }
}
