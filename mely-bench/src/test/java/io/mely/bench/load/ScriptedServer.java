// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A small HTTP server, a thread a connection, that answers each request as it is told to. */
final class ScriptedServer implements AutoCloseable {
    static final String BODY = "twelve bytes";

    /** What a request gets. */
    interface Script {
        /**
         * Answers.
         *
         * @param number of the request, counted from 1 over all connections
         * @param path it asks for
         * @param connection to write to, or to break
         * @return false to close the connection
         */
        boolean answer(int number, String path, Socket connection) throws IOException;
    }

    final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger connections = new AtomicInteger();
    private final ServerSocket server;
    private final Script script;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    ScriptedServer(Script script) throws IOException {
        this.script = script;
        server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
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
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1));
            for (String first = in.readLine(); first != null; first = in.readLine()) {
                for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                    // Fields say nothing here.
                }
                if (!script.answer(requests.incrementAndGet(), first.split(" ", -1)[1], connection)) {
                    return;
                }
            }
        } catch (IOException e) {
            // The client is gone.
        } finally {
            open.remove(connection);
        }
    }

    static void write(Socket connection, String text) throws IOException {
        OutputStream out = connection.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    static String response(int status, String body) {
        return "HTTP/1.1 " + status + " Whatever\r\nServer: scripted\r\ncontent-LENGTH: " + body.length() + "\r\n\r\n"
                + body;
    }

    static boolean ok(Socket connection) throws IOException {
        write(connection, response(200, BODY));
        return true;
    }

    /** A client then sees a reset. */
    static boolean reset(Socket connection) throws IOException {
        connection.setSoLinger(true, 0);
        connection.close();
        return false;
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket connection : open) {
            connection.close();
        }
    }
}
