// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a server speaks TLS. Immutable; start from {@link #of}, which has all defaults.
 *
 * <p><b>Errors.</b> {@link IllegalArgumentException} naming the field and the value that is out of range.
 *
 * @param certificates the certificates; a client gets the first one that is for the name it asks for, and the first of all if none is, or it asks for none
 * @param passwordFile a file whose first line is the password of keys and PKCS#12 files that are encrypted; null if none is
 * @param engine who does the cryptography
 * @param oldest the oldest version that is spoken; TLS 1.3 always is
 * @param ticketLifetime how long a client may resume a session, up to seven days; each half of it the key of new tickets changes; 0 = no session is resumed
 * @param ticketKeys files of 48 random bytes, for servers that resume each other's sessions: the first seals tickets, all open them; empty = keys of its own
 * @param clientAuth whether clients show certificates
 * @param clientAuthorities certificates in PEM of those who may sign these; null = none
 * @param redirectBind an address without TLS where every request is redirected to the same path by https; null = none
 * @param hsts value of the field Strict-Transport-Security of all answers by TLS; empty = no such field
 */
public record TlsConfig(
        List<CertificateFiles> certificates,
        @Nullable Path passwordFile,
        TlsEngine engine,
        TlsVersion oldest,
        Duration ticketLifetime,
        List<Path> ticketKeys,
        ClientCertificates clientAuth,
        @Nullable Path clientAuthorities,
        @Nullable InetSocketAddress redirectBind,
        String hsts) {

    /** Versions of TLS that may be the oldest. */
    public enum TlsVersion {
        /** TLS 1.2, with ciphers that keep what was said secret for ever. */
        V1_2,
        /** TLS 1.3. */
        V1_3
    }

    /** Whether clients show certificates. */
    public enum ClientCertificates {
        /** They are not asked. */
        OFF,
        /** They may; a bad one ends the handshake. */
        OPTIONAL,
        /** They must. */
        REQUIRED
    }

    /** RFC 8446 4.6.1: "Servers MUST NOT use any value greater than 604800 seconds (7 days)". */
    private static final Duration TICKET_LIFETIME_MAX = Duration.ofDays(7);

    /** Length of the default {@link #ticketLifetime}: a working day and a night, as clients come back. */
    public static final Duration TICKET_LIFETIME = Duration.ofDays(1);

    /** The lowest {@link #oldest} by default: Mozilla's "intermediate". */
    public static final TlsVersion OLDEST = TlsVersion.V1_2;

    /** Checks. */
    public TlsConfig {
        certificates = List.copyOf(certificates);
        ticketKeys = List.copyOf(ticketKeys);
        Objects.requireNonNull(engine, "engine");
        Objects.requireNonNull(oldest, "oldest");
        Objects.requireNonNull(clientAuth, "clientAuth");
        check(!certificates.isEmpty(), "certificates must not be empty");
        check(
                !ticketLifetime.isNegative() && ticketLifetime.compareTo(TICKET_LIFETIME_MAX) <= 0,
                "ticketLifetime must be between 0 and " + TICKET_LIFETIME_MAX + ": ticketLifetime=" + ticketLifetime);
        check(
                ticketLifetime.isZero() || ticketLifetime.toSeconds() > 0,
                "ticketLifetime must be 0 or at least a second: ticketLifetime=" + ticketLifetime);
        check(
                (clientAuth == ClientCertificates.OFF) == (clientAuthorities == null),
                "clientAuth and clientAuthorities go together: clientAuth=" + clientAuth + ", clientAuthorities="
                        + clientAuthorities);
        check(hsts.chars().allMatch(c -> c >= ' ' && c < 0x7f), "hsts must be printable ASCII: hsts=" + hsts);
    }

    private static void check(boolean isValid, String message) {
        if (!isValid) {
            throw new IllegalArgumentException(message);
        }
    }

    /**
     * Defaults: Mozilla's "intermediate" for servers, tickets by keys of its own.
     *
     * @param certificates see the class
     * @return the configuration
     */
    public static TlsConfig of(List<CertificateFiles> certificates) {
        return new TlsConfig(
                certificates,
                null,
                TlsEngine.AUTO,
                OLDEST,
                TICKET_LIFETIME,
                List.of(),
                ClientCertificates.OFF,
                null,
                null,
                "");
    }

    /**
     * With another {@link #engine}.
     *
     * @param value see there
     * @return a copy
     */
    public TlsConfig withEngine(TlsEngine value) {
        return new TlsConfig(
                certificates,
                passwordFile,
                value,
                oldest,
                ticketLifetime,
                ticketKeys,
                clientAuth,
                clientAuthorities,
                redirectBind,
                hsts);
    }

    /**
     * With a {@link #passwordFile}.
     *
     * @param value see there
     * @return a copy
     */
    public TlsConfig withPasswordFile(Path value) {
        return new TlsConfig(
                certificates,
                value,
                engine,
                oldest,
                ticketLifetime,
                ticketKeys,
                clientAuth,
                clientAuthorities,
                redirectBind,
                hsts);
    }

    /**
     * With another {@link #oldest}.
     *
     * @param value see there
     * @return a copy
     */
    public TlsConfig withOldest(TlsVersion value) {
        return new TlsConfig(
                certificates,
                passwordFile,
                engine,
                value,
                ticketLifetime,
                ticketKeys,
                clientAuth,
                clientAuthorities,
                redirectBind,
                hsts);
    }

    /**
     * With other tickets.
     *
     * @param lifetime see {@link #ticketLifetime}
     * @param keys see {@link #ticketKeys}
     * @return a copy
     */
    public TlsConfig withTickets(Duration lifetime, List<Path> keys) {
        return new TlsConfig(
                certificates,
                passwordFile,
                engine,
                oldest,
                lifetime,
                keys,
                clientAuth,
                clientAuthorities,
                redirectBind,
                hsts);
    }

    /**
     * With certificates of clients.
     *
     * @param auth see {@link #clientAuth}
     * @param authorities see {@link #clientAuthorities}
     * @return a copy
     */
    public TlsConfig withClients(ClientCertificates auth, @Nullable Path authorities) {
        return new TlsConfig(
                certificates,
                passwordFile,
                engine,
                oldest,
                ticketLifetime,
                ticketKeys,
                auth,
                authorities,
                redirectBind,
                hsts);
    }

    /**
     * With a {@link #redirectBind}.
     *
     * @param value see there
     * @return a copy
     */
    public TlsConfig withRedirectBind(@Nullable InetSocketAddress value) {
        return new TlsConfig(
                certificates,
                passwordFile,
                engine,
                oldest,
                ticketLifetime,
                ticketKeys,
                clientAuth,
                clientAuthorities,
                value,
                hsts);
    }

    /**
     * With another {@link #hsts}.
     *
     * @param value see there
     * @return a copy
     */
    public TlsConfig withHsts(String value) {
        return new TlsConfig(
                certificates,
                passwordFile,
                engine,
                oldest,
                ticketLifetime,
                ticketKeys,
                clientAuth,
                clientAuthorities,
                redirectBind,
                value);
    }

    /**
     * The files that nobody else may read.
     *
     * @return keys, their password, and keys of tickets
     */
    public List<Path> files() {
        List<Path> files = new ArrayList<>(ticketKeys);
        certificates.forEach(each -> files.add(each.key()));
        if (passwordFile != null) {
            files.add(passwordFile);
        }
        return files;
    }
}
