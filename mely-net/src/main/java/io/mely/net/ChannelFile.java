// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

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
            throw new FileSystemException(path.toString(), null, NOT_REGULAR);
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
        return channel.read(dst, position);
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
