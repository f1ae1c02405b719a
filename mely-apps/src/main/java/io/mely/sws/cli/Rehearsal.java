// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.net.ssl.SSLContext;

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
     * @param isSecure it speaks TLS, with a certificate that nobody checks here
     * @return whether a response began, whatever its status: an empty folder is one to serve, too
     */
    static boolean isAnswered(InetSocketAddress address, boolean isSecure) {
        try (Socket plain = new Socket()) {
            plain.connect(address, TIMEOUT_MS);
            plain.setSoTimeout(TIMEOUT_MS);
            Socket socket = isSecure ? secure(plain) : plain;
            socket.getOutputStream().write(REQUEST);
            return Arrays.equals(socket.getInputStream().readNBytes(ANSWER.length), ANSWER);
        } catch (IOException | GeneralSecurityException e) {
            return false;
        }
    }

    private static Socket secure(Socket plain) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        return context.getSocketFactory()
                .createSocket(plain, plain.getInetAddress().getHostAddress(), plain.getPort(), true);
    }
}
