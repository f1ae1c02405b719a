// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.bench.Commands;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stages}: the servers of the staged-server thesis by policy. */
@Command(
        name = "stages",
        mixinStandardHelpOptions = true,
        description =
                "The servers of the staged-server thesis under each policy, beside peers: image, search, balance; and pictures, which makes files for image. Each has --help.")
public final class StagesCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Parameters(
            paramLabel = "EXPERIMENT",
            description = "image, search, or balance: search with replicas and partitions; or pictures.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private String experiment;

    private StagesCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code stages}
     * @return 0; 2 for wrong options; 3 if a request was lost
     */
    public static int execute(String... args) {
        String[] rest = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
        return switch (args.length == 0 ? "" : args[0]) {
            case "image" -> Measurement.execute(new ImageCommand(), rest);
            case "search" -> Measurement.execute(new SearchCommand(false), rest);
            case "pictures" -> PictureSet.execute(rest);
            case "balance" -> Measurement.execute(new SearchCommand(true), rest);
            default -> Commands.execute(new StagesCommand(), args);
        };
    }

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(), "no experiment " + experiment + "; there are image, search, balance and pictures");
    }
}
