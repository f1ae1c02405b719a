// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import io.mely.cli.SettingValues;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.KeyManagerFactorySpi;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of a server: makes an engine for each connection. Its certificates can be read again while connections go on; these keep what they began with.
 *
 * <p>Versions and ciphers are Mozilla's "intermediate" (guideline 5.7) without the DHE suite: TLS 1.3, and of TLS 1.2 what keeps the past secret. Neither renegotiation
 * nor compression nor early data.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> {@link #newEngine}: some microseconds and, with BoringSSL, native memory until the engine is released.
 */
public final class TlsContext implements AutoCloseable {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    private static final List<String> CIPHERS = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** The first is safe from quantum computers to come; a client that does not know it takes another. */
    private static final String[] GROUPS = {"X25519MLKEM768", "X25519", "P-256", "P-384"};

    static {
        // Read once by the JDK, when its first engine is made. BoringSSL refuses without being told.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private volatile SettingValues config; // replaced by a reload
    private final List<String> applications;
    private final TlsEngine engine;
    private final @Nullable Tickets tickets;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private @Nullable SslContext current; // guarded by lock; null when closed
    private volatile @Nullable SslContext last; // what current was last

    /**
     * Reads all files.
     *
     * @param config how
     * @param applications protocols that are offered by ALPN, the preferred one first
     * @param nowMs the time, to warn of certificates that are not valid
     * @return the context, to be closed
     * @throws TlsException if a file is not as it should be
     * @throws IOException if a file cannot be read
     */
    public static TlsContext open(SettingValues config, List<String> applications, long nowMs) throws IOException {
        TlsContext context = new TlsContext(config, applications);
        context.reload(config, nowMs);
        return context;
    }

    private TlsContext(SettingValues config, List<String> applications) throws TlsException {
        this.config = config;
        this.applications = List.copyOf(applications);
        engine = config.get(TlsSettings.ENGINE).resolved();
        if (!engine.isAvailable()) {
            throw new TlsException("BoringSSL is not available here: "
                    + rootMessage(Objects.requireNonNull(OpenSsl.unavailabilityCause())));
        }
        boolean isJdk = engine == TlsEngine.JDK;
        checkEngine(config);
        if (isJdk && config.get(TlsSettings.TICKET_LIFETIME).isZero()) {
            System.setProperty("jdk.tls.server.enableSessionTicketExtension", "false");
        }
        tickets = isJdk || config.get(TlsSettings.TICKET_LIFETIME).isZero() ? null : new Tickets(new SecureRandom());
    }

    private void checkEngine(SettingValues config) throws TlsException {
        boolean isJdk = engine == TlsEngine.JDK;
        if (isJdk && config.get(TlsSettings.CERTIFICATES).stream().anyMatch(each -> each.ocsp() != null)) {
            throw new TlsException(
                    "the JDK's engine cannot send an OCSP response from a file: tls-engine = boringssl can");
        }
        if (isJdk && !config.get(TlsSettings.TICKET_KEYS).isEmpty()) {
            throw new TlsException(
                    "the JDK's engine cannot use keys of tickets from files: tls-engine = boringssl can");
        }
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.toString();
    }

    /**
     * Reads all files again. New connections use what they have; if one is wrong, all goes on as it was. Where clients show certificates, sessions from before are not resumed, unless the keys of tickets come from files.
     *
     * @param next which files; engine and lifetime of tickets stay as they were
     * @param nowMs the time, to warn of certificates that are not valid
     * @throws TlsException if a file is not as it should be
     * @throws IOException if a file cannot be read
     */
    public void reload(SettingValues next, long nowMs) throws IOException {
        checkEngine(next);
        char[] password = password(next);
        List<Certificate> certificates = new ArrayList<>();
        for (CertificateFiles each : next.get(TlsSettings.CERTIFICATES)) {
            certificates.add(Certificate.load(each, password, nowMs));
        }
        List<OpenSslSessionTicketKey> ticketKeys = Tickets.read(next.get(TlsSettings.TICKET_KEYS));
        SslContext built = build(next, certificates);
        SslContext before;
        lock.writeLock().lock();
        try {
            before = current;
            config = next;
            current = built;
            last = built;
            if (tickets != null) {
                tickets.use(ticketKeys);
                if (next.get(TlsSettings.CLIENT_AUTH) != TlsSettings.ClientCertificates.OFF) {
                    tickets.forget(); // a session that is resumed shows no certificate: an authority may be gone
                }
                useTickets(built, tickets);
            }
        } finally {
            lock.writeLock().unlock();
        }
        ReferenceCountUtil.release(before); // its connections have it still
    }

    private static char[] password(SettingValues config) throws IOException {
        Path file = TlsSettings.file(config, TlsSettings.PASSWORD_FILE);
        if (file == null) {
            return new char[0];
        }
        try {
            return new String(Pem.read(file), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("")
                    .toCharArray();
        } catch (java.nio.file.NoSuchFileException e) {
            throw new TlsException(file + ": there is no such file", e);
        }
    }

    private SslContext build(SettingValues config, List<Certificate> certificates) throws IOException {
        KeyManagerFactory keys = new KeysOf(new CertificateChoice(certificates));
        if (engine == TlsEngine.BORINGSSL) {
            keys = new OpenSslCachingX509KeyManagerFactory(keys, certificates.size());
        }
        SslContextBuilder builder = SslContextBuilder.forServer(keys)
                .sslProvider(engine == TlsEngine.BORINGSSL ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .protocols(PROTOCOLS.subList(
                        0, config.get(TlsSettings.OLDEST) == TlsSettings.TlsVersion.V1_3 ? 1 : PROTOCOLS.size()))
                .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .sessionTimeout(
                        Math.max(1, this.config.get(TlsSettings.TICKET_LIFETIME).toSeconds()))
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        applications))
                .clientAuth(
                        switch (config.get(TlsSettings.CLIENT_AUTH)) {
                            case OFF -> ClientAuth.NONE;
                            case OPTIONAL -> ClientAuth.OPTIONAL;
                            case REQUIRED -> ClientAuth.REQUIRE;
                        });
        if (certificates.stream().anyMatch(each -> each.ocsp != null)) {
            builder.enableOcsp(true);
        }
        if (engine == TlsEngine.BORINGSSL) {
            builder.option(OpenSslContextOption.GROUPS, GROUPS);
        }
        Path authorities = TlsSettings.file(config, TlsSettings.CLIENT_AUTHORITIES);
        if (authorities != null) {
            try {
                builder.trustManager(Pem.certificates(authorities));
            } catch (java.nio.file.NoSuchFileException e) {
                throw new TlsException(authorities + ": there is no such file", e);
            }
        }
        try {
            SslContext built = builder.build();
            if (built.sessionContext() instanceof OpenSslServerSessionContext sessions) {
                sessions.setSessionCacheEnabled(false); // tickets need no memory here
            }
            return built;
        } catch (SSLException | IllegalArgumentException e) {
            throw new TlsException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private static void useTickets(SslContext context, Tickets tickets) {
        ((OpenSslServerSessionContext) context.sessionContext()).setTicketKeys(tickets.keys());
    }

    /** Seals tickets with a new key from now on; those sealed before can be opened for a while. Due each half of the tickets' lifetime. */
    public void rotateTickets() {
        if (tickets != null) {
            lock.readLock().lock();
            try {
                if (current != null) {
                    tickets.rotate();
                    useTickets(current, tickets);
                }
            } finally {
                lock.readLock().unlock();
            }
        }
    }

    /**
     * Makes an engine for a connection.
     *
     * @return the server's side, to be released by {@link ReferenceCountUtil#release}
     * @throws SSLException if the context is closed
     */
    public SSLEngine newEngine() throws SSLException {
        lock.readLock().lock();
        try {
            SslContext context = current;
            if (context == null) {
                throw new SSLException("TLS is closed");
            }
            SSLEngine made = context.newEngine(UnpooledByteBufAllocator.DEFAULT);
            return engine == TlsEngine.JDK ? FewGroups.limit(made) : made;
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * Who does the cryptography.
     *
     * @return BORINGSSL or JDK
     */
    public TlsEngine engine() {
        return engine;
    }

    /** Makes no engine any more; those that there are go on. */
    @Override
    public void close() {
        SslContext before;
        lock.writeLock().lock();
        try {
            before = current;
            current = null;
        } finally {
            lock.writeLock().unlock();
        }
        ReferenceCountUtil.release(before);
    }

    /**
     * Whether all that is native is freed, of the last context and of the engines made by it.
     *
     * @return false before the close
     */
    public boolean isReleased() {
        return last == null || ReferenceCountUtil.refCnt(last) <= 0;
    }

    @Override
    public String toString() {
        return "TlsContext[" + engine + ", " + config.get(TlsSettings.CERTIFICATES) + "]";
    }

    /** Netty and the JDK ask a factory for the key manager. */
    private static final class KeysOf extends KeyManagerFactory {
        KeysOf(KeyManager manager) {
            super(
                    new KeyManagerFactorySpi() {
                        @Override
                        protected void engineInit(@Nullable KeyStore store, char @Nullable [] password) {
                            // it has its keys
                        }

                        @Override
                        protected void engineInit(@Nullable ManagerFactoryParameters parameters) {
                            // it has its keys
                        }

                        @Override
                        protected KeyManager[] engineGetKeyManagers() {
                            return new KeyManager[] {manager};
                        }
                    },
                    null,
                    "certificates of files");
        }
    }
}
