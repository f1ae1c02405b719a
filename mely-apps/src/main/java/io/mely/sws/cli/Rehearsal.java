// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.SelfClient;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

/** Asks a server that has just started for its root folder, so that what an answer needs has run once. */
final class Rehearsal {
    private Rehearsal() {}

    /**
     * Asks.
     *
     * @param address where it listens; a wildcard is this machine
     * @param isSecure it speaks TLS, with a certificate that nobody checks here
     * @return whether a response began, whatever its status: an empty folder is one to serve, too
     */
    static boolean isAnswered(InetSocketAddress address, boolean isSecure) {
        return new SelfClient(address, isSecure ? trusting() : null)
                .isAnswered(SelfClient.http("GET /", ""), "HTTP/1.1 ");
    }

    private static SSLSocketFactory trusting() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }
}
