// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import at.favre.lib.crypto.bcrypt.BCrypt;
import io.mely.sfs.files.Tree;
import io.mely.sfs.users.PasswordFile;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.User;
import io.mely.spi.NanoClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.management.ObjectName;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelSubsystem;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.exception.SshChannelOpenException;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.core.CoreModuleProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is let in, and how the server ends: with MINA's own client. */
@Timeout(300)
class SfsServerTest extends SfsHarness {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private SshClient client;
    private KeyPair key;
    private Path keyFile;

    @BeforeEach
    void begin() throws Exception {
        client = SshClient.setUpDefaultClient();
        client.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
        client.start();
        key = key("Ed25519");
        keyFile = Path.of(write(key, temp.resolve("id")) + ".pub");
    }

    @AfterEach
    void end() throws IOException {
        client.stop();
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long startNs = System.nanoTime();
        while (!condition.call()) {
            assertThat(System.nanoTime() - startNs).as("in time: " + what).isLessThan(TIMEOUT.toNanos());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    private ClientSession connect(String name) throws IOException {
        return client.connect(name, "127.0.0.1", port()).verify(TIMEOUT).getSession();
    }

    private ClientSession login(KeyPair with) throws IOException {
        ClientSession session = connect(USER);
        session.addPublicKeyIdentity(with);
        session.auth().verify(TIMEOUT);
        return session;
    }

    private void assertNoLogin(KeyPair with, String name) {
        assertThatThrownBy(() -> {
                    try (ClientSession session = connect(name)) {
                        session.addPublicKeyIdentity(with);
                        session.auth().verify(TIMEOUT);
                    }
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    void key_ofTheUser_logsIn() throws Exception {
        start(config(Right.READ_ONLY, keyFile));
        try (ClientSession session = login(key)) {
            assertThat(session.isAuthenticated()).isTrue();
            assertThat(server.clientStats().logins()).isEqualTo(1);
        }
        assertNoLogin(key("Ed25519"), USER);
        assertNoLogin(key, "somebody-else");
        await("counted", () -> server.clientStats().failedLogins() == 2);
        await("gone", () -> server.clientStats().open() == 0);
    }

    // A key that is added or taken away counts for the next connection.
    @Test
    void keyFile_changed_countsAtOnce() throws Exception {
        KeyPair other = key("Ed25519");
        Path otherFile = Path.of(write(other, temp.resolve("other")) + ".pub");
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.BAN_AFTER, 0));
        assertNoLogin(other, USER);
        byte[] before = Files.readAllBytes(keyFile);
        Files.writeString(keyFile, "\n" + Files.readString(otherFile), java.nio.file.StandardOpenOption.APPEND);
        login(other).close();
        Files.write(keyFile, before);
        assertNoLogin(other, USER);
        login(key).close();
    }

    @Test
    void keyFile_writableByOthers_givesNoKeys() throws Exception {
        Files.setPosixFilePermissions(keyFile, java.nio.file.attribute.PosixFilePermissions.fromString("rw-rw-rw-"));
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.BAN_AFTER, 0));
        assertNoLogin(key, USER);
        stop();
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.STRICT_MODES, false));
        login(key).close();
    }

    // Who may write to the folder may put another file there. A change counts for the next connection, as one of the
    // file does.
    @Test
    void keyFile_inAFolderWritableByOthers_givesNoKeys() throws Exception {
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.BAN_AFTER, 0));
        login(key).close();
        Files.setPosixFilePermissions(temp, java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwx---"));
        assertNoLogin(key, USER);
        Files.setPosixFilePermissions(temp, java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
        login(key).close();
    }

    // An option that SFS can't keep to closes the door rather than opening it wider.
    @Test
    void key_withAnOptionThatCannotBeKept_isLeftOut() throws Exception {
        String line = Files.readString(keyFile);
        Files.writeString(keyFile, "from=\"10.0.0.1\" " + line);
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.BAN_AFTER, 0));
        assertNoLogin(key, USER);
        Files.writeString(keyFile, "command=\"internal-sftp\",no-pty " + line);
        login(key).close();
    }

    /** As htpasswd makes them, at the least cost: what a try takes is no matter here. */
    private static String quickHash(String password) {
        return BCrypt.with(BCrypt.Version.VERSION_2Y).hashToString(BCrypt.MIN_COST, password.toCharArray());
    }

    @Test
    void password_right_logsInAndWrongDoesNot() throws Exception {
        Path passwords = temp.resolve("passwords");
        Files.writeString(passwords, USER + ":" + quickHash("correct horse") + "\n");
        start(config(Right.READ_ONLY).passwordFile(passwords).set(SfsSettings.LOGIN_FAILURE_DELAY, Duration.ZERO));
        try (ClientSession session = connect(USER)) {
            session.addPasswordIdentity("correct horse");
            session.auth().verify(TIMEOUT);
        }
        for (String name : List.of(USER, "nobody")) {
            try (ClientSession session = connect(name)) {
                session.addPasswordIdentity("wrong");
                assertThatThrownBy(() -> session.auth().verify(TIMEOUT)).isInstanceOf(IOException.class);
            }
        }
        assertThat(server.clientStats().failedLogins()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void passwords_notConfigured_areNotAskedFor() throws Exception {
        start(config(Right.READ_ONLY, keyFile));
        try (ClientSession session = connect(USER)) {
            session.addPasswordIdentity("x");
            assertThatThrownBy(() -> session.auth().verify(TIMEOUT)).isInstanceOf(IOException.class);
        }
    }

    /** Goes on with time, and further when told. */
    private static final class MovedClock implements NanoClock {
        private final AtomicLong movedNs = new AtomicLong();

        @Override
        public long nanoTime() {
            return NanoClock.SYSTEM.nanoTime() + movedNs.get();
        }
    }

    @Test
    void address_withTooManyFailures_isBannedForAWhile() throws Exception {
        MovedClock clock = new MovedClock();
        start(
                config(Right.READ_ONLY, keyFile)
                        .set(SfsSettings.BAN_AFTER, 1)
                        .set(SfsSettings.BAN_TIME, Duration.ofHours(1)),
                clock);
        assertNoLogin(key("Ed25519"), USER);
        assertNoLogin(key("Ed25519"), USER);
        await("banned", () -> server.clientStats().bans() == 1);
        assertNoLogin(key, USER);
        await("refused", () -> server.clientStats().refused() > 0);
        clock.movedNs.set(Duration.ofHours(2).toNanos());
        login(key).close();
    }

    // Who was let in before the ban tries no more passwords, not even the right one.
    @Test
    void password_ofAnAddressBannedMeanwhile_isNotTried() throws Exception {
        Path passwords = temp.resolve("passwords");
        Files.writeString(passwords, USER + ":" + quickHash("correct horse") + "\n");
        start(config(Right.READ_ONLY)
                .passwordFile(passwords)
                .set(SfsSettings.LOGIN_FAILURE_DELAY, Duration.ZERO)
                .set(SfsSettings.BAN_AFTER, 1));
        try (ClientSession early = connect(USER)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(this::logInWrongly).isInstanceOf(IOException.class);
            }
            await("banned", () -> server.clientStats().bans() == 1);
            long refused = server.clientStats().refused();
            early.addPasswordIdentity("correct horse");
            assertThatThrownBy(() -> early.auth().verify(TIMEOUT)).isInstanceOf(IOException.class);
            assertThat(server.clientStats().refused()).isEqualTo(refused + 1);
            assertThat(server.clientStats().logins()).isZero();
        }
    }

    /** May be banned in the middle of it, and not get as far as a password. */
    private void logInWrongly() throws IOException {
        try (ClientSession session = connect(USER)) {
            session.addPasswordIdentity("wrong");
            session.auth().verify(TIMEOUT);
        }
    }

    // Hashes are costly: who sends passwords without waiting for the answers is hung up on.
    @Test
    void passwords_severalAtOnce_areNotTried() throws Exception {
        Path passwords = temp.resolve("passwords");
        Files.writeString(passwords, USER + ":" + PasswordFile.hash("correct horse".toCharArray()) + "\n");
        start(config(Right.READ_ONLY).passwordFile(passwords).set(SfsSettings.LOGIN_TRIES, 20));
        try (ClientSession session = connect(USER)) {
            session.waitFor(EnumSet.of(ClientSession.ClientSessionEvent.WAIT_AUTH), TIMEOUT);
            for (int i = 0; i < 10; i++) {
                Buffer request = session.createBuffer(SshConstants.SSH_MSG_USERAUTH_REQUEST);
                request.putString(USER);
                request.putString("ssh-connection");
                request.putString("password");
                request.putBoolean(false);
                request.putString("wrong" + i);
                session.writePacket(request);
            }
            await("hung up on", session::isClosed);
            await("the first is tried", () -> server.clientStats().failedLogins() > 0);
            await("gone", () -> server.clientStats().open() == 0);
            assertThat(server.clientStats().failedLogins()).isEqualTo(1);
        }
    }

    private Socket idle() throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", port()));
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        return socket;
    }

    /** What comes after the server's greeting; it has to be the end. */
    private static boolean isEnded(Socket socket) throws IOException {
        try {
            while (socket.getInputStream().read() >= 0) {
                // the greeting
            }
        } catch (SocketException reset) {
            // the same
        }
        return true;
    }

    // Those who do not mean to log in make way for those who do.
    @Test
    void logins_halfOpen_keepNobodyOut() throws Exception {
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.LOGINS_MAX, 10));
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sockets.add(idle());
        }
        login(key).close();
        assertThat(isEnded(sockets.get(0))).isTrue();
        assertThat(server.clientStats().open()).isLessThanOrEqualTo(11);
        for (Socket each : sockets) {
            each.close();
        }
    }

    // A flood from one address takes room from that address; and to make way is no failed login.
    @Test
    void logins_floodOfOneAddress_displacesItself() throws Exception {
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.LOGINS_MAX, 5).set(SfsSettings.BAN_AFTER, 1));
        List<Socket> flood = new ArrayList<>();
        CountDownLatch hasFailed = new CountDownLatch(1);
        CountDownLatch isDone = new CountDownLatch(1);
        try (ClientSession honest = client.connect(
                                USER, new InetSocketAddress("127.0.0.1", port()), new InetSocketAddress("127.0.0.2", 0))
                        .verify(TIMEOUT)
                        .getSession();
                ClientSession displaced = connect(USER)) {
            KeyPair wrong = key("Ed25519");
            displaced.setKeyIdentityProvider(context -> () -> oneAndThen(wrong, hasFailed, isDone));
            displaced.auth();
            assertThat(hasFailed.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 50; i++) {
                flood.add(idle());
            }
            await(
                    "the flood's own connections make way",
                    () -> server.clientStats().displaced() == 47);
            honest.addPublicKeyIdentity(key);
            honest.auth().verify(TIMEOUT);
            for (Socket each : flood) {
                each.close();
            }
            await("gone", () -> server.clientStats().open() == 1);
            assertThat(server.clientStats().failedLogins()).isZero();
        } finally {
            isDone.countDown();
        }
    }

    /** A key; whoever asks for another one, as that was refused, waits. */
    private static Iterator<KeyPair> oneAndThen(KeyPair first, CountDownLatch hasFailed, CountDownLatch isDone) {
        return new Iterator<>() {
            private boolean isGiven;

            @Override
            public boolean hasNext() {
                if (isGiven) {
                    hasFailed.countDown();
                    try {
                        isDone.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                return !isGiven;
            }

            @Override
            public KeyPair next() {
                isGiven = true;
                return first;
            }
        };
    }

    // Anybody can open connections: the log has how many were refused, and not a line for each.
    @Test
    void audit_ofAFlood_isShort() throws Exception {
        Path audit = temp.resolve("audit.log");
        start(
                config(Right.READ_ONLY, keyFile)
                        .set(SfsSettings.MAX_CONNECTIONS, 1)
                        .set(SfsSettings.AUDIT_LOG, audit.toString()),
                () -> 0);
        int refused = 300;
        try (Socket first = idle()) {
            await("let in", () -> server.clientStats().open() == 1);
            for (int i = 0; i < refused; i++) {
                idle().close();
            }
            await("all refused", () -> server.clientStats().refused() == refused);
            assertThat(first.isClosed()).isFalse();
        }
        stop();
        List<String> lines = Files.readAllLines(audit).stream()
                .filter(line -> line.contains(" refused "))
                .toList();
        assertThat(lines).hasSize(101);
        assertThat(lines.get(100)).endsWith(" refused left-out=200");
    }

    @Test
    void connections_tooMany_areClosed() throws Exception {
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.MAX_CONNECTIONS, 2));
        try (ClientSession one = login(key);
                ClientSession two = login(key);
                Socket third = idle()) {
            assertThat(isEnded(third)).isTrue();
            assertThat(one.isOpen() && two.isOpen()).isTrue();
        }
        await("gone", () -> server.clientStats().open() == 0);
        login(key).close();
    }

    @Test
    void connections_ofOneAddressOrUser_areLimited() throws Exception {
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.ADDRESS_CONNECTIONS_MAX, 1));
        try (ClientSession one = login(key);
                Socket second = idle()) {
            assertThat(isEnded(second)).isTrue();
            assertThat(one.isOpen()).isTrue();
        }
        stop();
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.USER_CONNECTIONS_MAX, 1));
        try (ClientSession one = login(key)) {
            assertNoLogin(key, USER);
            assertThat(one.isOpen()).isTrue();
        }
    }

    @Test
    void login_notInTime_isDisconnected() throws Exception {
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.LOGIN_TIMEOUT, Duration.ofMillis(50)));
        try (Socket socket = idle()) {
            assertThat(isEnded(socket)).isTrue();
        }
    }

    @Test
    void client_silentForTooLong_isDisconnected() throws Exception {
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.IDLE_TIMEOUT, Duration.ofMillis(50)));
        ClientSession session = login(key);
        await("disconnected", session::isClosed);
    }

    /** Objects of a class that are reachable. */
    private static long live(String type) throws Exception {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return histogram
                .lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(line -> line.length >= 4 && line[3].equals(type))
                .mapToLong(line -> Long.parseLong(line[1]))
                .sum();
    }

    // What a stranger can make the server keep ends with the connection, not with the time for a login.
    @Test
    void connection_ended_leavesNothingInMemory() throws Exception {
        start(config(Right.READ_ONLY, keyFile)
                .set(SfsSettings.LOGIN_TIMEOUT, Duration.ofHours(1))
                .set(SfsSettings.IDLE_TIMEOUT, Duration.ofHours(1)));
        List<String> types = List.of(
                "io.mely.sfs.ssh.Visit",
                "io.mely.sfs.ssh.ColoredIoSession",
                "org.apache.sshd.server.session.ServerSessionImpl");
        List<Long> before = new ArrayList<>();
        for (String each : types) {
            before.add(live(each));
        }
        for (int i = 0; i < 20; i++) {
            idle().close();
            login(key).close();
        }
        await("gone", () -> server.clientStats().open() == 0);
        for (int i = 0; i < types.size(); i++) {
            int at = i;
            await(types.get(at), () -> live(types.get(at)) <= before.get(at));
        }
    }

    // Whatever strangers send, the next client is served.
    @Test
    void garbage_ofStrangers_endsTheirConnectionsOnly() throws Exception {
        start(config(Right.READ_ONLY, keyFile).set(SfsSettings.LOGINS_MAX, 1000));
        java.util.Random random = new java.util.Random(20261129);
        for (int i = 0; i < 100; i++) {
            try (Socket socket = idle()) {
                byte[] garbage = new byte[random.nextInt(40_000)];
                random.nextBytes(garbage);
                if (i % 2 == 0) {
                    socket.getOutputStream().write("SSH-2.0-stranger\r\n".getBytes(StandardCharsets.US_ASCII));
                }
                socket.getOutputStream().write(garbage);
                if (i % 3 == 0) {
                    socket.setSoLinger(true, 0); // reset
                }
            } catch (SocketException reset) {
                // the server was faster
            }
        }
        login(key).close();
        await("gone", () -> server.clientStats().open() == 0);
        assertThat(server.isServing()).isTrue();
    }

    private ChannelSubsystem sftp(ClientSession session) throws IOException {
        ChannelSubsystem channel = session.createSubsystemChannel("sftp");
        channel.open().verify(TIMEOUT);
        return channel;
    }

    // A client with nothing open is told to go at once; one that writes may end that first.
    @Test
    void close_withAnOpenFile_waitsForIt() throws Exception {
        start(config(Right.ALL, keyFile));
        ClientSession idle = login(key);
        ClientSession busy = login(key);
        ChannelSubsystem channel = sftp(busy);
        var out = channel.getInvertedIn();
        var in = new java.io.DataInputStream(channel.getInvertedOut());
        RawSftp raw = new RawSftp(out, in);
        raw.init();
        byte[] handle = raw.open("/a", 0x1a);
        Thread closer = new Thread(() -> server.close(TIMEOUT));
        closer.start();
        await("the idle one is gone", idle::isClosed);
        assertThat(busy.isOpen()).isTrue();
        raw.write(handle, "whole");
        raw.close(handle);
        closer.join();
        await("the busy one is gone", busy::isClosed);
        assertThat(root.resolve("a")).hasContent("whole");
        assertThat(server.close(TIMEOUT)).isTrue();
        assertThatThrownBy(this::idle).isInstanceOf(IOException.class);
    }

    @Test
    void close_deadlineOver_cutsOff() throws Exception {
        start(config(Right.ALL, keyFile));
        ClientSession busy = login(key);
        ChannelSubsystem channel = sftp(busy);
        RawSftp raw = new RawSftp(channel.getInvertedIn(), new java.io.DataInputStream(channel.getInvertedOut()));
        raw.init();
        raw.open("/a", 0x1a);
        assertThat(server.close(Duration.ofMillis(10))).isFalse();
        await("cut off", busy::isClosed);
    }

    // A packet for each byte would cost the server a thousand times what it costs the client.
    @Test
    void channel_withTinyPackets_isRefused() throws Exception {
        start(config(Right.ALL, keyFile));
        CoreModuleProperties.MAX_PACKET_SIZE.set(client, 1023L);
        try (ClientSession session = login(key)) {
            assertThatThrownBy(() -> sftp(session)).hasRootCauseInstanceOf(SshChannelOpenException.class);
            CoreModuleProperties.MAX_PACKET_SIZE.set(client, 1024L);
            sftp(session);
        }
    }

    // The window of a client is used up, and opened by little and little; all comes.
    @Test
    void channel_withASmallWindow_getsAll() throws Exception {
        start(config(Right.ALL, keyFile));
        byte[] large = new byte[100_000];
        new java.util.Random(54).nextBytes(large);
        Files.write(root.resolve("a"), large);
        CoreModuleProperties.WINDOW_SIZE.set(client, 5000L);
        CoreModuleProperties.MAX_PACKET_SIZE.set(client, 1024L);
        try (ClientSession session = login(key)) {
            ChannelSubsystem channel = sftp(session);
            RawSftp raw = new RawSftp(channel.getInvertedIn(), new java.io.DataInputStream(channel.getInvertedOut()));
            raw.init();
            byte[] handle = raw.open("/a", 1);
            assertThat(raw.read(handle, large.length)).isEqualTo(large);
        }
    }

    // Conversations of one connection are limited; those there are go on.
    @Test
    void channels_tooMany_areRefused() throws Exception {
        start(config(Right.ALL, keyFile).set(SfsSettings.CHANNELS_MAX, 2));
        try (ClientSession session = login(key)) {
            ChannelSubsystem one = sftp(session);
            ChannelSubsystem two = sftp(session);
            assertThatThrownBy(() -> {
                        ChannelSubsystem three = sftp(session);
                        new RawSftp(three.getInvertedIn(), new java.io.DataInputStream(three.getInvertedOut())).init();
                    })
                    .isInstanceOf(IOException.class);
            RawSftp raw = new RawSftp(two.getInvertedIn(), new java.io.DataInputStream(two.getInvertedOut()));
            raw.init();
            one.close(true).await(TIMEOUT);
        }
    }

    // Users have a root each; one with a quota can't go beyond it.
    @Test
    void users_several_haveTheirOwnRootsAndQuotas() throws Exception {
        Path first = Files.createDirectory(temp.resolve("first"));
        Path second = Files.createDirectory(temp.resolve("second"));
        start(config(List.of(
                new User(USER, first, Right.ALL, 10, List.of(keyFile)),
                new User("other", second, Set.of(Right.LIST), 0, List.of(keyFile)))));
        try (ClientSession session = login(key)) {
            ChannelSubsystem channel = sftp(session);
            RawSftp raw = new RawSftp(channel.getInvertedIn(), new java.io.DataInputStream(channel.getInvertedOut()));
            raw.init();
            byte[] handle = raw.open("/a", 0x1a);
            assertThat(raw.write(handle, "0123456789")).isZero();
            assertThat(raw.write(handle, "0123456789x")).isEqualTo(4);
        }
        assertThat(first.resolve("a")).hasSize(10);
        assertThat(second).isEmptyDirectory();
    }

    // A root is a folder, whatever name it is given: its users share the smallest quota.
    @Test
    void users_ofOneRootByTwoNames_shareAQuota() throws Exception {
        Path folder = Files.createDirectory(temp.resolve("folder"));
        Path link = Files.createSymbolicLink(temp.resolve("link"), folder);
        start(config(List.of(
                new User(USER, folder, Right.ALL, 0, List.of(keyFile)),
                new User("other", link, Right.ALL, 10, List.of(keyFile)))));
        try (ClientSession session = login(key)) {
            ChannelSubsystem channel = sftp(session);
            RawSftp raw = new RawSftp(channel.getInvertedIn(), new java.io.DataInputStream(channel.getInvertedOut()));
            raw.init();
            byte[] handle = raw.open("/a", 0x1a);
            assertThat(raw.write(handle, "0123456789")).isZero();
            assertThat(raw.write(handle, "0123456789x")).isEqualTo(4);
        }
    }

    // What a client could read or write there would let in whoever it wants.
    @Test
    void start_withSecretsBelowARoot_isRefused() throws Exception {
        SfsConfig.Builder builder = config(Right.READ_ONLY, keyFile);
        Path inside = Files.createDirectory(root.resolve("inside"));
        assertBelow(SfsConfig.builder(builder.build().users(), inside.resolve("not-there/keys")), "host keys");
        assertThat(inside).isEmptyDirectory();
        Path link = Files.createSymbolicLink(temp.resolve("link"), inside);
        assertBelow(SfsConfig.builder(builder.build().users(), link), "host keys");
        Path passwords = Files.writeString(inside.resolve("passwords"), "");
        assertBelow(builder.passwordFile(passwords), "password file");
        // A name below the root can be given to another file.
        Path away = Files.createSymbolicLink(inside.resolve("away"), Files.createFile(temp.resolve("elsewhere")));
        assertBelow(builder.passwordFile(away), "password file");
        builder.passwordFile(null);
        assertBelow(builder.set(SfsSettings.AUDIT_LOG, inside + "/audit.log"), "audit log");
        assertBelow(config(Right.READ_ONLY, root.resolve("authorized_keys")), "key file");
        // Another user's root is a root, too.
        User other = new User("other", keyFile.getParent(), Right.READ_ONLY, 0, List.of());
        User user = builder.build().users().get(0);
        assertBelow(config(List.of(user, other)), "key file");
    }

    private void assertBelow(SfsConfig.Builder builder, String what) {
        assertThatThrownBy(() -> start(builder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(what)
                .hasMessageContaining("lies below the root");
    }

    @Test
    void start_thatCannotBe_isSaid() throws Exception {
        assertThat(Tree.isAvailable()).isTrue();
        User lost = new User(USER, temp.resolve("none"), Right.ALL, 0, List.of());
        assertThatThrownBy(() -> start(config(List.of(lost)))).isInstanceOf(NoSuchFileException.class);
        SfsConfig.Builder builder = config(Right.ALL, keyFile);
        assertThatThrownBy(() -> start(builder.set(SfsSettings.AUDIT_LOG, temp + "/none/audit.log")))
                .hasMessageContaining("no such folder");
        builder.set(SfsSettings.AUDIT_LOG, "");
        Path passwords = Files.writeString(temp.resolve("passwords"), "team:plain\n");
        assertThatThrownBy(() -> start(builder.passwordFile(passwords))).hasMessageContaining(":1: ");
        builder.passwordFile(null);
        start(builder);
        assertThatThrownBy(() ->
                        SfsServer.start(builder.bind(server.localAddress()).build()))
                .isInstanceOf(java.net.BindException.class);
    }
}
