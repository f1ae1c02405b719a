// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import io.mely.bench.stingy.model.ModelFile;
import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.solve.Explanation;
import io.mely.bench.stingy.solve.InfeasibleException;
import io.mely.bench.stingy.solve.Planner;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.PlanFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stingy gen}: a plan from a model. */
@Command(
        name = "gen",
        mixinStandardHelpOptions = true,
        description = "Decides how many instances of each object fit into the region, and says what limits them."
                + " Exit code 1: one request does not fit.")
final class GenCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "MODEL", description = "Written by walk, or by hand.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Path file;

    @Option(names = "--region", paramLabel = "SIZE", description = "In place of the model's, as 1 MiB.")
    private @Nullable String region;

    @Option(names = "--separate", description = "Each object has an area of its own, also where it could share one.")
    private boolean isSeparate;

    @Option(names = "--out", paramLabel = "FILE", description = "Where the plan goes (default: the terminal).")
    private @Nullable Path out;

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        Planner planner;
        try {
            StageModel model = ModelFile.read(file);
            StageModel sized = region == null ? model : model.withRegion(Output.bytes(spec, "--region", region));
            planner = new Planner(sized, !isSeparate);
        } catch (WrongFileException e) {
            throw Output.wrong(spec, String.valueOf(e.getMessage()));
        } catch (InfeasibleException e) {
            err.println(e.getMessage());
            return Output.FAILED;
        }
        err.print(new Explanation(planner));
        err.flush();
        String remark = "Made by \"stingy gen\" from " + file.getFileName() + ".";
        return Output.write(spec, out, PlanFile.write(planner.plan(), List.of(remark)));
    }
}
