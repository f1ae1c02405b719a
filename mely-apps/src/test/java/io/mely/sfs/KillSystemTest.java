// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jar and OpenSSH's sftp as processes, with atomic uploads; one of them is killed (SIGKILL) in the middle of an upload, again and again. Property: under each name there is a
 * whole file or none; where a file was replaced, the old one or the new one.
 */
@Tag("any-jdk")
@Timeout(900)
class KillSystemTest {
    private static final int ROUNDS = 5;
    private static final int FILES = 400;
    private static final int WORDS = 20_000;
    private static final long TIMEOUT_NS = TimeUnit.MINUTES.toNanos(2);

    @TempDir
    Path temp;

    private Path root;
    private Path local;
    private Path audit;
    private SfsJar jar;
    private Process client;

    @BeforeEach
    void begin() throws Exception {
        assumeTrue(Programs.isThere("sftp"), "sftp is not installed");
        root = Files.createDirectory(temp.resolve("root"));
        local = Files.createDirectory(temp.resolve("local"));
        audit = temp.resolve("audit.log");
        SfsHarness.write(SfsHarness.key("Ed25519"), temp.resolve("id"));
        for (int i = 0; i < FILES; i++) {
            Files.write(local.resolve("f" + i), contents(i, true));
            Files.write(root.resolve("f" + i), contents(i, false));
        }
    }

    @AfterEach
    void end() throws InterruptedException {
        if (client != null) {
            client.destroyForcibly().waitFor();
        }
        if (jar != null) {
            jar.kill();
        }
    }

    /** All of its numbers say which file it is, and whether it is the new one. */
    private static byte[] contents(int number, boolean isNew) {
        ByteBuffer bytes = ByteBuffer.allocate(WORDS * Integer.BYTES);
        while (bytes.hasRemaining()) {
            bytes.putInt(isNew ? number : -1 - number);
        }
        return bytes.array();
    }

    private void startServer() throws Exception {
        jar = SfsJar.start(
                temp, root, temp.resolve("id.pub"), "--atomic-uploads", "true", "--audit-log", audit.toString());
    }

    /** Begins to put all files over the old ones. */
    private void startClient() throws IOException {
        Path batch = Files.writeString(temp.resolve("batch"), "put " + local + "/* /\n");
        client = new ProcessBuilder(
                        "sftp",
                        "-F",
                        "none",
                        "-b",
                        batch.toString(),
                        "-P",
                        String.valueOf(jar.port()),
                        "-i",
                        temp.resolve("id").toString(),
                        "-o",
                        "IdentitiesOnly=yes",
                        "-o",
                        "StrictHostKeyChecking=no",
                        "-o",
                        "UserKnownHostsFile=" + temp.resolve("known"),
                        "team@127.0.0.1")
                .redirectErrorStream(true)
                .redirectOutput(temp.resolve("client.out").toFile())
                .start();
    }

    private long lines(String what) throws IOException {
        Pattern line = Pattern.compile(" " + what + " session=");
        try (Stream<String> lines = Files.lines(audit)) {
            return lines.filter(line.asPredicate()).count();
        }
    }

    private void awaitLines(String what, long count) throws IOException {
        long startNs = System.nanoTime();
        while (lines(what) < count) {
            assertThat(client.isAlive() || lines(what) >= count)
                    .as(Files.readString(temp.resolve("client.out")))
                    .isTrue();
            assertThat(System.nanoTime() - startNs).isLessThan(TIMEOUT_NS);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Answers how many are new. */
    private int assertWhole(boolean isServerKilled) throws IOException {
        int fresh = 0;
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            expected.add("f" + i);
            byte[] found = Files.readAllBytes(root.resolve("f" + i));
            boolean isNew = java.util.Arrays.equals(found, contents(i, true));
            assertThat(isNew || java.util.Arrays.equals(found, contents(i, false)))
                    .as("f" + i + " is whole")
                    .isTrue();
            fresh += isNew ? 1 : 0;
        }
        // A server that dies between two calls of the kernel may leave the name that replaces a file in one step.
        List<String> found = Stream.of(root.toFile().list())
                .filter(name -> !isServerKilled || !name.startsWith(".sfs-"))
                .toList();
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        return fresh;
    }

    @Test
    void server_killedDuringUploads_leavesWholeFiles() throws Exception {
        Random random = new Random(54);
        for (int round = 0; round < ROUNDS; round++) {
            startServer();
            long closed = lines("close");
            long opened = lines("open");
            startClient();
            awaitLines("open", opened + 1);
            awaitLines("close", closed + random.nextInt(FILES / 2));
            jar.kill();
            client.waitFor();
            assertWhole(true);
        }
        assertThat(lines("close")).isPositive();
    }

    @Test
    void client_killedDuringUploads_leavesWholeFiles() throws Exception {
        Random random = new Random(55);
        startServer();
        for (int round = 0; round < ROUNDS; round++) {
            long closed = lines("close");
            long gone = lines("logout");
            startClient();
            awaitLines("close", closed + 1 + random.nextInt(FILES / 2));
            client.destroyForcibly().waitFor();
            awaitLogout(gone + 1);
            assertWhole(false);
        }
        // The server goes on: an upload that nobody kills is there.
        startClient();
        assertThat(client.waitFor()).isZero();
        assertThat(assertWhole(false)).isEqualTo(FILES);
    }

    private void awaitLogout(long count) throws IOException {
        long startNs = System.nanoTime();
        // All that it had open is closed: what was opened has a line for its end.
        while (lines("logout") < count || lines("open") > lines("close") + lines("cut")) {
            assertThat(System.nanoTime() - startNs).isLessThan(TIMEOUT_NS);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }
}
