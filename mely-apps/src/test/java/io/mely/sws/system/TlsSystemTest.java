// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import io.mely.sws.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packed server over TLS: with the library that is in its jar, and by signals. */
class TlsSystemTest {
    @TempDir
    Path folder;

    private Path root;

    @BeforeEach
    void makeFiles() throws IOException {
        root = Files.createDirectory(folder.resolve("root"));
        Files.writeString(root.resolve("a.html"), "hello");
        install("ec");
    }

    private void install(String name) throws IOException {
        for (String end : new String[] {".pem", "-key.pem"}) {
            Files.copy(TlsFiles.file(name + end), folder.resolve("site" + end), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private SwsProcess.Launch serving(String... more) {
        return SwsProcess.serving(root, more)
                .variable("SWS_TLS_CERTIFICATES", folder.resolve("site.pem") + " " + folder.resolve("site-key.pem"));
    }

    private static String subject(SwsProcess sws) throws IOException {
        try (RawClient client = new RawClient(sws.address(), 0, TlsFiles.clients())) {
            assertThat(client.fetch("/a.html").status()).isEqualTo(200);
            return ((X509Certificate) client.session().getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        }
    }

    // With a new file, with a wrong one, and a connection that is older than both.
    @Test
    void hangup_reloadsCertificates_andKeepsThemIfTheyAreWrong() throws Exception {
        // sessions that are resumed show the certificate they began with
        try (SwsProcess sws =
                        serving().variable("SWS_TLS_TICKET_LIFETIME", "0 s").startReady();
                RawClient old = new RawClient(sws.address(), 0, TlsFiles.clients())) {
            assertThat(old.fetch("/a.html").status()).isEqualTo(200);
            assertThat(subject(sws)).isEqualTo("CN=localhost");
            install("other");
            sws.signal("HUP");
            Await.until(sws::stderr, () -> subject(sws).equals("CN=other.test"));
            assertThat(sws.stderr()).isEmpty();
            Files.writeString(folder.resolve("site.pem"), "nonsense");
            sws.signal("HUP");
            Await.until(sws::stderr, () -> sws.stderr().contains("site.pem: no certificate in PEM"));
            assertThat(subject(sws)).isEqualTo("CN=other.test");
            assertThat(old.fetch("/a.html").status()).isEqualTo(200);
            sws.signal("TERM");
            assertThat(sws.awaitExit().exitCode()).isZero();
        }
    }

    @Test
    void rehearsal_asksOverTls() throws Exception {
        try (SwsProcess sws = serving("--rehearse").start()) {
            assertThat(sws.awaitExit().exitCode()).as(sws.stderr()).isZero();
        }
    }

    @Test
    void engines_areAsAsked() throws Exception {
        for (String engine : new String[] {"jdk", "auto"}) {
            try (SwsProcess sws = serving().variable("SWS_TLS_ENGINE", engine).startReady()) {
                assertThat(subject(sws)).isEqualTo("CN=localhost");
            }
        }
    }
}
