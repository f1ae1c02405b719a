// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sfs.users.Right;
import java.io.DataInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelSubsystem;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.cipher.BuiltinCiphers;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How often a byte that is sent was copied. */
@Timeout(100)
class CopiesTest extends SfsHarness {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int PIECE_BYTES = 32 << 10;
    private static final int PIECES = 100;

    // Into the packet in which it is encrypted, and to where the packets of an event are written from. MINA adds none.
    @ParameterizedTest
    @EnumSource(names = {"aes128gcm", "aes128ctr"})
    void byteThatIsSent_isCopiedTwice(BuiltinCiphers cipher) throws Exception {
        KeyPair key = key("Ed25519");
        Path keyFile = Path.of(write(key, temp.resolve("id")) + ".pub");
        start(config(Right.READ_ONLY, keyFile));
        byte[] piece = new byte[PIECE_BYTES];
        new Random(1).nextBytes(piece);
        Files.write(root.resolve("a"), piece);
        SshClient client = SshClient.setUpDefaultClient();
        client.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
        client.setCipherFactories(Arrays.asList(cipher));
        client.start();
        try (ClientSession session =
                client.connect(USER, "127.0.0.1", port()).verify(TIMEOUT).getSession()) {
            session.addPublicKeyIdentity(key);
            session.auth().verify(TIMEOUT);
            ChannelSubsystem channel = session.createSubsystemChannel("sftp");
            channel.open().verify(TIMEOUT);
            RawSftp raw = new RawSftp(channel.getInvertedIn(), new DataInputStream(channel.getInvertedOut()));
            raw.init();
            byte[] handle = raw.open("/a", 1);
            for (int i = 0; i < PIECES; i++) {
                assertThat(raw.read(handle, PIECE_BYTES)).isEqualTo(piece);
            }
        } finally {
            client.stop();
        }
        SfsStats stats = server.clientStats();
        double sent = stats.readBytes();
        assertThat(sent).isEqualTo(PIECES * (double) PIECE_BYTES);
        assertThat(stats.copiedBytes() / sent).isBetween(2.0, 2.05);
    }
}
