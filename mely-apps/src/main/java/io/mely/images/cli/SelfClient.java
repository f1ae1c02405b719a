// SPDX-License-Identifier: Apache-2.0
package io.mely.images.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Requests of the program to itself: one connection each. */
record SelfClient(InetSocketAddress server) {
    private static final int TIMEOUT_MS = 10_000;
    private static final int STATUS_FROM = "HTTP/1.1 ".length();
    private static final int STATUS_END = STATUS_FROM + 3;

    int get(String target) throws IOException {
        return ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", new byte[0]);
    }

    int post(String target, String type, byte[] body) throws IOException {
        return ask(
                "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: " + type
                        + "\r\nContent-Length: " + body.length + "\r\n\r\n",
                body);
    }

    private int ask(String head, byte[] body) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(server, TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(body);
            socket.getOutputStream().write(request.toByteArray());
            InputStream in = socket.getInputStream();
            String line = new String(in.readNBytes(STATUS_END), StandardCharsets.US_ASCII);
            if (line.length() < STATUS_END) {
                throw new IOException("no answer");
            }
            return Integer.parseInt(line.substring(STATUS_FROM));
        }
    }
}
