// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A small HTTP server, a thread a connection, that answers each request as it is told to. */
final class ScriptedServer extends ThreadedServer {
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

    private final Script script;

    ScriptedServer(Script script) throws IOException {
        this.script = script;
        begin();
    }

    @Override
    void speak(Socket connection) throws IOException {
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
}
