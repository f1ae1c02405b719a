// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What the commands share: sizes, and files that are written. */
final class Output {
    static final int OK = 0;
    static final int FAILED = 1;

    private Output() {}

    /** Bytes of a text such as "1 MiB". */
    static long bytes(CommandSpec spec, String option, String text) {
        try {
            Config size = ConfigFactory.parseMap(Map.of("size", text));
            long bytes = size.getBytes("size");
            if (bytes > 0) {
                return bytes;
            }
        } catch (ConfigException notASize) {
            // said below
        }
        throw wrong(spec, option + " must be a size > 0, as 1 MiB: " + text);
    }

    static ParameterException wrong(CommandSpec spec, String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** What to say of an input that cannot be read. */
    static String unreadable(IOException failure) {
        return failure instanceof NoSuchFileException missing
                ? missing.getFile() + ": no such jar or folder"
                : String.valueOf(failure.getMessage());
    }

    /**
     * Writes a text to a file, or to the terminal.
     *
     * @param file null: the terminal
     * @return an exit code
     */
    static int write(CommandSpec spec, @Nullable Path file, String text) {
        PrintWriter out = spec.commandLine().getOut();
        if (file == null) {
            out.print(text);
            out.flush();
            return OK;
        }
        try {
            Files.writeString(file, text);
            return OK;
        } catch (IOException failed) {
            spec.commandLine().getErr().println("cannot write " + file + ": " + failed);
            return FAILED;
        }
    }
}
