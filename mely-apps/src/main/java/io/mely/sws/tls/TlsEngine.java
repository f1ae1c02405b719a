// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import io.netty.handler.ssl.OpenSsl;

/** Who does the cryptography. */
public enum TlsEngine {
    /** BoringSSL where it can be loaded, else the JDK. */
    AUTO,
    /** BoringSSL through netty-tcnative, in native memory: Linux on x86-64. */
    BORINGSSL,
    /** The JDK's own, anywhere. */
    JDK;

    /**
     * Whether this machine has it.
     *
     * @return false if BoringSSL is asked for and cannot be loaded
     */
    public boolean isAvailable() {
        return this != BORINGSSL || OpenSsl.isAvailable();
    }

    /** What is meant on this machine. */
    TlsEngine resolved() {
        return this != AUTO ? this : OpenSsl.isAvailable() ? BORINGSSL : JDK;
    }
}
