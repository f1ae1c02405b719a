// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.Addresses;
import io.mely.cli.Setting;
import io.mely.cli.StartException;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.ValueTypes;
import io.mely.cli.Values;
import io.mely.sws.SwsConfig;
import io.mely.sws.tls.CertificateFiles;
import io.mely.sws.tls.TlsConfig;
import io.mely.sws.tls.TlsConfig.ClientCertificates;
import io.mely.sws.tls.TlsConfig.TlsVersion;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings of TLS: {@code tls-} and the fields of {@link TlsConfig}. */
final class TlsSettings {
    private static final Duration LIFETIME_MAX = Duration.ofDays(7);
    private static final int PORT_MAX = 65_535;

    static final Setting<List<CertificateFiles>> CERTIFICATES = new Setting<>(
            "tls-certificates",
            true,
            ValueTypes.lines(
                    "CHAIN KEY in PEM, or one file that has both, in PEM or PKCS#12 (.p12, .pfx); behind them ocsp=FILE or nothing",
                    TlsSettings::certificates),
            "list of FILES",
            List.of(),
            "Speaks TLS with these certificates. A client gets the first one for the name it asks for, else the first. Empty: no TLS. SWS_TLS_CERTIFICATES has one a line.");

    static final Setting<String> PASSWORD_FILE = new Setting<>(
            "tls-password-file",
            false,
            ValueTypes.text("empty or a path", SwsConfig::isPath),
            "path, relative to the current folder",
            "",
            "File whose first line is the password of keys and PKCS#12 files that are encrypted.");

    static final Setting<TlsEngine> ENGINE = new Setting<>(
            "tls-engine",
            false,
            ValueTypes.oneOf(engineWords()),
            "one word",
            TlsEngine.AUTO,
            "Who does the cryptography. auto is BoringSSL where this machine has it (Linux on x86-64), else the JDK.");

    static final Setting<TlsVersion> OLDEST = new Setting<>(
            "tls-oldest",
            false,
            ValueTypes.oneOf(versionWords()),
            "version of TLS",
            TlsConfig.OLDEST,
            "Oldest version that is spoken. TLS 1.3 always is.");

    static final Setting<Duration> TICKET_LIFETIME = new Setting<>(
            "tls-ticket-lifetime",
            false,
            ValueTypes.time(Duration.ZERO, LIFETIME_MAX),
            "time",
            TlsConfig.TICKET_LIFETIME,
            "How long a client may resume a session. Each half of it the key of new tickets changes. 0 s: none is resumed.");

    static final Setting<List<Path>> TICKET_KEYS = new Setting<>(
            "tls-ticket-keys",
            false,
            ValueTypes.lines("paths of files of 48 bytes", TlsSettings::paths),
            "list of FILE",
            List.of(),
            "Keys of tickets for several servers of one site; the first seals, all open. Empty: keys of its own. SWS_TLS_TICKET_KEYS has one a line.");

    static final Setting<ClientCertificates> CLIENT_AUTH = new Setting<>(
            "tls-client-auth",
            false,
            ValueTypes.oneOf(clientWords()),
            "one word",
            ClientCertificates.OFF,
            "Whether clients must show a certificate (required), may (optional), or are not asked (off).");

    static final Setting<String> CLIENT_AUTHORITIES = new Setting<>(
            "tls-client-authorities",
            false,
            ValueTypes.text("empty or a path", SwsConfig::isPath),
            "path, relative to the current folder",
            "",
            "Certificates in PEM of those who may sign the clients' certificates. Goes with tls-client-auth.");

    static final Setting<String> REDIRECT_BIND = new Setting<>(
            "tls-redirect-bind",
            false,
            ValueTypes.text("empty or HOST:PORT", TlsSettings::isHostPort),
            "address and port",
            "",
            "Listens here without TLS, and redirects each request to the same path by https. With port = 0 its port is 0, too.");

    static final Setting<String> HSTS = new Setting<>(
            "tls-hsts",
            false,
            ValueTypes.text("empty, or such as max-age=31536000; includeSubDomains", TlsSettings::isHsts),
            "value of the field",
            "",
            "Strict-Transport-Security of all answers by TLS: browsers then use https only, for so many seconds. Empty: no such field.");

    static final List<Setting<?>> ALL = List.of(
            CERTIFICATES,
            PASSWORD_FILE,
            ENGINE,
            OLDEST,
            TICKET_LIFETIME,
            TICKET_KEYS,
            CLIENT_AUTH,
            CLIENT_AUTHORITIES,
            REDIRECT_BIND,
            HSTS);

    private TlsSettings() {}

