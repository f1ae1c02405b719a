// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.sfs.users.Right;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A server that may be written to, and programs that know its user's keys. */
abstract class ClientsHarness extends SfsHarness {
    static Path ed25519;
    static Path ecdsa;
    static Path rsa;
    static Path keys;

    /** Where the clients have their files. */
    Path local;

    @BeforeAll
    static void makeKeys() throws Exception {
        ed25519 = write(key("Ed25519"), shared.resolve("id_ed25519"));
        ecdsa = write(key("EC"), shared.resolve("id_ecdsa"));
        rsa = write(key("RSA"), shared.resolve("id_rsa"));
        keys = shared.resolve("authorized_keys");
        List<String> lines = new ArrayList<>(List.of("# keys of the team", ""));
        for (Path each : List.of(ed25519, ecdsa, rsa)) {
            lines.add("restrict " + Files.readString(Path.of(each + ".pub")).strip());
        }
        Files.write(keys, lines);
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------")); // whatever the umask
    }

    @BeforeEach
    void startWithClients() throws IOException {
        local = Files.createDirectory(temp.resolve("local"));
        start(config(Right.ALL, keys));
        Files.writeString(local.resolve("ssh_config"), """
                Host sfs
                  HostName 127.0.0.1
                  Port %s
                  User %s
                  IdentityFile %s
                  IdentitiesOnly yes
                  StrictHostKeyChecking accept-new
                  UserKnownHostsFile %s
                  BatchMode yes
                """.formatted(
                        String.valueOf(port()), USER, ed25519, local.resolve("known_hosts")));
    }

    static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    Programs.Result run(String input, String... command) throws Exception {
        return Programs.run(local, input, command);
    }

    Programs.Result sftp(String commands, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("sftp", "-F", "ssh_config", "-b", "-"));
        command.addAll(List.of(options));
        command.add("sfs");
        return run(commands, command.toArray(String[]::new));
    }

    static void need(String program) {
        assumeTrue(Programs.isThere(program), program + " is not installed");
    }

    static List<String> names(Path folder) {
        return List.of(folder.toFile().list()).stream().sorted().toList();
    }

    static void assertSame(Path left, Path right) throws IOException {
        try (var files = Files.walk(left)) {
            for (Path each : files.toList()) {
                Path other = right.resolve(left.relativize(each).toString());
                if (Files.isRegularFile(each)) {
                    assertThat(other).hasSameBinaryContentAs(each);
                } else {
                    assertThat(names(other)).isEqualTo(names(each));
                }
            }
        }
    }
}
