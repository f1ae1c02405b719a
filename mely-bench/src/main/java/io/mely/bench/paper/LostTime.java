// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Time for which threads wanted to run and did not: another thread had their CPU, or the machine's host had taken it.
 *
 * <p>Linux says both: {@code schedstat} of a thread, and {@code steal} of the machine. Elsewhere it is 0.
 */
final class LostTime {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final Path MACHINE = Path.of("/proc/stat");
    private static final int STEAL_COLUMN = 8;
    /** {@code USER_HZ}, on all of Linux but Alpha. */
    private static final long TICK_NS = 10_000_000;

    private final Path tasks;
    private final Path machine;
    private final String names;
    private final Map<String, Long> waitedBefore;
    private final long stolenBefore;

    private LostTime(Path tasks, Path machine, String names) {
        this.tasks = tasks;
        this.machine = machine;
        this.names = names;
        waitedBefore = waited();
        stolenBefore = stolenNs();
    }

    /**
     * Counts from now on.
     *
     * @param names what the names of the threads begin with
     */
    static LostTime of(String names) {
        return new LostTime(TASKS, MACHINE, names);
    }

    /** With files that look like those. */
    static LostTime of(String names, Path tasks, Path machine) {
        return new LostTime(tasks, machine, names);
    }

    /** Lost by such threads that live still, since this was made, and by all of the machine to its host. */
    long ns() {
        long sum = stolenNs() - stolenBefore;
        for (Map.Entry<String, Long> task : waited().entrySet()) {
            sum += task.getValue() - waitedBefore.getOrDefault(task.getKey(), 0L);
        }
        return sum;
    }

    private Map<String, Long> waited() {
        Map<String, Long> waited = new HashMap<>();
        if (!Files.isDirectory(tasks)) {
            return waited;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(tasks)) {
            for (Path task : all) {
                long ns = waitedNs(task);
                if (ns >= 0) {
                    waited.put(task.toString(), ns);
                }
            }
        } catch (IOException e) {
            return new HashMap<>(); // as where there are none
        }
        return waited;
    }

    /** -1 for a thread of another name, or one that has just ended. */
    private long waitedNs(Path task) {
        try {
            boolean isOurs = Files.readString(task.resolve("comm")).startsWith(names);
            return isOurs
                    ? Long.parseLong(
                            Files.readString(task.resolve("schedstat")).strip().split(" ", -1)[1])
                    : -1;
        } catch (IOException e) {
            return -1;
        }
    }

    private long stolenNs() {
        try {
            String all = Files.readAllLines(machine).get(0);
            return TICK_NS * Long.parseLong(all.split("\\s+", -1)[STEAL_COLUMN]);
        } catch (IOException e) {
            return 0;
        }
    }
}
