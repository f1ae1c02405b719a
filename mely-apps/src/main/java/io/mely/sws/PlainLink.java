// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredSocket;
import io.mely.net.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The socket itself. */
record PlainLink(ColoredSocket socket) implements Link {
    @Override
    public boolean isSecure() {
        return false;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        return socket.read(dst);
    }

    @Override
    public boolean isBuffering() {
        return false;
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        return socket.write(src);
    }

    @Override
    public long write(ByteBuffer first, ByteBuffer second) throws IOException {
        return socket.write(new ByteBuffer[] {first, second}, 0, 2);
    }

    @Override
    public int writeBeforeMore(ByteBuffer src) throws IOException {
        return socket.writeBeforeMore(src);
    }

    @Override
    public long sendFile(OpenFile file, long position, long count) throws IOException {
        return socket.sendFile(file, position, count);
    }

    @Override
    public void awaitWritable() throws IOException {
        socket.awaitWritable();
    }

    @Override
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() {
        socket.close();
    }
}
