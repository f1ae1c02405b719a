// SPDX-License-Identifier: Apache-2.0
package io.mely.images.store;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The folder of finished pictures. A file is written under another name, forced to the disk, and renamed. A picture counts once all its files and its status
 * are there; what is found without a status, of a server that was stopped in the middle, is removed at the start.
 *
 * <p><b>Threads.</b> Any; one at a time writes the files of a picture. <b>Costs.</b> Writes wait for the disk. <b>Bounds.</b> Finished pictures take no more than the limit, apart from
 * the one that was finished last: the oldest are removed. Pictures in work come on top.
 */
public final class Store implements AutoCloseable {
    /** The file of a picture that says what it has. */
    public static final String STATUS = "status.json";

    private static final Logger LOG = System.getLogger(Store.class.getName());

    /** Of most file systems. */
    private static final int BLOCK_BYTES = 4 << 10;

    private final Path images;
    private final Path incoming;
    private final FileChannel lock;
    private final Catalogue catalogue;
    private final AtomicLong names = new AtomicLong();

    /** Read: somebody changes files. Written: the store is closed, after which nobody does. */
    private final ReentrantReadWriteLock closing = new ReentrantReadWriteLock();

    private boolean isClosed; // guarded by closing

    private Store(Path images, Path incoming, FileChannel lock, Catalogue catalogue) {
        this.images = images;
        this.incoming = incoming;
        this.lock = lock;
        this.catalogue = catalogue;
    }

    /**
     * Opens a folder, and makes it if it is not there.
     *
     * @param folder of which {@code images} and {@code .images} are the store's
     * @param bytesMax limit of finished pictures, &gt; 0
     * @return to be closed
     * @throws IOException if it cannot be written, or another server uses it
     */
    public static Store open(Path folder, long bytesMax) throws IOException {
        Path images = Files.createDirectories(folder.resolve("images"));
        Path incoming = Files.createDirectories(folder.resolve(".images"));
        FileChannel lock =
                FileChannel.open(incoming.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean isOpen = false;
        try {
            if (!isLocked(lock)) {
                throw new IOException("another image server uses this folder: " + folder);
            }
            Store store = new Store(images, incoming, lock, new Catalogue(bytesMax));
            store.clearIncoming();
            store.findFinished();
            isOpen = true;
            return store;
        } finally {
            if (!isOpen) {
                lock.close();
            }
        }
    }

    private static boolean isLocked(FileChannel lock) throws IOException {
        try {
            return lock.tryLock() != null;
        } catch (OverlappingFileLockException ofThisProcess) {
            return false;
        }
    }

    private void clearIncoming() throws IOException {
        for (Path file : list(incoming)) {
            if (!file.endsWith("lock")) {
                Files.delete(file);
            }
        }
    }

    private void findFinished() throws IOException {
        List<Found> finished = new ArrayList<>();
        for (Path folder : list(images)) {
            PictureId id = new PictureId(String.valueOf(folder.getFileName()));
            if (!PictureId.isValid(id.text()) || !Files.isDirectory(folder)) {
                LOG.log(Level.WARNING, "not of the image server, left alone: {0}", folder);
            } else if (Files.exists(folder.resolve(STATUS))) {
                long timeMs = Files.getLastModifiedTime(folder.resolve(STATUS)).toMillis();
                finished.add(new Found(id, bytes(folder), timeMs));
            } else {
                delete(folder);
            }
        }
        Collections.sort(finished);
        for (Found each : finished) {
            catalogue.begin(each.id);
            remove(catalogue.finish(each.id, each.bytes));
        }
    }

    private record Found(PictureId id, long bytes, long timeMs) implements Comparable<Found> {
        @Override
        public int compareTo(Found other) {
            return Long.compare(timeMs, other.timeMs);
        }
    }

    /** What a folder takes on the disk: whole blocks, and one for itself. So pictures of a few bytes do not use up the names that a disk has. */
    private static long bytes(Path folder) throws IOException {
        long blocks = 1;
        for (Path file : list(folder)) {
            blocks += (Files.size(file) + BLOCK_BYTES - 1) / BLOCK_BYTES;
        }
        return blocks * BLOCK_BYTES;
    }

    private static List<Path> list(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.toList();
        }
    }

    /**
     * What is known of pictures.
     *
     * @return of this store
     */
    public Catalogue catalogue() {
        return catalogue;
    }

    /**
     * Writes a file of a picture in work. When this returns, it is there under its name.
     *
     * @param id of the picture
     * @param name of the file
     * @param content of the file
     * @throws IOException if it is not written; nothing is left then
     */
    public void write(PictureId id, String name, byte[] content) throws IOException {
        closing.readLock().lock();
        try {
            writeOpen(id, name, content);
        } finally {
            closing.readLock().unlock();
        }
    }

    private void writeOpen(PictureId id, String name, byte[] content) throws IOException {
        if (isClosed) {
            throw new IOException("the store is closed");
        }
        Path folder = Files.createDirectories(images.resolve(id.text()));
        Path part = incoming.resolve(id + "-" + names.incrementAndGet());
        try {
            try (FileChannel file = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    file.write(bytes);
                }
                file.force(false);
            }
            Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /**
     * Ends a picture whose files are all there, and removes the oldest pictures if there is no room for it.
     *
     * @param id of the picture
     * @param status what is answered about it from now on
     * @throws IOException if that cannot be written; the picture is still in work then
     */
    public void finish(PictureId id, byte[] status) throws IOException {
        closing.readLock().lock();
        try {
            writeOpen(id, STATUS, status);
            remove(catalogue.finish(id, bytes(images.resolve(id.text()))));
        } finally {
            closing.readLock().unlock();
        }
    }

    /**
     * Ends a picture that can't be finished, and removes its files. Nobody may be writing any.
     *
     * @param id of the picture
     */
    public void fail(PictureId id) {
        closing.readLock().lock();
        try {
            if (!isClosed) { // else its files are gone already
                remove(List.of(id));
            }
            catalogue.fail(id);
        } finally {
            closing.readLock().unlock();
        }
    }

    /**
     * The status of a finished picture. Waits for the disk.
     *
     * @param id of the picture
     * @return as written
     * @throws NoSuchFileException if it has been removed
     * @throws IOException if it cannot be read
     */
    public byte[] status(PictureId id) throws IOException {
        return Files.readAllBytes(images.resolve(id.text()).resolve(STATUS));
    }

    private void remove(List<PictureId> ids) {
        for (PictureId id : ids) {
            try {
                delete(images.resolve(id.text()));
            } catch (IOException e) {
                LOG.log(Level.WARNING, "a picture is not removed: " + id, e);
            }
            catalogue.removed(id);
        }
    }

    /** The status first: without it the rest goes at the next start, if not now. */
    private static void delete(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(STATUS));
        if (Files.exists(folder)) {
            for (Path file : list(folder)) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        }
    }

    /** Waits for files that are being written, removes what is not finished, and lets go of the folder. */
    @Override
    public void close() throws IOException {
        closing.writeLock().lock();
        try {
            isClosed = true;
            remove(catalogue.inWork());
            lock.close();
        } finally {
            closing.writeLock().unlock();
        }
    }
}
