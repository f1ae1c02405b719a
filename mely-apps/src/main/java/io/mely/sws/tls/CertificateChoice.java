// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Which certificate a client gets: the first one for the name it asks for whose key it can use, by exact name before wildcard; if there is none, the
 * first of all. The engines ask for an alias, which is the certificate's index.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
final class CertificateChoice extends X509ExtendedKeyManager {
    private final List<Certificate> certificates;
    private final Map<String, int[]> byName = new HashMap<>();
    private final int[] byDefault;

    CertificateChoice(List<Certificate> certificates) {
        this.certificates = certificates;
        for (int i = 0; i < certificates.size(); i++) {
            for (String name : certificates.get(i).names) {
                byName.merge(name, new int[] {i}, CertificateChoice::append);
            }
        }
        // Another key of the same name may suit a client that cannot use the first.
        List<String> names = certificates.get(0).names;
        byDefault = names.isEmpty() ? new int[] {0} : byName.getOrDefault(names.get(0), new int[] {0});
    }

    private static int[] append(int[] some, int[] more) {
        return IntStream.concat(IntStream.of(some), IntStream.of(more)).toArray();
    }

    /** The certificate for a name and a kind of key; null if none has such a key. */
    @Nullable
    Certificate choose(@Nullable String name, String keyType) {
        int index = indexOf(name, keyType);
        return index < 0 ? null : certificates.get(index);
    }

    private int indexOf(@Nullable String name, String keyType) {
        int[] candidates = name == null ? byDefault : candidates(name.toLowerCase(Locale.ROOT));
        for (int each : candidates) {
            if (isKeyType(certificates.get(each).keyType(), keyType)) {
                return each;
            }
        }
        return -1;
    }

    private int[] candidates(String name) {
        int[] exact = byName.get(name);
        if (exact != null) {
            return exact;
        }
        int dot = name.indexOf('.');
        int[] wildcard = dot < 0 ? null : byName.get("*" + name.substring(dot));
        return wildcard == null ? byDefault : wildcard;
    }

    /** The engines have names of their own: "EC" or "EC_EC" for EC keys. */
    private static boolean isKeyType(String of, String wanted) {
        return wanted.equals(of)
                || wanted.startsWith(of + "_")
                || (of.equals("RSA") && wanted.equals("RSASSA-PSS"))
                || (of.equals("EdDSA") && wanted.startsWith("Ed"));
    }

    private static @Nullable String requestedName(SSLEngine engine) {
        if (engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
            for (SNIServerName each : session.getRequestedServerNames()) {
                if (each instanceof SNIHostName host) {
                    return host.getAsciiName();
                }
            }
        }
        return null;
    }

    /** Whether the client knows signatures by such a key, as far as it says. The JDK has looked before it asks, BoringSSL has not. */
    private static boolean canVerify(SSLEngine engine, String keyType) {
        if (!(engine instanceof ReferenceCountedOpenSslEngine)
                || !(engine.getHandshakeSession() instanceof ExtendedSSLSession session)) {
            return true;
        }
        String[] algorithms = session.getPeerSupportedSignatureAlgorithms();
        for (String each : algorithms) {
            boolean isEcdsa = each.contains("ECDSA");
            boolean isKnown = switch (keyType) {
                case "EC" -> isEcdsa;
                case "RSA" -> each.contains("RSA") && !isEcdsa;
                default -> each.startsWith("Ed");
            };
            if (isKnown) {
                return true;
            }
        }
        return algorithms.length == 0;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
        int index = indexOf(requestedName(engine), keyType);
        if (index < 0 || !canVerify(engine, certificates.get(index).keyType())) {
            return null; // the engine asks for another kind of key
        }
        byte[] ocsp = certificates.get(index).ocsp;
        if (ocsp != null && engine instanceof ReferenceCountedOpenSslEngine stapling) {
            stapling.setOcspResponse(ocsp);
        }
        return Integer.toString(index);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return certificates.get(Integer.parseInt(alias)).chain.toArray(new X509Certificate[0]);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return certificates.get(Integer.parseInt(alias)).key;
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        int index = indexOf(null, keyType);
        return index < 0 ? null : Integer.toString(index);
    }

    @Override
    public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return IntStream.range(0, certificates.size())
                .filter(i -> isKeyType(certificates.get(i).keyType(), keyType))
                .mapToObj(Integer::toString)
                .toArray(String[]::new);
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null; // a server
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null; // a server
    }
}
