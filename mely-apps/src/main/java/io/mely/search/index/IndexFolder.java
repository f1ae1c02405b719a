// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder with the generations of an index, of which a file names the current one.
 *
 * <pre>
 *   current        the name of a generation
 *   7/manifest     see {@link Manifest}
 *   7/pages/       by Lucene
 *   7/sounds/
 *   7/suggestions/
 * </pre>
 *
 * <p>A generation is written under a name that nobody looks at, forced to the disk, and then named by {@code current}, which is replaced in one step. So a server sees the old index or the new one, also after a crash. The generation
 * before the current one is kept, as servers may have it open.
 *
 * <p><b>Threads.</b> Any; one writer of one process at a time, by a lock on the file {@code lock}.
 */
public final class IndexFolder {
    private static final String CURRENT = "current";
    private static final String UNFINISHED = ".part";

    private final Path folder;

    /**
     * Names a folder, which need not be there yet.
     *
     * @param folder of the index
     */
    public IndexFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * The generation to use.
     *
     * @return its folder
     * @throws IOException if there is none
     */
    public Path current() throws IOException {
        String name;
        try {
            name = Files.readString(folder.resolve(CURRENT)).strip();
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(folder.toString(), null, "no index");
        }
        if (!name.matches("[0-9]{1,18}")) {
            throw new DamagedIndexException("names no generation: " + folder.resolve(CURRENT));
        }
        return folder.resolve(name);
    }

    /** Fills a new generation. */
    @FunctionalInterface
    interface Filler {
        /**
         * Fills it.
         *
         * @param generation an empty folder
         * @return how many pages it has
         */
        int fill(Path generation) throws IOException;
    }

    /** Makes a new generation, and makes it the current one. Returns its pages. */
    int replace(Filler filler) throws IOException {
        Files.createDirectories(folder);
        try (FileChannel lock =
                FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (lock.tryLock() == null) {
                throw new IOException("another process writes this index: " + folder);
            }
            for (Path left : all(UNFINISHED)) {
                delete(left);
            }
            long number = 1
                    + generations().stream()
                            .mapToLong(IndexFolder::number)
                            .max()
                            .orElse(0);
            Path unfinished = folder.resolve(number + UNFINISHED);
            Files.createDirectory(unfinished);
            int pages;
            try {
                pages = filler.fill(unfinished);
                Manifest.write(unfinished, pages);
                force(unfinished);
            } catch (IOException | RuntimeException e) {
                delete(unfinished);
                throw e;
            }
            publish(unfinished, number);
            return pages;
        }
    }

    private void publish(Path unfinished, long number) throws IOException {
        Files.move(unfinished, folder.resolve(String.valueOf(number)), StandardCopyOption.ATOMIC_MOVE);
        Path fresh = folder.resolve(CURRENT + UNFINISHED);
        Files.writeString(fresh, number + "\n");
        forceOne(fresh);
        Files.move(fresh, folder.resolve(CURRENT), StandardCopyOption.ATOMIC_MOVE);
        forceOne(folder);
        for (Path old : generations()) {
            if (number(old) < number - 1) {
                delete(old);
            }
        }
    }

    private static long number(Path generation) {
        return Long.parseLong(generation.getFileName().toString());
    }

    private List<Path> generations() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(path -> path.getFileName().toString().matches("[0-9]{1,18}"))
                    .toList();
        }
    }

    private List<Path> all(String suffix) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(path -> path.toString().endsWith(suffix)).toList();
        }
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private static void force(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.toList()) {
                forceOne(path);
            }
        }
    }

    private static void forceOne(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
