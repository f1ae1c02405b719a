// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A folder among the temporary ones for as long as a program shows something. Who begins one deletes those of the same name that programs of the same user have
 * left, because they were killed: nobody holds the lock in them.
 *
 * <p><b>Threads.</b> Any.
 */
public final class TemporaryFolder implements AutoCloseable {
    private static final String LOCK = "lock";

    /** Of this process, which would lose its lock if it looked whether somebody has it. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel lock;

    private TemporaryFolder(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /**
     * Makes one, which nobody else may read.
     *
     * @param name its beginning
     * @return to be closed
     * @throws IOException if it can't be made
     */
    public static TemporaryFolder create(String name) throws IOException {
        return create(Path.of(System.getProperty("java.io.tmpdir")), name);
    }

    static TemporaryFolder create(Path parent, String name) throws IOException {
        Path folder = Files.createTempDirectory(parent, name);
        OWN.add(folder);
        Path unlocked = folder.resolve("unlocked");
        FileChannel lock = FileChannel.open(unlocked, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        if (lock.tryLock() == null) {
            throw new IOException("no lock on a new file: " + unlocked);
        }
        Files.move(unlocked, folder.resolve(LOCK)); // it is never seen there without its lock
        Files.createDirectory(folder.resolve("content"));
        deleteLeft(parent, name, Files.getOwner(folder));
        return new TemporaryFolder(folder, lock);
    }

    private static void deleteLeft(Path parent, String name, UserPrincipal owner) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, name + "*")) {
            for (Path each : all) {
                if (!OWN.contains(each)
                        && Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(each, LinkOption.NOFOLLOW_LINKS).equals(owner)) {
                    deleteIfLeft(each);
                }
            }
        }
    }

    private static void deleteIfLeft(Path folder) {
        try (FileChannel lock = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE)) {
            if (lock.tryLock() != null) {
                delete(folder);
            }
        } catch (IOException | OverlappingFileLockException inUse) {
            return; // or it is being made, or another one deletes it
        }
    }

    /**
     * Where its files are.
     *
     * @return an empty folder at first
     */
    public Path path() {
        return folder.resolve("content");
    }

    /** Deletes it. */
    @Override
    public void close() {
        delete(folder);
        OWN.remove(folder);
        try {
            lock.close();
        } catch (IOException e) {
            System.err.println("not closed: " + folder);
        }
    }

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
        } catch (IOException | UncheckedIOException e) {
            System.err.println("not deleted: " + tree);
        }
    }
}
