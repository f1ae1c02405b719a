// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.tls.CertificateFiles;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** The certificates in the folder {@code tls} of the tests, and clients that believe any. */
public final class TlsFiles {
    private static final Path FOLDER = Path.of("src/test/resources/io/mely/sws/tls");
    private static final SSLSocketFactory CLIENTS = clientContext().getSocketFactory();

    private TlsFiles() {}

    public static Path file(String name) {
        return FOLDER.resolve(name).toAbsolutePath();
    }

    public static CertificateFiles certificate(String name) {
        return new CertificateFiles(file(name + ".pem"), file(name + "-key.pem"), null);
    }

    /** The one for localhost. */
    public static List<CertificateFiles> certificates() {
        return List.of(certificate("ec"));
    }

    /** Of clients that resume each other's sessions. */
    public static SSLSocketFactory clients() {
        return CLIENTS;
    }

    /** A context with sessions of its own. */
    public static SSLContext clientContext() {
        return clientContext(null);
    }

    /** The same, with certificates of the client. */
    public static SSLContext clientContext(KeyManager[] keys) {
        X509TrustManager all = new X509TrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {}

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        };
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {all}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
