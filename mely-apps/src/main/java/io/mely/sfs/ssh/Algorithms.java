// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.sshd.common.BuiltinFactory;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.cipher.BuiltinCiphers;
import org.apache.sshd.common.cipher.Cipher;
import org.apache.sshd.common.compression.BuiltinCompressions;
import org.apache.sshd.common.kex.BuiltinDHFactories;
import org.apache.sshd.common.kex.DHFactory;
import org.apache.sshd.common.mac.BuiltinMacs;
import org.apache.sshd.common.mac.Mac;
import org.apache.sshd.common.signature.BuiltinSignatures;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.server.ServerBuilder;
import org.apache.sshd.server.SshServer;

/**
 * What SFS speaks: nothing that is known to be weak, whoever asks for it. Key exchanges are over X25519, alone or with one that quantum computers do not break; RSA signs with
 * SHA-2. Of the ciphers the client chooses, in its own order.
 */
public final class Algorithms {
    /** Best first. */
    private static final List<DHFactory> KEY_EXCHANGES = List.of(
            BuiltinDHFactories.mlkem768x25519,
            BuiltinDHFactories.sntrup761x25519,
            BuiltinDHFactories.sntrup761x25519_openssh,
            BuiltinDHFactories.curve25519,
            BuiltinDHFactories.curve25519_libssh);

    private static final List<BuiltinMacs> MACS = List.of(
            BuiltinMacs.hmacsha256etm, BuiltinMacs.hmacsha512etm, BuiltinMacs.hmacsha256, BuiltinMacs.hmacsha512);

    private static final List<BuiltinSignatures> SIGNATURES = List.of(
            BuiltinSignatures.ed25519,
            BuiltinSignatures.sk_ssh_ed25519,
            BuiltinSignatures.nistp256,
            BuiltinSignatures.nistp384,
            BuiltinSignatures.nistp521,
            BuiltinSignatures.sk_ecdsa_sha2_nistp256,
            BuiltinSignatures.rsaSHA512,
            BuiltinSignatures.rsaSHA256);

    /** Ciphers that can be asked for, by the names of SSH. */
    private static final List<BuiltinCiphers> CIPHERS = List.of(
            BuiltinCiphers.aes128gcm,
            BuiltinCiphers.aes256gcm,
            BuiltinCiphers.cc20p1305_openssh,
            BuiltinCiphers.aes128ctr,
            BuiltinCiphers.aes256ctr);

    private Algorithms() {}

    /**
     * The ciphers that can be chosen from.
     *
     * @return their names in SSH
     */
    public static List<String> cipherNames() {
        return CIPHERS.stream().map(BuiltinCiphers::getName).toList();
    }

    /** Sets up a server. */
    static void applyTo(SshServer server, List<String> cipherNames) {
        List<NamedFactory<Cipher>> ciphers = new ArrayList<>();
        for (String name : cipherNames) {
            ciphers.add(CIPHERS.stream()
                    .filter(each -> each.getName().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no such cipher: " + name)));
        }
        server.setCipherFactories(ciphers);
        List<NamedFactory<Mac>> macs = BuiltinFactory.setUpFactories(false, MACS);
        server.setMacFactories(macs);
        List<NamedFactory<Signature>> signatures = BuiltinFactory.setUpFactories(false, SIGNATURES);
        server.setSignatureFactories(signatures);
        server.setKeyExchangeFactories(
                NamedFactory.setUpTransformedFactories(false, KEY_EXCHANGES, ServerBuilder.DH2KEX));
        server.setCompressionFactories(Arrays.asList(BuiltinCompressions.none));
    }
}
