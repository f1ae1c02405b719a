// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

class CountTest extends TreeHarness {
    /** Of whoever has no rights of its own anywhere. */
    private static final int NOBODY = 65534;

    private static final int SETFSUID = System.getProperty("os.arch").equals("amd64") ? 122 : 151;

    private static void be(int user) {
        Kernel.syscall(SETFSUID, user, new byte[1], 0); // of this thread alone
    }

    /** As somebody who is not root; where the tests are somebody else already, nothing is to be done. */
    private long countAsNobody() throws IOException {
        boolean isRoot = Files.getAttribute(root, "unix:uid").equals(0);
        if (isRoot) {
            be(NOBODY);
        }
        try {
            return tree.usedBytes();
        } finally {
            if (isRoot) {
                be(0);
            }
        }
    }

    // One folder that nobody can read keeps nobody from the others.
    @Test
    void folder_thatCannotBeRead_isLeftOut() throws IOException {
        Files.write(Files.createDirectories(root.resolve("a/b")).resolve("file"), new byte[100]);
        Files.write(Files.createDirectories(root.resolve("c")).resolve("file"), new byte[20]);
        Path closed = Files.createDirectories(root.resolve("closed"));
        Files.write(closed.resolve("file"), new byte[3]);
        Path namesOnly = Files.createDirectories(root.resolve("names-only"));
        Files.write(namesOnly.resolve("file"), new byte[4]);
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        Files.setPosixFilePermissions(namesOnly, PosixFilePermissions.fromString("r--r--r--"));
        try {
            assertThat(countAsNobody()).isEqualTo(120);
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
            Files.setPosixFilePermissions(namesOnly, PosixFilePermissions.fromString("rwx------"));
        }
    }

    // By moving folders into folders a client makes a path that is longer than any that can be asked for.
    @Test
    void tree_deeperThanAPathCanSay_isCounted() throws IOException {
        String name = "d".repeat(200);
        for (int i = 0; i < 40; i++) {
            Files.write(Files.createDirectory(root.resolve("new")).resolve("file"), new byte[1]);
            if (Files.exists(root.resolve("old"))) {
                Files.move(root.resolve("old"), root.resolve("new").resolve(name));
                Files.createDirectory(root.resolve("new/beside"));
                Files.write(root.resolve("new/beside/file"), new byte[1]);
            }
            Files.move(root.resolve("new"), root.resolve("old"));
        }
        assertThat(tree.usedBytes()).isEqualTo(40 + 39);
        // What removes the test's folder goes by path.
        for (int i = 1; i < 40; i++) {
            Files.move(root.resolve("old").resolve(name), root.resolve("rest"));
            Files.move(root.resolve("old"), root.resolve("done" + i));
            Files.move(root.resolve("rest"), root.resolve("old"));
        }
    }

    @Test
    void folders_manyAndEmpty_areCounted() throws IOException {
        for (int i = 0; i < 50; i++) {
            Files.createDirectories(root.resolve("f" + i + "/e/e"));
            Files.write(root.resolve("f" + i + "/e/file"), new byte[2]);
        }
        Files.createSymbolicLink(root.resolve("loop"), Path.of("."));
        Files.createLink(root.resolve("second"), root.resolve("f1/e/file"));
        assertThat(tree.usedBytes()).isEqualTo(100);
    }
}
