// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import java.security.AlgorithmConstraints;
import java.security.AlgorithmParameters;
import java.security.CryptoPrimitive;
import java.security.Key;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Takes from the JDK the groups of key exchange that cost a server more than those that all clients have: with ffdhe8192 a handshake takes some 15 ms more of CPU ({@code openssl
 * s_client -groups}), which a client could ask for at little cost of its own. P-521 stays, because the JDK would not sign with such a certificate either.
 *
 * <p><b>Threads.</b> Any.
 */
final class FewGroups implements AlgorithmConstraints {
    private static final FewGroups INSTANCE = new FewGroups();

    private static final Set<String> LEFT_OUT =
            Set.of("x448", "ffdhe2048", "ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192");

    private static final Set<CryptoPrimitive> AGREEMENT = Set.of(CryptoPrimitive.KEY_AGREEMENT);

    private FewGroups() {}

    /** Before its handshake. (The JDK has a method of its own for this from 20 on.) */
    static SSLEngine limit(SSLEngine engine) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setAlgorithmConstraints(INSTANCE);
        engine.setSSLParameters(parameters);
        return engine;
    }

    @Override
    public boolean permits(
            Set<CryptoPrimitive> primitives, String algorithm, @Nullable AlgorithmParameters parameters) {
        return !primitives.equals(AGREEMENT) || !LEFT_OUT.contains(algorithm);
    }

    @Override
    public boolean permits(Set<CryptoPrimitive> primitives, Key key) {
        return true;
    }

    @Override
    public boolean permits(
            Set<CryptoPrimitive> primitives, String algorithm, Key key, @Nullable AlgorithmParameters parameters) {
        return permits(primitives, algorithm, parameters);
    }
}
