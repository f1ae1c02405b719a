// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells a name that leads to nothing from a disk that fails.
 *
 * <p>Java has types for a few errors of the system only. For the others it has the system's words, in the language of the machine. So the words for
 * three kinds of names that lead to nothing are learned, by asking for such names: one that leads through a file, one that is too long, and one with too many links.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Three system calls, once, when the first such failure comes.
 */
final class FileFailures {
    /** Two links each time; Linux follows 40. */
    private static final String LINKS = "/proc/self/root";

    private static final int LINKS_MANY = 30;
    private static final int NAME_LONG = 5_000;

    private FileFailures() {}

    /** Learned when it is first needed. */
    private static final class Words {
        private static final Set<String> NOTHING_THERE = new HashSet<>();

        static {
            learn("/dev/null/name");
            learn("/" + "x".repeat(NAME_LONG));
            learn(LINKS.repeat(LINKS_MANY));
        }

        private static void learn(String name) {
            try {
                Files.size(Path.of(name));
            } catch (FileSystemException e) {
                String reason = e.getReason();
                if (e.getClass() == FileSystemException.class && reason != null) {
                    NOTHING_THERE.add(reason);
                }
            } catch (IOException | InvalidPathException notOnThisSystem) {
                // then its words are not known, and it counts as a failure
            }
        }
    }

    /** Whether a name leads to nothing: it is not there, goes through a file, round in links, or is too long. */
    static boolean isNothingThere(IOException failure) {
        if (failure instanceof NoSuchFileException
                || failure instanceof NotDirectoryException
                || failure instanceof FileSystemLoopException) {
            return true;
        }
        return failure instanceof FileSystemException named
                && named.getReason() != null
                && Words.NOTHING_THERE.contains(named.getReason());
    }
}
