// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a program asks of its own server: a connection for each request.
 *
 * @param server where it listens; a wildcard is this machine
 * @param secured makes the sockets of one that speaks TLS; null for others
 */
public record SelfClient(InetSocketAddress server, @Nullable SSLSocketFactory secured) {
    private static final int TIMEOUT_MS = 10_000;

    /**
     * Of a server without TLS.
     *
     * @param server where it listens
     */
    public SelfClient(InetSocketAddress server) {
        this(server, null);
    }

    /**
     * Sends a request.
     *
     * @param request its bytes; may be empty, if the server speaks first
     * @param begin of a good answer
     * @return whether the answer begins so
     */
    public boolean isAnswered(byte[] request, String begin) {
        try (Socket plain = new Socket()) {
            plain.connect(server, TIMEOUT_MS);
            plain.setSoTimeout(TIMEOUT_MS);
            Socket socket = secured == null
                    ? plain
                    : secured.createSocket(plain, plain.getInetAddress().getHostAddress(), plain.getPort(), true);
            socket.getOutputStream().write(request);
            byte[] answer = socket.getInputStream().readNBytes(begin.length());
            return new String(answer, StandardCharsets.ISO_8859_1).equals(begin);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * A request of HTTP, after which the connection is closed.
     *
     * @param line its first, without the version
     * @param fields of the head, each ended
     * @return its head
     */
    public static byte[] http(String line, String fields) {
        return (line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + fields + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
