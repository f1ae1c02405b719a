// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StrictModesTest {
    private static final int STRANGER = 12_345;

    @TempDir
    Path temp;

    private Path folder;
    private Path file;
    private int self;

    @BeforeEach
    void makeFile() throws Exception {
        folder = Files.createDirectory(temp.resolve("folder"));
        allow(folder, "rwxr-xr-x");
        file = Files.writeString(folder.resolve("keys"), "");
        allow(file, "rw-r--r--");
        self = (Integer) Files.getAttribute(file, "unix:uid");
    }

    private static void allow(Path path, String permissions) throws Exception {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void file_thatItsOwnerAloneMayWrite_isFine() throws Exception {
        assertThat(StrictModes.whyNot(file, self)).isNull();
    }

    @Test
    void file_writableByOthers_isNot() throws Exception {
        for (String permissions : new String[] {"rw-rw----", "rw-----w-"}) {
            allow(file, permissions);
            assertThat(StrictModes.whyNot(file, self)).startsWith(file.toRealPath() + " may be written to");
        }
    }

    // Who may write to a folder may put another file there.
    @Test
    void folder_writableByOthers_isNot() throws Exception {
        allow(folder, "rwxrwxr-x");
        assertThat(StrictModes.whyNot(file, self)).startsWith(folder.toRealPath() + " may be written to");
        Files.setAttribute(folder, "unix:mode", 01777);
        assertThat(StrictModes.whyNot(file, self)).as("sticky").isNull();
        allow(temp, "rwxrwxrwx");
        assertThat(StrictModes.whyNot(file, self)).startsWith(temp.toRealPath() + " may be written to");
    }

    // The way of the file itself counts, and not that of a link to it.
    @Test
    void link_toAFile_isFollowed() throws Exception {
        Path link = Files.createSymbolicLink(temp.resolve("link"), file);
        assertThat(StrictModes.whyNot(link, self)).isNull();
        allow(folder, "rwxrwxr-x");
        assertThat(StrictModes.whyNot(link, self)).isNotNull();
    }

    @Test
    void file_ofAStranger_isNot() throws Exception {
        int expected = self;
        if (self == 0) {
            Files.setAttribute(file, "unix:uid", STRANGER); // root may give it away
        } else {
            expected = self + 1; // the server is somebody else
        }
        assertThat(StrictModes.whyNot(file, expected)).startsWith(file.toRealPath() + " belongs to another user");
    }

    @Test
    void file_thatIsNotThere_isSaid() {
        assertThatThrownBy(() -> StrictModes.whyNot(temp.resolve("none"), self))
                .isInstanceOf(NoSuchFileException.class);
    }
}
