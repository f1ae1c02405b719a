// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sfs.users.Right;
import java.io.DataInputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelSubsystem;
import org.apache.sshd.client.channel.ClientChannel;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.kex.KeyExchange;
import org.apache.sshd.common.kex.KeyExchangeFactory;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.common.session.helpers.AbstractSession;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.core.CoreModuleProperties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that begins an exchange of keys, does not go on with it, and asks for more and more. */
@Tag("slow") // it waits for the deadline, in real time
@Timeout(100)
class StalledKeysTest extends SfsHarness {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int READ_BYTES = 32 << 10;
    private static final int READS = 1000;

    private final AtomicInteger exchanges = new AtomicInteger();

    /** Says the first of its own words in the first exchange only. */
    private final class Stalling implements KeyExchangeFactory {
        private final KeyExchangeFactory real;

        Stalling(KeyExchangeFactory real) {
            this.real = real;
        }

        @Override
        public String getName() {
            return real.getName();
        }

        @Override
        public KeyExchange createKeyExchange(Session session) throws Exception {
            KeyExchange exchange = real.createKeyExchange(session);
            boolean isFirst = exchanges.getAndIncrement() == 0;
            return (KeyExchange) java.lang.reflect.Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {KeyExchange.class}, (self, method, given) -> {
                        if (method.getName().equals("init") && !isFirst) {
                            return null;
                        }
                        return method.invoke(exchange, given);
                    });
        }
    }

    @Test
    void replies_whileKeysAreExchanged_waitAndTheClientIsHungUpOn() throws Exception {
        KeyPair key = key("Ed25519");
        Path keyFile = Path.of(write(key, temp.resolve("id")) + ".pub");
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.LOGIN_TIMEOUT, Duration.ofSeconds(20)));
        Files.write(root.resolve("a"), new byte[READ_BYTES]);
        SshClient client = SshClient.setUpDefaultClient();
        client.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
        CoreModuleProperties.WINDOW_SIZE.set(client, 1L << 30);
        List<KeyExchangeFactory> factories = new ArrayList<>();
        client.getKeyExchangeFactories().forEach(each -> factories.add(new Stalling(each)));
        client.setKeyExchangeFactories(factories);
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
            java.util.concurrent.CountDownLatch isBegun = new java.util.concurrent.CountDownLatch(1);
            session.addSessionListener(new SessionListener() {
                @Override
                public void sessionNegotiationEnd(
                        Session negotiated,
                        java.util.Map<org.apache.sshd.common.kex.KexProposalOption, String> client,
                        java.util.Map<org.apache.sshd.common.kex.KexProposalOption, String> server,
                        java.util.Map<org.apache.sshd.common.kex.KexProposalOption, String> result,
                        Throwable reason) {
                    isBegun.countDown();
                }
            });
            session.reExchangeKeys();
            assertThat(isBegun.await(30, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < READS; i++) {
                send(session, channel, handle, i);
            }
            session.waitFor(java.util.EnumSet.of(ClientSession.ClientSessionEvent.CLOSED), TIMEOUT);
            assertThat(session.isClosed()).isTrue();
        } finally {
            client.stop();
        }
        // A slice of replies, and not all of them.
        assertThat(server.clientStats().readBytes()).isLessThan(READS / 4L * READ_BYTES);
    }

    /** A READ, past the queue that the client itself has during an exchange. */
    private static void send(ClientSession session, ClientChannel channel, byte[] handle, int id) throws Exception {
        int length = 1 + 4 + 4 + handle.length + 8 + 4;
        Buffer packet = session.createBuffer(SshConstants.SSH_MSG_CHANNEL_DATA, 100);
        packet.putUInt(((org.apache.sshd.common.channel.Channel) channel).getRecipient());
        packet.putUInt(4 + length);
        packet.putUInt(length);
        packet.putByte((byte) 5);
        packet.putUInt(id);
        packet.putBytes(handle);
        packet.putLong(0);
        packet.putUInt(READ_BYTES);
        Method write = AbstractSession.class.getDeclaredMethod("doWritePacket", Buffer.class);
        write.setAccessible(true);
        write.invoke(session, packet);
    }
}
