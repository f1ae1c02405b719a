// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The least that a server does to send a file by a cipher of the JDK: read it from the kernel's memory, encrypt it, write it to a socket of this machine, as many packets at once as SFS writes. No protocol, one connection;
 * another thread reads and forgets.
 */
final class ServerPath implements AutoCloseable {
    private static final int PACKETS = 8;
    private static final int PIECE_BYTES = CipherTable.HEAD_BYTES + CipherTable.PACKET_BYTES + CipherTable.TAG_BYTES;
    private static final int OUT_BYTES = PACKETS * PIECE_BYTES;

    private final CipherTable.Packets cipher;
    private final Path name = Files.createTempFile("sfs-path", ".bin");
    private final FileChannel file;
    private final SocketChannel socket;
    private final ByteBuffer in = ByteBuffer.allocateDirect(CipherTable.PACKET_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);

    ServerPath(CipherTable.Packets cipher) throws IOException {
        this.cipher = cipher;
        Files.write(name, new byte[PACKETS * CipherTable.PACKET_BYTES]);
        file = FileChannel.open(name, StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE);
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            socket = SocketChannel.open(listener.getLocalAddress());
            SocketChannel peer = listener.accept();
            Thread reader = new Thread(() -> forget(peer), "reader");
            reader.setDaemon(true);
            reader.start();
        }
    }

    private static void forget(SocketChannel peer) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(OUT_BYTES);
        try (peer) {
            while (peer.read(bytes.clear()) >= 0) {
                // it was sent
            }
        } catch (IOException closed) {
            // so ends the measurement
        }
    }

    void send(byte[] packet, long number) throws Exception {
        in.clear();
        while (in.hasRemaining()) {
            int n = file.read(in, number % PACKETS * CipherTable.PACKET_BYTES + in.position());
            if (n < 0) {
                throw new IOException("the file is too short: " + name);
            }
        }
        in.flip().get(packet, CipherTable.HEAD_BYTES, CipherTable.PACKET_BYTES);
        cipher.encrypt(packet, number);
        out.put(packet, 0, PIECE_BYTES);
        if (!out.hasRemaining()) {
            out.flip();
            while (out.hasRemaining()) {
                int unused = socket.write(out);
            }
            out.clear();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        file.close();
    }
}
