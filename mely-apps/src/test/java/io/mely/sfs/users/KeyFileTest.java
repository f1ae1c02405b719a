// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.PublicKey;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.util.security.SecurityUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFileTest {
    @TempDir
    Path temp;

    private static PublicKey key() throws Exception {
        return SecurityUtils.getKeyPairGenerator("Ed25519").generateKeyPair().getPublic();
    }

    // One key is as long as another, and who replaces it may keep the date of the file.
    @Test
    void key_replacedAtOnce_sameSizeAndDate_isSeen() throws Exception {
        PublicKey first = key();
        PublicKey second = key();
        Path path = Files.writeString(temp.resolve("keys"), PublicKeyEntry.toString(first));
        FileTime date = Files.getLastModifiedTime(path);
        KeyFile file = new KeyFile(path, Users.ANYBODY);
        file.refresh();
        assertThat(file.keys()).containsExactly(first);
        Files.writeString(path, PublicKeyEntry.toString(second));
        Files.setLastModifiedTime(path, date);
        file.refresh();
        assertThat(file.keys()).containsExactly(second);
    }
}
