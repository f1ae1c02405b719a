// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.Http2Wire.Frame;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A small server of HTTP/2 without TLS, a thread a connection, that answers each stream as it is told to. */
final class ScriptedHttp2Server extends ThreadedServer {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    /** What a request gets. */
    interface Script {
        /**
         * Answers.
         *
         * @param number of the request, counted from 1 over all connections
         * @param stream it came on
         * @param wire to write to
         * @return false to close the connection
         */
        boolean answer(int number, int stream, Http2Wire wire) throws IOException;
    }

    final AtomicInteger resets = new AtomicInteger();
    private final Script script;

    ScriptedHttp2Server(Script script) throws IOException {
        this.script = script;
        begin();
    }

    @Override
    void speak(Socket connection) throws IOException {
        byte[] begin = connection.getInputStream().readNBytes(PREFACE.length());
        if (!new String(begin, StandardCharsets.US_ASCII).equals(PREFACE)) {
            return;
        }
        Http2Wire wire = new Http2Wire(connection.getInputStream(), connection.getOutputStream());
        wire.send(Http2Wire.frame(Http2Wire.SETTINGS, 0, 0));
        while (true) {
            Frame frame = wire.readAnswer();
            if (frame.type == Http2Wire.RST_STREAM) {
                resets.incrementAndGet();
            } else if (frame.type == Http2Wire.HEADERS
                    && !script.answer(requests.incrementAndGet(), frame.stream, wire)) {
                return;
            }
        }
    }

    /** The head of an answer: no entry of the client's table is used or made. */
    static byte[] head(int status, int stream, int flags) {
        byte[] digits = Integer.toString(status).getBytes(StandardCharsets.US_ASCII);
        return Http2Wire.frame(
                Http2Wire.HEADERS,
                Http2Wire.END_HEADERS | flags,
                stream,
                (byte) 8,
                (byte) 3,
                digits[0],
                digits[1],
                digits[2]);
    }

    /** The whole body. */
    static byte[] body(String text, int stream) {
        return Http2Wire.frame(Http2Wire.DATA, Http2Wire.END_STREAM, stream, text.getBytes(StandardCharsets.US_ASCII));
    }

    static boolean answer(int status, String body, int stream, Http2Wire wire) throws IOException {
        wire.send(head(status, stream, 0));
        wire.send(body(body, stream));
        return true;
    }

    static boolean ok(int stream, Http2Wire wire) throws IOException {
        return answer(200, ScriptedServer.BODY, stream, wire);
    }
}
