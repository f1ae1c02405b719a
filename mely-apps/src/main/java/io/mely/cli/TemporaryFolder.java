// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Deletes what a program has made for a demonstration. */
public final class TemporaryFolder {
    private TemporaryFolder() {}

    /**
     * Deletes a folder with all that is in it. What cannot be deleted is said, on standard error.
     *
     * @param tree the folder
     */
    public static void delete(Path tree) {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            System.err.println("not deleted: " + tree);
        }
    }
}