    /** Null without certificates; then nothing else may be set. */
    static @Nullable TlsConfig config(Values values) throws UsageException, StartException {
        List<CertificateFiles> certificates = values.get(CERTIFICATES);
        if (certificates.isEmpty()) {
            for (Setting<?> each : ALL) {
                if (each != CERTIFICATES
                        && values.isGiven(each)
                        && !values.get(each).equals(each.defaultValue())) {
                    throw new UsageException(values.describe(each) + ": of no use without tls-certificates");
                }
            }
            return null;
        }
        boolean areClientsAsked = values.get(CLIENT_AUTH) != ClientCertificates.OFF;
        String authorities = values.get(CLIENT_AUTHORITIES);
        if (areClientsAsked == authorities.isEmpty()) {
            Setting<?> given = areClientsAsked ? CLIENT_AUTH : CLIENT_AUTHORITIES;
            Setting<?> missing = areClientsAsked ? CLIENT_AUTHORITIES : CLIENT_AUTH;
            throw new UsageException(values.describe(given) + ": of no use without " + missing.key());
        }
        String passwordFile = values.get(PASSWORD_FILE);
        try {
            return new TlsConfig(
                    certificates,
                    passwordFile.isEmpty() ? null : Path.of(passwordFile),
                    values.get(ENGINE),
                    values.get(OLDEST),
                    values.get(TICKET_LIFETIME),
                    values.get(TICKET_KEYS),
                    values.get(CLIENT_AUTH),
                    authorities.isEmpty() ? null : Path.of(authorities),
                    redirectBind(values),
                    values.get(HSTS));
        } catch (IllegalArgumentException refused) {
            throw new UsageException(Text.escape(String.valueOf(refused.getMessage()))); // a lifetime below a second
        }
    }

    private static @Nullable InetSocketAddress redirectBind(Values values) throws StartException {
        String text = values.get(REDIRECT_BIND);
        if (text.isEmpty()) {
            return null;
        }
        int colon = text.lastIndexOf(':');
        int port = values.get(Settings.PORT) == 0 ? 0 : Integer.parseInt(text.substring(colon + 1));
        try {
            return new InetSocketAddress(Addresses.lookUp(text.substring(0, colon)), port);
        } catch (UnknownHostException unknown) {
            throw new StartException(values.describe(REDIRECT_BIND) + ": no such host or network interface");
        }
    }

    /** The setting that names the file which is wrong. */
    static Setting<?> ofFile(Values values, TlsException wrong) {
        String message = String.valueOf(wrong.getMessage());
        if (isAbout(message, values.get(PASSWORD_FILE))) {
            return PASSWORD_FILE;
        }
        if (isAbout(message, values.get(CLIENT_AUTHORITIES))) {
            return CLIENT_AUTHORITIES;
        }
        boolean isTicketKey = values.get(TICKET_KEYS).stream().anyMatch(each -> isAbout(message, each.toString()));
        return isTicketKey ? TICKET_KEYS : CERTIFICATES;
    }

    private static boolean isAbout(String message, String file) {
        return !file.isEmpty() && message.startsWith(file + ":");
    }

    private static @Nullable List<CertificateFiles> certificates(List<String> lines) {
        List<CertificateFiles> certificates = new ArrayList<>();
        for (String line : lines) {
            try {
                certificates.add(CertificateFiles.parse(line));
            } catch (IllegalArgumentException wrong) {
                return null;
            }
        }
        return List.copyOf(certificates);
    }

    private static @Nullable List<Path> paths(List<String> lines) {
        try {
            return lines.stream().map(Path::of).toList();
        } catch (InvalidPathException wrong) {
            return null;
        }
    }

    private static boolean isHostPort(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return text.isEmpty();
        }
        String port = text.substring(colon + 1);
        return Addresses.isHost(text.substring(0, colon))
                && port.matches("[0-9]{1,5}")
                && Integer.parseInt(port) <= PORT_MAX;
    }

    private static boolean isHsts(String text) {
        return text.isEmpty() || text.matches("max-age=[0-9]{1,10}(; ?(includeSubDomains|preload))*");
    }

    private static Map<String, TlsEngine> engineWords() {
        Map<String, TlsEngine> words = new LinkedHashMap<>();
        words.put("auto", TlsEngine.AUTO);
        words.put("boringssl", TlsEngine.BORINGSSL);
        words.put("jdk", TlsEngine.JDK);
        return words;
    }

    private static Map<String, TlsVersion> versionWords() {
        Map<String, TlsVersion> words = new LinkedHashMap<>();
        words.put("1.2", TlsVersion.V1_2);
        words.put("1.3", TlsVersion.V1_3);
        return words;
    }

    private static Map<String, ClientCertificates> clientWords() {
        Map<String, ClientCertificates> words = new LinkedHashMap<>();
        words.put("off", ClientCertificates.OFF);
        words.put("optional", ClientCertificates.OPTIONAL);
        words.put("required", ClientCertificates.REQUIRED);
        return words;
    }
}
