// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.cli.Command;
import io.mely.cli.ExitCode;
import io.mely.cli.StopSignals;
import io.mely.sfs.SfsServer;
import io.mely.sfs.users.PasswordFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MainTest {
    @TempDir
    Path temp;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final StopSignals signals = StopSignals.manual();

    private int run(String... args) {
        return new Command(
                        new SfsProgram(SfsServer::start), Map.of(), new PrintStream(out), new PrintStream(err), signals)
                .run(args);
    }

    private int hash(String input) {
        return Main.hash(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out),
                new PrintStream(err));
    }

    @Test
    void hashPassword_ofALine_isOneThatMatches() throws Exception {
        assertThat(hash("correct horse\n")).isEqualTo(ExitCode.OK);
        Path file = Files.writeString(temp.resolve("passwords"), "team:" + out.toString(StandardCharsets.UTF_8));
        PasswordFile passwords = PasswordFile.open(file);
        assertThat(passwords.matches("team", "correct horse")).isTrue();
        assertThat(passwords.matches("team", "wrong")).isFalse();
        assertThat(passwords.matches("other", "correct horse")).isFalse();
    }

    @Test
    void hashPassword_ofNothingOrTooMuch_isRefused() {
        assertThat(hash("")).isEqualTo(ExitCode.USAGE);
        assertThat(hash("x".repeat(73))).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("72 bytes");
    }

    @Test
    void rehearsal_ofAFolder_isFine() throws Exception {
        Path keys = Files.writeString(temp.resolve("keys"), "");
        Path root = Files.createDirectory(temp.resolve("root"));
        int code = run(
                "--rehearse",
                "--stats",
                "--write",
                "--host-keys",
                temp.resolve("hk").toString(),
                "--authorized-keys",
                keys.toString(),
                "--user",
                "team",
                root.toString());
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("SFS statistics", "connections: 1");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("SFS listening on sftp://127.0.0.1:")
                .contains("user team", "writable");
        assertThat(code).isEqualTo(ExitCode.OK);
        assertThat(temp.resolve("hk/ssh_host_ed25519_key")).exists();
    }

    @Test
    void mistakes_haveTheirExitCode() throws Exception {
        assertThat(run("--wrte")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("the nearest known option is --write");
        assertThat(run("--write=true")).isEqualTo(ExitCode.USAGE);
        assertThat(run("--users", temp.resolve("none").toString())).isEqualTo(ExitCode.USAGE);
        assertThat(run("--users", temp.resolve("none").toString(), "--user", "x"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(run(temp.resolve("none").toString())).isEqualTo(ExitCode.START);
        Path root = Files.createDirectory(temp.resolve("root"));
        assertThat(run("--host-keys", Files.createFile(temp.resolve("file")).toString(), root.toString()))
                .isEqualTo(ExitCode.START);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("host key");
    }

    // Who could write the file of users could let himself in.
    @Test
    void usersFile_belowARoot_isRefused() throws Exception {
        Path users = Files.writeString(temp.resolve("users.conf"), "ann {}");
        String hostKeys = temp.resolve("hk").toString();
        assertThat(run("--rehearse", "--host-keys", hostKeys, "--users", users.toString(), temp.toString()))
                .isEqualTo(ExitCode.START);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("the file of users", "lies below the root");
    }
}
