// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UploadTest extends TreeHarness {
    private static final byte[] NAME = ".temporary\0".getBytes(StandardCharsets.US_ASCII);

    private RegularFile begin(String path, OpenHow how) throws FileFailure {
        return tree.openUnpublished(at(path), how, 0644, NAME.clone());
    }

    // Until it is whole, nobody sees it: neither under its name nor under another.
    @Test
    void upload_underWay_isNotThere() throws IOException {
        Files.writeString(root.resolve("a"), "old");
        try (RegularFile file = begin("a", EMPTY)) {
            write(file, 0, "new");
            assertThat(read("a")).isEqualTo("old");
            assertThat(list("/")).isSubsetOf("a", ".temporary");
            file.publish();
            assertThat(read("a")).isEqualTo("new");
        }
        assertThat(list("/")).containsExactly("a");
    }

    @Test
    void upload_givenUp_leavesNothing() throws IOException {
        begin("a", EMPTY).close();
        assertThat(list("/")).isEmpty();
        Files.writeString(root.resolve("a"), "old");
        begin("a", EMPTY).close();
        assertThat(read("a")).isEqualTo("old");
        assertThat(list("/")).containsExactly("a");
    }

    @Test
    void publish_newName_isMade() throws IOException {
        try (RegularFile file = begin("a", NEW)) {
            write(file, 0, "new");
            file.publish();
        }
        assertThat(read("a")).isEqualTo("new");
    }

    // Somebody else was faster: a file that must be new does not replace theirs.
    @Test
    void publish_nameTakenMeanwhile_isRefused() throws IOException {
        try (RegularFile file = begin("a", NEW)) {
            write(file, 0, "mine");
            Files.writeString(root.resolve("a"), "theirs");
            assertThatThrownBy(file::publish).isInstanceOf(FileFailure.class);
        }
        assertThat(read("a")).isEqualTo("theirs");
        assertThat(list("/")).containsExactly("a");
    }

    @Test
    void begin_whereNoFileCanBe_isRefused() throws IOException {
        Files.createDirectory(root.resolve("d"));
        Files.writeString(root.resolve("a"), "old");
        assertRefused(Errno.EISDIR, () -> begin("d", EMPTY));
        assertRefused(Errno.EEXIST, () -> begin("a", NEW));
        assertRefused(Errno.ENOENT, () -> begin("none/a", EMPTY));
        assertRefused(Errno.EACCES, () -> begin("/", EMPTY));
        // A link that is replaced would be a link no more: it is left alone.
        Files.createSymbolicLink(root.resolve("l"), outside.resolve("secret"));
        assertRefused(Errno.EINVAL, () -> begin("l", EMPTY));
    }

    // A write that failed left a hole: such a file gets no name.
    @Test
    void publish_afterAFailedWrite_isRefused() throws IOException {
        tree.close();
        tree = open(10);
        tree.countForQuota();
        Files.writeString(root.resolve("a"), "old");
        try (RegularFile file = begin("a", EMPTY)) {
            assertRefused(Errno.EDQUOT, () -> write(file, 0, "x".repeat(11)));
            assertRefused(Errno.EIO, file::publish);
        }
        assertThat(read("a")).isEqualTo("old");
        assertThat(list("/")).containsExactly("a");
    }

    // In a folder that was moved meanwhile it appears where the folder is now.
    @Test
    void publish_inAMovedFolder_goesWithIt() throws IOException {
        Files.createDirectory(root.resolve("d"));
        try (RegularFile file = begin("d/a", EMPTY)) {
            write(file, 0, "new");
            Files.move(root.resolve("d"), root.resolve("e"));
            file.publish();
        }
        assertThat(read("e/a")).isEqualTo("new");
    }

    /** What is at the name each time something is put onto the disk; and errors, if there are to be some. */
    private final class SlowDisk implements Disk {
        private final List<String> seen = new ArrayList<>();
        private int fileError;
        private int folderError;

        @Override
        public int syncFile(int fd) {
            seen.add("file " + contents());
            return fileError == 0 ? Disk.KERNEL.syncFile(fd) : fileError;
        }

        @Override
        public int syncFolder(int fd) {
            seen.add("folder " + contents());
            return folderError == 0 ? Disk.KERNEL.syncFolder(fd) : folderError;
        }

        private String contents() {
            try {
                return read("a");
            } catch (FileFailure absent) {
                return "none";
            }
        }
    }

    private void on(Disk disk) throws IOException {
        tree.close();
        tree = Tree.open(root, RULES, new Quota(0), isWalked(), disk);
    }

    // The name comes when the bytes are on the disk, and the client is answered when the name is.
    @Test
    void publish_waitsForTheDisk_beforeTheNameAndAfter() throws IOException {
        SlowDisk disk = new SlowDisk();
        on(disk);
        for (String each : List.of("new", "newer")) {
            try (RegularFile file = begin("a", EMPTY)) {
                write(file, 0, each);
                file.publish();
            }
        }
        assertThat(disk.seen).containsExactly("file none", "folder new", "file new", "folder newer");
    }

    @Test
    void publish_diskThatFails_keepsWhatWasThere() throws IOException {
        SlowDisk disk = new SlowDisk();
        on(disk);
        Files.writeString(root.resolve("a"), "old");
        disk.fileError = Errno.EIO;
        try (RegularFile file = begin("a", EMPTY)) {
            write(file, 0, "new");
            assertRefused(Errno.EIO, file::publish);
        }
        assertThat(read("a")).isEqualTo("old");
        assertThat(list("/")).containsExactly("a");
        disk.fileError = 0;
        disk.folderError = Errno.ENOSPC;
        try (RegularFile file = begin("a", EMPTY)) {
            write(file, 0, "new");
            assertRefused(Errno.ENOSPC, file::publish);
        }
        assertThat(list("/")).containsExactly("a");
    }
}
