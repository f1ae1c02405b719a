// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Set;

/** A file by the JDK, where there are no native calls. */
final class ChannelFile extends OpenFile {
    private static final Logger LOGGER = System.getLogger(ChannelFile.class.getName());

    private final FileChannel channel;
    private final long size;
    private final Instant lastModified;

    private ChannelFile(Path path, FileChannel channel, long size, Instant lastModified) {
        super(path);
        this.channel = channel;
        this.size = size;
        this.lastModified = lastModified;
    }

    static ChannelFile openByChannel(Path path) throws IOException {
        if (!Files.isRegularFile(path)) { // asked before it is opened: opening a FIFO would wait
            if (!Files.exists(path)) {
                throw new NoSuchFileException(path.toString());
            }
            throw new NoSuchFileException(path.toString(), null, NOT_REGULAR);
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            return new ChannelFile(
                    path,
                    channel,
                    channel.size(),
                    Files.getLastModifiedTime(path).toInstant());
        } catch (IOException e) {
            closeQuietly(channel);
            throw e;
        }
    }

    /** The same by the JDK's folder streams, which open relative to each other on Unix. */
    static ChannelFile openBeneathByChannel(Path root, Path relative) throws IOException {
        Path path = root.resolve(relative);
        int names = relative.getNameCount();
        SecureDirectoryStream<Path> folder = openFolder(root);
        try {
            for (int i = 0; i < names - 1; i++) {
                Path name = relative.getName(i);
                if (!attributesIn(folder, name).isDirectory()) { // JDK 25 leaks a descriptor when it finds out itself
                    throw new NoSuchFileException(path.toString(), null, name + " is no folder");
                }
                SecureDirectoryStream<Path> next = folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
                folder.close();
                folder = next;
            }
            Path last = relative.getName(names - 1);
            BasicFileAttributes attributes = attributesIn(folder, last);
            if (!attributes.isRegularFile()) { // asked before it is opened: opening a FIFO would wait
                throw new NoSuchFileException(path.toString(), null, NOT_REGULAR);
            }
            FileChannel channel = (FileChannel)
                    folder.newByteChannel(last, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
            return new ChannelFile(
                    path,
                    channel,
                    attributes.size(),
                    attributes.lastModifiedTime().toInstant());
        } finally {
            folder.close();
        }
    }

    private static BasicFileAttributes attributesIn(SecureDirectoryStream<Path> folder, Path name) throws IOException {
        return folder.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    @SuppressWarnings("StreamResourceLeak") // handed to the caller, who closes it
    private static SecureDirectoryStream<Path> openFolder(Path folder) throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(folder);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new FileSystemException(folder.toString(), null, "files can't be opened relative to a folder here");
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Instant lastModified() {
        return lastModified;
    }

    @Override
    int readRetained(ByteBuffer dst, long position) throws IOException {
        return uninterrupted(() -> channel.read(dst, position));
    }

    @Override
    int readFromMemoryRetained(ByteBuffer dst, long position) {
        return 0; // the JDK cannot tell
    }

    /** A call on a file's channel. */
    interface Call<T> {
        T call() throws IOException;
    }

    /** Makes a call while the thread is not interrupted: the JDK would close the channel, and with it the file of all who send it. */
    static <T> T uninterrupted(Call<T> call) throws IOException {
        boolean wasInterrupted = Thread.interrupted();
        try {
            return call.call();
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    FileChannel channel() {
        return channel;
    }

    @Override
    void closeLast() {
        closeQuietly(channel);
    }

    static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOGGER.log(Logger.Level.DEBUG, "a file could not be closed", e);
        }
    }
}
