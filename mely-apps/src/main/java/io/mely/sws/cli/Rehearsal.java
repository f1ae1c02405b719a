// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Asks a server that has just started for its root folder, so that what an answer needs has run once. */
final class Rehearsal {
    private static final int TIMEOUT_MS = 10_000;
    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ANSWER = "HTTP/1.1 ".getBytes(StandardCharsets.US_ASCII);

    private Rehearsal() {}

    /**
     * Asks.
     *
     * @param address where it listens; a wildcard is this machine
     * @return whether a response began, whatever its status: an empty folder is one to serve, too
     */
    static boolean isAnswered(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            socket.getOutputStream().write(REQUEST);
            return Arrays.equals(socket.getInputStream().readNBytes(ANSWER.length), ANSWER);
        } catch (IOException e) {
            return false;
        }
    }
}
