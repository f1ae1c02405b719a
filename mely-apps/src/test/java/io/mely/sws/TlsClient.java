// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** A client whose handshake is taken flight by flight, so that any byte of it can be the last one that is sent. */
final class TlsClient implements AutoCloseable {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private final Socket socket = new Socket();
    private final ByteBuffer in = ByteBuffer.allocate(1 << 16);
    private final ByteBuffer plain = ByteBuffer.allocate(1 << 16);

    TlsClient(InetSocketAddress address, String... protocols) throws IOException {
        engine = TlsFiles.clientContext().createSSLEngine("localhost", address.getPort());
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(protocols);
        engine.beginHandshake();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(RawClient.TIMEOUT_MS);
        socket.connect(address, RawClient.TIMEOUT_MS);
    }

    /** What the client says next; empty when it has to hear something first, or is done. */
    byte[] flight() throws SSLException {
        ByteArrayOutputStream flight = new ByteArrayOutputStream();
        ByteBuffer out = ByteBuffer.allocate(1 << 16);
        runTasks();
        while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            engine.wrap(NOTHING, out.clear());
            flight.write(out.array(), 0, out.position());
            runTasks();
        }
        return flight.toByteArray();
    }

    /** Hears the server until it has something to say or is done. */
    void hear() throws IOException {
        InputStream stream = socket.getInputStream();
        while (engine.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP) {
            in.flip();
            SSLEngineResult result = engine.unwrap(in, plain);
            in.compact();
            runTasks();
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                int n = stream.read(in.array(), in.position(), in.remaining());
                if (n < 0) {
                    throw new IOException("the server left");
                }
                in.position(in.position() + n);
            }
        }
    }

    boolean isDone() {
        return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    /** A record with some bytes of a request. */
    byte[] sealed(byte[] bytes) throws SSLException {
        ByteBuffer out = ByteBuffer.allocate(1 << 16);
        ByteBuffer src = ByteBuffer.wrap(bytes);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (src.hasRemaining()) {
            engine.wrap(src, out.clear());
            all.write(out.array(), 0, out.position());
        }
        return all.toByteArray();
    }

    /** The whole handshake. */
    TlsClient handshake() throws IOException {
        while (!isDone()) {
            send(flight());
            hear();
        }
        return this;
    }

    TlsClient send(byte[] bytes) throws IOException {
        return send(bytes, 0, bytes.length);
    }

    TlsClient send(byte[] bytes, int from, int end) throws IOException {
        socket.getOutputStream().write(bytes, from, end - from);
        return this;
    }

    /** Waits for the end, which may be a reset. */
    boolean isEnded() throws IOException {
        try {
            while (socket.getInputStream().read() >= 0) {
                // an alert
            }
            return true;
        } catch (java.net.SocketException e) {
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Ends its side without notice, and goes on hearing. */
    void end() throws IOException {
        socket.shutdownOutput();
    }

    /** As a killed client does. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
