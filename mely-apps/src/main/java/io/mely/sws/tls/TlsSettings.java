// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import io.mely.cli.Setting;
import io.mely.cli.SettingException;
import io.mely.cli.SettingList;
import io.mely.cli.SettingValues;
import io.mely.cli.ValueTypes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a server speaks TLS, if it has certificates: the part of its settings that begins with {@code tls-}.
 *
 * <p><b>Threads.</b> Any.
 */
public final class TlsSettings {
    /** RFC 8446 4.6.1: "Servers MUST NOT use any value greater than 604800 seconds (7 days)". */
    private static final Duration LIFETIME_MAX = Duration.ofDays(7);

    private static final Map<String, TlsVersion> VERSIONS =
            new TreeMap<>(Map.of("1.2", TlsVersion.V1_2, "1.3", TlsVersion.V1_3));
    private static final SettingList ALL = new SettingList();

    public static final Setting<List<CertificateFiles>> CERTIFICATES = ALL.of(
                    "tls-certificates",
                    "list of FILES",
                    ValueTypes.lines(
                            "CHAIN KEY in PEM, or one file that has both, in PEM or PKCS#12 (.p12, .pfx); behind them ocsp=FILE or nothing",
                            TlsSettings::certificate,
                            certificates -> true))
            .asFlag()
            .reloads()
            .byDefault(List.of())
            .says(
                    "Speaks TLS with these certificates. A client gets the first one for the name it asks for, else the first. Empty: no TLS. SWS_TLS_CERTIFICATES has one a line.");

    public static final Setting<String> PASSWORD_FILE = ALL.of(
                    "tls-password-file",
                    "path, relative to the current folder",
                    ValueTypes.text("empty or a path", ValueTypes::isFile))
            .reloads()
            .byDefault("")
            .says("File whose first line is the password of keys and PKCS#12 files that are encrypted.");

    public static final Setting<TlsEngine> ENGINE = ALL.of("tls-engine", "one word", ValueTypes.oneOf(TlsEngine.class))
            .byDefault(TlsEngine.AUTO)
            .says(
                    "Who does the cryptography. auto is BoringSSL where this machine has it (Linux on x86-64), else the JDK.");

    public static final Setting<TlsVersion> OLDEST = ALL.of("tls-oldest", "version of TLS", ValueTypes.oneOf(VERSIONS))
            .reloads()
            .byDefault(TlsVersion.V1_2) // Mozilla's "intermediate"
            .says("Oldest version that is spoken. TLS 1.3 always is.");

    public static final Setting<Duration> TICKET_LIFETIME = ALL.time("tls-ticket-lifetime", Duration.ZERO, LIFETIME_MAX)
            .byDefault(Duration.ofDays(1)) // a working day and a night, as clients come back
            .says(
                    "How long a client may resume a session. Each half of it the key of new tickets changes. 0 s: none is resumed.");

    public static final Setting<List<Path>> TICKET_KEYS = ALL.of(
                    "tls-ticket-keys",
                    "list of FILE",
                    ValueTypes.lines("paths of files of 48 bytes", ValueTypes.path()::parse, paths -> true))
            .reloads()
            .byDefault(List.of())
            .says(
                    "Keys of tickets for several servers of one site; the first seals, all open. Empty: keys of its own. SWS_TLS_TICKET_KEYS has one a line.");

    public static final Setting<ClientCertificates> CLIENT_AUTH = ALL.of(
                    "tls-client-auth", "one word", ValueTypes.oneOf(ClientCertificates.class))
            .reloads()
            .byDefault(ClientCertificates.OFF)
            .says("Whether clients must show a certificate (required), may (optional), or are not asked (off).");

    public static final Setting<String> CLIENT_AUTHORITIES = ALL.of(
                    "tls-client-authorities",
                    "path, relative to the current folder",
                    ValueTypes.text("empty or a path", ValueTypes::isFile))
            .reloads()
            .byDefault("")
            .says("Certificates in PEM of those who may sign the clients' certificates. Goes with tls-client-auth.");

    public static final Setting<String> HSTS = ALL.of(
                    "tls-hsts",
                    "value of the field",
                    ValueTypes.text("empty, or such as max-age=31536000; includeSubDomains", TlsSettings::isHsts))
            .byDefault("")
            .says(
                    "Strict-Transport-Security of all answers by TLS: browsers then use https only, for so many seconds. Empty: no such field.");

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

    private TlsSettings() {}

    /**
     * All of them.
     *
     * @return in the order of the reference
     */
    public static List<Setting<?>> all() {
        return ALL.all();
    }

    /**
     * Looks at values that are allowed each for itself.
     *
     * @param values of a server
     * @throws SettingException if two of them don't go together
     */
    public static void check(SettingValues values) {
        if (values.get(CERTIFICATES).isEmpty()) {
            for (Setting<?> each : all()) {
                check(values.get(each).equals(each.defaultValue()), values, each, "of no use without tls-certificates");
            }
            return;
        }
        Duration lifetime = values.get(TICKET_LIFETIME);
        check(
                lifetime.isZero() || lifetime.toSeconds() > 0,
                values,
                TICKET_LIFETIME,
                "not allowed; allowed: 0 s, or at least a second");
        boolean areClientsAsked = values.get(CLIENT_AUTH) != ClientCertificates.OFF;
        boolean hasAuthorities = !values.get(CLIENT_AUTHORITIES).isEmpty();
        check(!areClientsAsked || hasAuthorities, values, CLIENT_AUTH, "of no use without tls-client-authorities");
        check(areClientsAsked || !hasAuthorities, values, CLIENT_AUTHORITIES, "of no use without tls-client-auth");
    }

    private static <T> void check(boolean isRight, SettingValues values, Setting<T> setting, String reason) {
        if (!isRight) {
            throw new SettingException(setting, values.get(setting), reason);
        }
    }

    /**
     * The files that nobody else may read.
     *
     * @param values of a server
     * @return keys, their password, and keys of tickets
     */
    public static List<Path> secrets(SettingValues values) {
        List<Path> files = new ArrayList<>(values.get(TICKET_KEYS));
        values.get(CERTIFICATES).forEach(each -> files.add(each.key()));
        Path password = file(values, PASSWORD_FILE);
        if (password != null) {
            files.add(password);
        }
        return files;
    }

    /** The file that a setting names; null if it names none. */
    static @Nullable Path file(SettingValues values, Setting<String> setting) {
        String name = values.get(setting);
        return name.isEmpty() ? null : Path.of(name);
    }

    private static @Nullable CertificateFiles certificate(String line) {
        try {
            return CertificateFiles.parse(line);
        } catch (IllegalArgumentException wrong) {
            return null;
        }
    }

    private static boolean isHsts(String text) {
        return text.isEmpty() || text.matches("max-age=[0-9]{1,10}(; ?(includeSubDomains|preload))*");
    }
}
