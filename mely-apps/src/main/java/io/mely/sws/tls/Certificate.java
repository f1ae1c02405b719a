// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.UnrecoverableKeyException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/**
 * A certificate with its chain and its key, which match, and the names it is for.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
final class Certificate {
    private static final Logger LOG = System.getLogger(Certificate.class.getName());
    private static final int DNS_NAME = 2; // in subject alternative names
    private static final byte[] CHALLENGE = {1, 2, 3, 4};

    final CertificateFiles files;
    final List<X509Certificate> chain;
    final PrivateKey key;

    /** In lower case; a wildcard as it stands in the certificate. */
    final List<String> names;

    /** What its issuer says; null if no file has that. */
    final byte @Nullable [] ocsp;

    private Certificate(CertificateFiles files, List<X509Certificate> chain, PrivateKey key, byte @Nullable [] ocsp)
            throws TlsException {
        this.files = files;
        this.chain = List.copyOf(chain);
        this.key = key;
        this.ocsp = ocsp;
        names = names(files, chain.get(0));
    }

    /**
     * Reads and checks one. A certificate that is not valid now is served all the same, with a warning.
     *
     * @param nowMs when
     */
    static Certificate load(CertificateFiles files, char[] password, long nowMs) throws IOException {
        try {
            Certificate loaded = files.isStore() ? loadStore(files, password) : loadPem(files, password);
            loaded.checkKey();
            loaded.warnOfTime(nowMs);
            return loaded;
        } catch (NoSuchFileException e) {
            throw new TlsException(e.getFile() + ": there is no such file", e);
        } catch (java.nio.file.AccessDeniedException e) {
            throw new TlsException(e.getFile() + ": may not be read", e);
        }
    }

    private static Certificate loadPem(CertificateFiles files, char[] password) throws IOException {
        List<X509Certificate> chain = Pem.certificates(files.chain());
        return new Certificate(
                files, chain, Pem.key(files.key(), chain.get(0).getPublicKey(), password), readOcsp(files));
    }

    private static Certificate loadStore(CertificateFiles files, char[] password) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            try {
                store.load(new ByteArrayInputStream(Pem.read(files.chain())), password);
            } catch (IOException e) {
                if (e.getCause() instanceof UnrecoverableKeyException) {
                    throw new TlsException(
                            files.chain()
                                    + (password.length == 0
                                            ? ": the file is encrypted, and no password is given: tls-password-file"
                                            : ": wrong password"),
                            e);
                }
                if (e instanceof java.nio.file.FileSystemException) {
                    throw e;
                }
                throw new TlsException(files.chain() + ": not a PKCS#12 file: " + e.getMessage(), e);
            }
            for (String alias : Collections.list(store.aliases())) {
                if (store.getKey(alias, password) instanceof PrivateKey key) {
                    List<X509Certificate> chain = new ArrayList<>();
                    for (java.security.cert.Certificate each :
                            Objects.requireNonNull(store.getCertificateChain(alias))) {
                        chain.add((X509Certificate) each);
                    }
                    return new Certificate(files, chain, key, readOcsp(files));
                }
            }
            throw new TlsException(files.chain() + ": no private key in it");
        } catch (GeneralSecurityException e) {
            throw new TlsException(files.chain() + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static byte @Nullable [] readOcsp(CertificateFiles files) throws IOException {
        if (files.ocsp() == null) {
            return null;
        }
        byte[] response = Pem.read(files.ocsp());
        // OCSPResponse: SEQUENCE { ENUMERATED 0, ... } (RFC 6960 4.2.1); one that says "try later" helps nobody
        boolean isSuccess = response.length > 8 && response[0] == 0x30 && containsSuccess(response);
        if (!isSuccess) {
            throw new TlsException(files.ocsp() + ": not a successful OCSP response in DER");
        }
        return response;
    }

    private static boolean containsSuccess(byte[] response) {
        int at = 2 + ((response[1] & 0x80) != 0 ? response[1] & 0x7f : 0);
        return at + 2 < response.length && response[at] == 0x0a && response[at + 1] == 1 && response[at + 2] == 0;
    }

    private void checkKey() throws TlsException {
        String keyAlgorithm = chain.get(0).getPublicKey().getAlgorithm();
        String algorithm = switch (keyAlgorithm) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> keyAlgorithm; // Ed25519 and the like
        };
        boolean isMatch;
        try {
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(CHALLENGE);
            byte[] signature = signer.sign();
            Signature verifier = Signature.getInstance(algorithm);
            verifier.initVerify(chain.get(0).getPublicKey());
            verifier.update(CHALLENGE);
            isMatch = verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            throw new TlsException(files.key() + ": the key cannot be used: " + e.getMessage(), e);
        }
        if (!isMatch) {
            throw new TlsException(files.key() + ": the key does not match the certificate in " + files.chain());
        }
    }

    private void warnOfTime(long nowMs) {
        X509Certificate own = chain.get(0);
        Instant now = Instant.ofEpochMilli(nowMs);
        if (own.getNotAfter().toInstant().isBefore(now)) {
            LOG.log(
                    Logger.Level.WARNING,
                    "{0}: the certificate has expired on {1}",
                    files.chain(),
                    own.getNotAfter().toInstant());
        } else if (own.getNotBefore().toInstant().isAfter(now)) {
            LOG.log(
                    Logger.Level.WARNING,
                    "{0}: the certificate is not valid before {1}",
                    files.chain(),
                    own.getNotBefore().toInstant());
        }
    }

    private static List<String> names(CertificateFiles files, X509Certificate own) throws TlsException {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> alternatives = own.getSubjectAlternativeNames();
            if (alternatives != null) {
                for (List<?> each : alternatives) {
                    if (each.get(0) instanceof Integer kind && kind == DNS_NAME) {
                        names.add(each.get(1).toString().toLowerCase(Locale.ROOT));
                    }
                }
            }
        } catch (CertificateParsingException e) {
            throw new TlsException(files.chain() + ": the names in the certificate cannot be read", e);
        }
        return names.isEmpty() ? commonName(own) : List.copyOf(names);
    }

    private static List<String> commonName(X509Certificate own) {
        try {
            for (Rdn each : new LdapName(own.getSubjectX500Principal().getName()).getRdns()) {
                if (each.getType().equalsIgnoreCase("CN")) {
                    return List.of(each.getValue().toString().toLowerCase(Locale.ROOT));
                }
            }
        } catch (InvalidNameException e) {
            LOG.log(Logger.Level.DEBUG, "a certificate without names", e);
        }
        return List.of();
    }

    /** RSA, EC or another algorithm, as the JDK calls it. */
    String keyType() {
        return key.getAlgorithm();
    }

    @Override
    public String toString() {
        return files + " " + names;
    }
}
