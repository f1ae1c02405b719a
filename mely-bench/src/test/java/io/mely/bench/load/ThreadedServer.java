// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A small server, a thread a connection. */
abstract class ThreadedServer implements AutoCloseable {
    final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger connections = new AtomicInteger();
    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    ThreadedServer() throws IOException {
        server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    }

    /** Speaks with a client; the connection is closed when this returns. */
    abstract void speak(Socket connection) throws IOException;

    /** Accepts from now on. */
    final void begin() {
        daemon(this::accept);
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    final int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket connection = server.accept();
                connection.setTcpNoDelay(true);
                connections.incrementAndGet();
                open.add(connection);
                daemon(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            speak(connection);
        } catch (IOException e) {
            // The client is gone.
        } finally {
            open.remove(connection);
        }
    }

    @Override
    public final void close() throws IOException {
        server.close();
        for (Socket connection : open) {
            connection.close();
        }
    }
}
