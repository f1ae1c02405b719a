// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** TLS with servers of this machine, whose certificates nobody has signed. */
final class Insecure {
    private Insecure() {}

    /**
     * TLS over a connection; its close closes both.
     *
     * @param applications protocols that the client would speak; none: it does not say
     */
    static SSLSocket socket(Socket plain, String... applications) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustAll()}, null);
            SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(applications);
            socket.setSSLParameters(parameters);
            return socket;
        } catch (GeneralSecurityException e) {
            throw new IOException("no TLS in this Java", e);
        }
    }

    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            // it is ours
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // it is ours
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
