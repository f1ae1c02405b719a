// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostKeysTest {
    private static final List<HostKeys.Type> BOTH = List.of(HostKeys.Type.ED25519, HostKeys.Type.ECDSA);

    @TempDir
    Path temp;

    // Made once, for nobody else to read, and the same ever after.
    @Test
    void keys_made_stay() throws IOException {
        Path folder = temp.resolve("a/b");
        List<KeyPair> made = HostKeys.load(folder, BOTH);
        List<KeyPair> again = HostKeys.load(folder, BOTH);
        assertThat(made).hasSize(2);
        for (int i = 0; i < 2; i++) {
            assertThat(again.get(i).getPublic()).isEqualTo(made.get(i).getPublic());
            Path file = folder.resolve(BOTH.get(i).file());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(folder.resolve(BOTH.get(i).file() + ".pub")).content().matches("(ssh|ecdsa)-\\S+ \\S+ sfs\\s*");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        assertThat(folder.toFile().list()).hasSize(4);
    }

    @Test
    void key_thatOthersMayRead_isRefused() throws IOException {
        HostKeys.load(temp, BOTH);
        Path file = temp.resolve(HostKeys.Type.ED25519.file());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> HostKeys.load(temp, BOTH))
                .hasMessageContaining(file.toString())
                .hasMessageContaining("chmod 600");
    }

    @Test
    void key_thatIsNone_isRefused() throws IOException {
        Path file = temp.resolve(HostKeys.Type.ED25519.file());
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        for (String text : List.of(
                "", "nonsense", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n")) {
            Files.writeString(file, text);
            assertThatThrownBy(() -> HostKeys.load(temp, BOTH))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("host key " + file);
        }
    }

    @Test
    void folder_thatCannotBe_isSaid() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        assertThatThrownBy(() -> HostKeys.load(file, BOTH)).hasMessageContaining("host key " + file);
    }
}
