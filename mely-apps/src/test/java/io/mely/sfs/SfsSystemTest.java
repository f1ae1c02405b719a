// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelSubsystem;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jar as a process: how it starts, what a kill leaves, and how it ends. */
@Timeout(600)
class SfsSystemTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int WRITE = 0x1a;

    @TempDir
    Path temp;

    private Path root;
    private KeyPair key;
    private Path keyFile;
    private Process process;
    private int port;
    private SshClient client;

    @BeforeEach
    void begin() throws Exception {
        root = Files.createDirectory(temp.resolve("root"));
        key = SfsHarness.key("Ed25519");
        keyFile = Path.of(SfsHarness.write(key, temp.resolve("id")) + ".pub");
        client = SshClient.setUpDefaultClient();
        client.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
        client.start();
    }

    @AfterEach
    void end() throws Exception {
        client.stop();
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    private void start(String... more) throws Exception {
        SfsJar jar = SfsJar.start(temp, root, keyFile, more);
        process = jar.process();
        port = jar.port();
    }

    private ClientSession login() throws IOException {
        ClientSession session =
                client.connect("team", "127.0.0.1", port).verify(TIMEOUT).getSession();
        session.addPublicKeyIdentity(key);
        session.auth().verify(TIMEOUT);
        return session;
    }

    private RawSftp sftp(ClientSession session) throws IOException {
        ChannelSubsystem channel = session.createSubsystemChannel("sftp");
        channel.open().verify(TIMEOUT);
        RawSftp raw = new RawSftp(channel.getInvertedIn(), new DataInputStream(channel.getInvertedOut()));
        raw.init();
        return raw;
    }

    private int exitCode() throws InterruptedException {
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    // SIGTERM: who writes may end that, and the file is whole.
    @Test
    void sigterm_duringAnUpload_waitsForItsEnd() throws Exception {
        start();
        ClientSession idle = login();
        ClientSession busy = login();
        RawSftp raw = sftp(busy);
        byte[] handle = raw.open("/a", WRITE);
        process.destroy();
        long startNs = System.nanoTime();
        while (!idle.isClosed()) {
            assertThat(System.nanoTime() - startNs).isLessThan(TIMEOUT.toNanos());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
        assertThat(raw.write(handle, "whole")).isZero();
        assertThat(raw.close(handle)).isZero();
        assertThat(exitCode()).isZero();
        assertThat(root.resolve("a")).hasContent("whole");
    }

    @Test
    void sigterm_withNobodyThere_endsAtOnce() throws Exception {
        start("--stats");
        login().close();
        process.destroy();
        assertThat(exitCode()).isZero();
        assertThat(temp.resolve("err")).content().contains("SFS statistics", "logins: 1");
    }

    // kill -9 in the middle of an upload: what was there before is there, and nothing else.
    @Test
    void kill_duringAtomicUploads_leavesNoPart() throws Exception {
        Files.writeString(root.resolve("old"), "old");
        start("--atomic-uploads", "true");
        RawSftp raw = sftp(login());
        byte[] over = raw.open("/old", WRITE);
        byte[] fresh = raw.open("/new", WRITE);
        assertThat(raw.write(over, "part")).isZero();
        assertThat(raw.write(fresh, "part")).isZero();
        process.destroyForcibly();
        exitCode();
        assertThat(root.resolve("old")).hasContent("old");
        assertThat(root.resolve("new")).doesNotExist();
    }

    // The same for a client that dies: reset in the middle.
    @Test
    void client_goneDuringAnAtomicUpload_leavesNothing() throws Exception {
        Path audit = temp.resolve("audit.log");
        start("--atomic-uploads", "true", "--audit-log", audit.toString());
        ClientSession session = login();
        RawSftp raw = sftp(session);
        byte[] handle = raw.open("/new", WRITE);
        assertThat(raw.write(handle, "part")).isZero();
        session.getIoSession().close(true);
        long startNs = System.nanoTime();
        while (!Files.readString(audit).contains(" cut ")) {
            assertThat(System.nanoTime() - startNs).isLessThan(TIMEOUT.toNanos());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
        assertThat(root.toFile().list()).isEmpty();
    }

    // After a new start clients meet the same server.
    @Test
    void hostKey_afterANewStart_isTheSame() throws Exception {
        start();
        String first = login().getServerKey().toString();
        process.destroy();
        assertThat(exitCode()).isZero();
        start();
        assertThat(login().getServerKey()).hasToString(first);
    }

    @Test
    void port_inUse_isSaid() throws Exception {
        start();
        Process second = new ProcessBuilder(
                        SfsJar.java(),
                        "-jar",
                        SfsJar.JAR.toAbsolutePath().toString(),
                        root.toString(),
                        "--port",
                        String.valueOf(port),
                        "--host-keys",
                        temp.resolve("host-keys").toString())
                .redirectError(temp.resolve("err2").toFile())
                .start();
        assertThat(second.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(temp.resolve("err2")).content().contains("the port is in use");
    }
}
