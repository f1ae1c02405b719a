// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.TlsFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Exact names before wildcards before the default, and of several the first with the kind of key that is asked for. */
class CertificateChoiceTest {
    private static final long NOW_MS = 1_800_000_000_000L;

    private static CertificateChoice choice(String... names) throws IOException {
        List<Certificate> certificates = new ArrayList<>();
        for (String name : names) {
            certificates.add(Certificate.load(TlsFiles.certificate(name), new char[0], NOW_MS));
        }
        return new CertificateChoice(certificates);
    }

    private static String chosen(CertificateChoice choice, String name, String keyType) {
        Certificate certificate = choice.choose(name, keyType);
        return certificate == null
                ? "none"
                : certificate.files.chain().getFileName().toString();
    }

    @Test
    void choose_byName() throws IOException {
        CertificateChoice choice = choice("ec", "other");
        assertThat(chosen(choice, "localhost", "EC")).isEqualTo("ec.pem");
        assertThat(chosen(choice, "EXAMPLE.test", "EC")).isEqualTo("ec.pem");
        assertThat(chosen(choice, "other.test", "EC")).isEqualTo("other.pem");
        assertThat(chosen(choice, "a.wild.test", "EC")).isEqualTo("other.pem");
        assertThat(chosen(choice, "wild.test", "EC")).isEqualTo("ec.pem");
        assertThat(chosen(choice, "a.b.wild.test", "EC")).isEqualTo("ec.pem");
        assertThat(chosen(choice, "", "EC")).isEqualTo("ec.pem");
        assertThat(chosen(choice, null, "EC")).isEqualTo("ec.pem");
    }

    @Test
    void choose_byKindOfKey() throws IOException {
        CertificateChoice choice = choice("ec", "rsa", "other");
        for (String name : new String[] {"localhost", "nobody.test", null}) {
            assertThat(chosen(choice, name, "EC")).isEqualTo("ec.pem");
            assertThat(chosen(choice, name, "EC_EC")).isEqualTo("ec.pem");
            assertThat(chosen(choice, name, "RSA")).isEqualTo("rsa.pem");
            assertThat(chosen(choice, name, "RSASSA-PSS")).isEqualTo("rsa.pem");
            assertThat(chosen(choice, name, "EdDSA")).isEqualTo("none");
        }
        assertThat(chosen(choice, "other.test", "RSA")).isEqualTo("none");
    }
}
