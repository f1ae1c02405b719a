// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads certificates and keys in PEM (RFC 7468). The JDK reads certificates and keys in PKCS#8; the older forms of keys, which OpenSSL still writes, are
 * the same numbers without the name of the algorithm, and that stands in the certificate.
 */
final class Pem {
    /** Far longer than any chain; a wrong name may be that of a large file. */
    private static final long FILE_BYTES_MAX = 1 << 20;

    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String PKCS8 = "PRIVATE KEY";
    private static final String PKCS8_ENCRYPTED = "ENCRYPTED PRIVATE KEY";
    private static final String PKCS1_RSA = "RSA PRIVATE KEY";
    private static final String SEC1_EC = "EC PRIVATE KEY";
    private static final String PBES2 = "1.2.840.113549.1.5.13";
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s*\\n(.*?)-----END \\1-----", Pattern.DOTALL);

    private static final int DER_SEQUENCE = 0x30;
    private static final int DER_OCTETS = 0x04;
    private static final byte[] DER_ZERO = {0x02, 0x01, 0x00};

    /** Between two lines that say what it is. */
    private record Block(String label, String text) {
        byte[] bytes(Path file) throws TlsException {
            try {
                return Base64.getMimeDecoder().decode(text.strip());
            } catch (IllegalArgumentException e) {
                throw new TlsException(file + ": what stands in " + label + " is not base 64", e);
            }
        }
    }

    private Pem() {}

    /** A small file, or an exception that names it. */
    static byte[] read(Path file) throws IOException {
        if (Files.isRegularFile(file) && Files.size(file) > FILE_BYTES_MAX) {
            throw new TlsException(file + ": longer than any certificate or key");
        }
        return Files.readAllBytes(file);
    }

    private static List<Block> blocks(Path file) throws IOException {
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(new String(read(file), StandardCharsets.ISO_8859_1));
        while (matcher.find()) {
            blocks.add(new Block(matcher.group(1), matcher.group(2)));
        }
        return blocks;
    }

    /** All certificates of a file, in order, at least one. */
    static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> chain = new ArrayList<>();
        for (Block block : blocks(file)) {
            if (block.label.equals(CERTIFICATE)) {
                try {
                    chain.add((X509Certificate) CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(block.bytes(file))));
                } catch (CertificateException e) {
                    throw new TlsException(
                            file + ": certificate " + (chain.size() + 1) + " cannot be read: " + e.getMessage(), e);
                }
            }
        }
        if (chain.isEmpty()) {
            throw new TlsException(file + ": no certificate in PEM (-----BEGIN " + CERTIFICATE + "-----) in it");
        }
        return chain;
    }

    /** The one key of a file, which belongs to a certificate with this public key. */
    static PrivateKey key(Path file, PublicKey partner, char[] password) throws IOException {
        for (Block block : blocks(file)) {
            switch (block.label) {
                case PKCS8 -> {
                    return key(file, block.bytes(file), partner);
                }
                case PKCS1_RSA, SEC1_EC -> {
                    if (block.text.contains("ENCRYPTED")) {
                        throw new TlsException(file
                                + ": a key that is encrypted in the old form; convert it by: openssl pkcs8 -topk8 -in "
                                + file + " -out new.pem");
                    }
                    return key(file, pkcs8(block.bytes(file), partner), partner);
                }
                case PKCS8_ENCRYPTED -> {
                    return key(file, decrypt(file, block.bytes(file), password), partner);
                }
                default -> {} // a certificate, or parameters of curves
            }
        }
        throw new TlsException(file + ": no private key in PEM (-----BEGIN " + PKCS8 + "-----) in it");
    }

    private static PrivateKey key(Path file, byte[] pkcs8, PublicKey partner) throws TlsException {
        try {
            return KeyFactory.getInstance(partner.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (InvalidKeySpecException e) {
            throw new TlsException(
                    file + ": the key does not match the certificate, which is for " + partner.getAlgorithm(), e);
        } catch (GeneralSecurityException e) {
            throw new TlsException(file + ": keys for " + partner.getAlgorithm() + " cannot be read", e);
        }
    }

    private static byte[] decrypt(Path file, byte[] encrypted, char[] password) throws TlsException {
        if (password.length == 0) {
            throw new TlsException(file + ": the key is encrypted, and no password is given: tls-password-file");
        }
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encrypted);
            boolean isPbes2 =
                    info.getAlgName().equals(PBES2) || info.getAlgName().equals("PBES2");
            String algorithm = isPbes2 ? info.getAlgParameters().toString() : info.getAlgName();
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password)),
                    info.getAlgParameters());
            return info.getKeySpec(cipher).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new TlsException(
                    file + ": wrong password, or a way to encrypt that Java does not know: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new TlsException(file + ": the key cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * PrivateKeyInfo (RFC 5208 5): version 0, the algorithm, and the key as octets. A public key begins with the same algorithm: SEQUENCE { algorithm, bits }
     * (RFC 5280 4.1).
     */
    private static byte[] pkcs8(byte[] key, PublicKey partner) {
        byte[] info = partner.getEncoded();
        int from = derBodyAt(info, 0);
        int algorithmEnd = derBodyAt(info, from) + derLength(info, from);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(DER_ZERO);
        body.write(info, from, algorithmEnd - from);
        body.writeBytes(der(DER_OCTETS, key));
        return der(DER_SEQUENCE, body.toByteArray());
    }

    private static int derBodyAt(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        return at + 2 + (first < 0x80 ? 0 : first - 0x80);
    }

    private static int derLength(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        int length = first < 0x80 ? first : 0;
        for (int i = at + 2; i < derBodyAt(der, at); i++) {
            length = (length << 8) | (der[i] & 0xff);
        }
        return length;
    }

    private static byte[] der(int tag, byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (body.length < 0x80) {
            out.write(body.length);
        } else {
            int bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(body.length) + 7) / 8;
            out.write(0x80 | bytes);
            for (int i = bytes - 1; i >= 0; i--) {
                out.write(body.length >> (8 * i));
            }
        }
        out.writeBytes(body);
        return out.toByteArray();
    }
}
