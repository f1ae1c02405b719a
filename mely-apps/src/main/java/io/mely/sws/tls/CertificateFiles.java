// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where one certificate is: its chain and its key in PEM, in two files or in one, or both in a PKCS#12 file; and its OCSP response.
 *
 * @param chain the certificate, and behind it those that lead to a root; or the PKCS#12 file
 * @param key its private key; the same file as the chain, if both are in one
 * @param ocsp the response of its issuer that it is not revoked, in DER; null if there is none
 */
public record CertificateFiles(
        Path chain, Path key, @Nullable Path ocsp) {
    private static final String KINDS =
            "chain.pem key.pem, both.pem or store.p12, and maybe behind it ocsp=response.der";
    private static final String OCSP = "ocsp=";

    /** Checks. */
    public CertificateFiles {
        Objects.requireNonNull(chain, "chain");
        Objects.requireNonNull(key, "key");
    }

    /**
     * Reads how a configuration says it.
     *
     * @param text names of files, separated by spaces
     * @return the files, which are not looked at yet
     * @throws IllegalArgumentException if it has none or too many
     */
    public static CertificateFiles parse(String text) {
        String[] words = text.strip().split("\\s+");
        int files = words.length;
        Path ocsp = null;
        if (files > 1 && words[files - 1].startsWith(OCSP)) {
            files--;
            ocsp = Path.of(words[files].substring(OCSP.length()));
        }
        boolean isValid =
                files <= 2 && Arrays.stream(words, 0, files).noneMatch(w -> w.isEmpty() || w.startsWith(OCSP));
        if (!isValid) {
            throw new IllegalArgumentException("a certificate must be " + KINDS + ": " + text);
        }
        return new CertificateFiles(Path.of(words[0]), Path.of(words[files - 1]), ocsp);
    }

    /** Whether chain and key are in a PKCS#12 file, by its name. */
    boolean isStore() {
        String name = chain.toString();
        return name.endsWith(".p12") || name.endsWith(".pfx");
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return Stream.of(chain.toString(), key.equals(chain) ? "" : key.toString(), ocsp == null ? "" : OCSP + ocsp)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.joining(" "));
    }
}
