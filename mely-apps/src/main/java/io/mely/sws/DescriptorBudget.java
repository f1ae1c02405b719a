// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Divides the descriptors the process may still open ({@code ulimit -n}) between connections, large files and what else comes up, so
 * that the server stops accepting before it runs out. Out of descriptors altogether, a JVM can't even load a class.
 *
 * @param sockets most open connections
 * @param openFiles most large files kept open
 */
record DescriptorBudget(int sockets, int openFiles) {
    private static final System.Logger LOG = System.getLogger(DescriptorBudget.class.getName());

    /** For files and folders that are looked at for a moment, and the JVM itself: a guess. */
    static final int RESERVE = 12;

    private static final String LIMIT_LINE = "Max open files";

    /**
     * Asks Linux; elsewhere the limit is taken to be no limit.
     *
     * @param config what is wanted
     * @return what can be had
     */
    static DescriptorBudget of(SwsConfig config) {
        return of(config, Path.of("/proc/self"));
    }

    static DescriptorBudget of(SwsConfig config, Path proc) {
        long limit = Long.MAX_VALUE;
        long used = 0;
        try (Stream<String> lines = Files.lines(proc.resolve("limits"));
                Stream<Path> open = Files.list(proc.resolve("fd"))) {
            limit = lines.filter(line -> line.startsWith(LIMIT_LINE))
                    .mapToLong(DescriptorBudget::softLimit)
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
            used = open.count();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the limit of descriptors is not known: {0}", e.toString());
        }
        DescriptorBudget budget = divide(config, Math.max(0, limit - used));
        if (budget.sockets < config.get(SwsSettings.MAX_CLIENTS)) {
            LOG.log(
                    Level.WARNING,
                    "at most {0} connections at once, as the process may open {1} files (ulimit -n): maxClients={2}",
                    budget.sockets,
                    limit,
                    config.get(SwsSettings.MAX_CLIENTS));
        }
        return budget;
    }

    private static DescriptorBudget divide(SwsConfig config, long free) {
        int openFiles = (int) Math.min(config.get(SwsSettings.OPEN_FILES_MAX), free / 4);
        long sockets = Math.max(1, free - openFiles - RESERVE);
        return new DescriptorBudget((int) Math.min(sockets, Integer.MAX_VALUE), openFiles);
    }

    /** {@code Max open files  1024  524288  files}: the first number, or "unlimited". */
    private static long softLimit(String line) {
        String soft = line.substring(LIMIT_LINE.length()).strip().split(" +", 2)[0];
        return soft.chars().allMatch(Character::isDigit) ? Long.parseLong(soft) : Long.MAX_VALUE;
    }
}
