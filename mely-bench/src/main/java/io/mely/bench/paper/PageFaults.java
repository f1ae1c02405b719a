// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Pages that this process has touched for the first time since the system gave them to it. A heap that grows, or that the collector gives back in part and takes again, costs
 * a handler that fills what it allocates more than the filling.
 *
 * <p>Linux says it, in {@code stat} of a process. Elsewhere it is 0.
 */
final class PageFaults {
    private static final Path PROCESS = Path.of("/proc/self/stat");
    /** {@code minflt}, counted behind the command's name, which may hold anything. */
    private static final int MINOR_COLUMN = 8;

    private PageFaults() {}

    /** Since the process began. */
    static long count() {
        return count(PROCESS);
    }

    /** By a file that looks like that. */
    static long count(Path process) {
        try {
            String stat = Files.readString(process);
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 1).split(" ", -1)[MINOR_COLUMN]);
        } catch (IOException e) {
            return 0;
        }
    }
}
