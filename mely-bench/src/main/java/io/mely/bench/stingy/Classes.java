// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options of the commands that read classes. */
final class Classes {
    @Parameters(paramLabel = "JAR|FOLDER", arity = "1..*", description = "Classes of the program.")
    List<Path> places = List.of();

    @Option(
            names = "--package",
            split = ",",
            paramLabel = "NAME",
            description = "Only classes of these packages, and of those below (default: all).")
    List<String> packages = List.of();

    @Option(
            names = "--annotations",
            paramLabel = "FILE",
            description = "What the classes do not say: sizes, counts, receivers, further allocators.")
    @Nullable
    Path annotations;
}
