// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What a tree does, however its paths are resolved. */
abstract class TreeContract extends TreeHarness {
    @Test
    void files_writtenAndRead_haveTheirContents() throws IOException {
        write("/a", WRITE, 0, "hello");
        write("/a", WRITE, 3, "p!");
        assertThat(read("a")).isEqualTo("help!");
        assertThat(Files.readString(root.resolve("a"))).isEqualTo("help!");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("a"))))
                .startsWith("rw-r-");
    }

    @Test
    void open_ways_doWhatTheySay() throws IOException {
        assertRefused(Errno.ENOENT, () -> tree.openFile(at("a"), READ, 0));
        write("a", NEW, 0, "one");
        assertRefused(Errno.EEXIST, () -> tree.openFile(at("a"), NEW, 0644));
        write("a", APPEND, 0, " two");
        assertThat(read("a")).isEqualTo("one two");
        write("a", EMPTY, 0, "3");
        assertThat(read("a")).isEqualTo("3");
        assertRefused(Errno.EISDIR, () -> tree.openFile(at("/"), READ, 0));
    }

    // Nothing but files has contents; nobody waits for the other end of a pipe.
    @Test
    void open_pipe_isRefusedAtOnce() throws Exception {
        Process mkfifo = new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start();
        assertThat(mkfifo.waitFor()).isZero();
        assertThatThrownBy(() -> tree.openFile(at("pipe"), READ, 0)).isInstanceOf(FileFailure.class);
        assertThatThrownBy(() -> tree.openFile(at("pipe"), WRITE, 0644)).isInstanceOf(FileFailure.class);
        assertThat(tree.attributes(at("pipe"), true).isRegular()).isFalse();
    }

    @Test
    void readNow_cachedFile_hasItAtOnce() throws IOException {
        write("a", WRITE, 0, "hello");
        try (RegularFile file = tree.openFile(at("a"), READ, 0)) {
            // A file system may not be able to say; then it is for the thread that waits.
            assertThat(file.readNow(buffer, 5, 0)).isIn(5, RegularFile.WOULD_WAIT);
            assertThat(file.readNow(buffer, 100, 2)).isIn(3, RegularFile.WOULD_WAIT);
            assertThat(file.readNow(buffer, 100, 5)).isIn(0, RegularFile.WOULD_WAIT);
            assertThat(file.read(buffer, 100, 5)).isZero();
            assertThat(file.read(buffer, 100, Long.MAX_VALUE - 200)).isZero();
        }
    }

    @Test
    void writeNow_andWrite_together_writeAll() throws IOException {
        try (RegularFile file = tree.openFile(at("a"), WRITE, 0644)) {
            buffer.bytes().clear().put("hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            if (file.writeNow(buffer, 5, 0) == RegularFile.WOULD_WAIT) {
                file.write(buffer, 5, 0);
            }
            assertThat(file.attributes().size()).isEqualTo(5);
        }
        assertThat(read("a")).isEqualTo("hello");
    }

    @Test
    void folders_madeListedAndRemoved() throws IOException {
        tree.makeFolder(at("d"), 0777);
        tree.makeFolder(at("d/e"), 0700);
        write("d/f", WRITE, 0, "");
        assertThat(list("/")).containsExactly("d");
        assertThat(list("d")).containsExactly("e", "f");
        assertRefused(Errno.EEXIST, () -> tree.makeFolder(at("d"), 0777));
        assertRefused(Errno.EEXIST, () -> tree.makeFolder(at("/"), 0777));
        assertRefused(Errno.ENOTEMPTY, () -> tree.removeFolder(at("d")));
        assertRefused(Errno.ENOTDIR, () -> tree.removeFolder(at("d/f")));
        assertRefused(Errno.EISDIR, () -> tree.removeFile(at("d/e")));
        tree.removeFile(at("d/f"));
        tree.removeFolder(at("d/e"));
        tree.removeFolder(at("d"));
        assertThat(list("/")).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root)))
                .isNotNull();
    }

    @Test
    void folder_ofManyNames_isListedWhole() throws IOException {
        for (int i = 0; i < 3000; i++) {
            Files.createFile(root.resolve("a-name-that-is-rather-long-" + i));
        }
        assertThat(list("/")).hasSize(3000);
    }

    @Test
    void folder_nameGivenBack_comesAgain() throws IOException {
        Files.createFile(root.resolve("a"));
        try (OpenFolder folder = tree.openFolder(at("/"))) {
            OpenFolder.Entry entry = folder.next();
            folder.undo(entry);
            assertThat(folder.next()).isSameAs(entry);
            assertThat(folder.next()).isNull();
        }
    }

    // The root is somebody else's name: it stays as it is.
    @Test
    void root_removedOrRenamed_isRefused() throws IOException {
        tree.makeFolder(at("d"), 0777);
        assertRefused(Errno.EACCES, () -> tree.removeFolder(at("/")));
        assertRefused(Errno.EACCES, () -> tree.removeFile(at("..")));
        assertRefused(Errno.EACCES, () -> tree.rename(at("/"), at("d/x"), true));
        assertRefused(Errno.EACCES, () -> tree.rename(at("d"), at("/"), true));
        assertThat(root).isDirectory();
    }

    @Test
    void rename_ontoAName_replacesOnlyIfAsked() throws IOException {
        write("a", WRITE, 0, "a");
        write("b", WRITE, 0, "b");
        assertRefused(Errno.EEXIST, () -> tree.rename(at("a"), at("b"), false));
        tree.rename(at("a"), at("b"), true);
        assertThat(read("b")).isEqualTo("a");
        tree.rename(at("b"), at("c"), false);
        assertThat(list("/")).containsExactly("c");
        assertRefused(Errno.ENOENT, () -> tree.rename(at("b"), at("d"), true));
    }

    @Test
    void change_ofAFile_isSeen() throws IOException {
        write("a", WRITE, 0, "hello");
        tree.change(at("a"), new Tree.Change(2, 0600, 1_000_000_000, 1_100_000_000, true), true);
        Attributes found = tree.attributes(at("a"), true);
        assertThat(found.size()).isEqualTo(2);
        assertThat(found.mode() & Attributes.PERMISSIONS).isEqualTo(0600);
        assertThat(found.accessedS()).isEqualTo(1_000_000_000);
        assertThat(found.modifiedS()).isEqualTo(1_100_000_000);
        // Nobody makes a program run as somebody else.
        tree.change(at("a"), new Tree.Change(-1, 06755, 0, 0, false), true);
        assertThat(tree.attributes(at("a"), true).mode() & 07777).isEqualTo(0755);
        assertThat(tree.attributes(at("a"), true).modifiedS()).isEqualTo(1_100_000_000);
    }

    @Test
    void change_ofAnOpenFile_isSeen() throws IOException {
        try (RegularFile file = tree.openFile(at("a"), WRITE, 0644)) {
            write(file, 0, "hello");
            file.change(new Tree.Change(1, 04711, 5, 6, true));
            assertThat(file.attributes().size()).isEqualTo(1);
            assertThat(file.attributes().mode() & 07777).isEqualTo(0711);
            assertThat(file.attributes().modifiedS()).isEqualTo(6);
            file.sync();
        }
    }

    @Test
    void links_readAndLookedAt_areThemselves() throws IOException {
        write("a", WRITE, 0, "hello");
        tree.symbolicLink("a".getBytes(java.nio.charset.StandardCharsets.UTF_8), at("l"));
        assertThat(tree.readLink(at("l"))).isEqualTo(new byte[] {'a'});
        assertThat(tree.attributes(at("l"), false).isLink()).isTrue();
        tree.change(at("l"), new Tree.Change(-1, -1, 7, 8, true), false);
        assertThat(tree.attributes(at("l"), false).modifiedS()).isEqualTo(8);
        assertThat(tree.attributes(at("a"), false).modifiedS()).isNotEqualTo(8);
        assertRefused(Errno.EOPNOTSUPP, () -> tree.change(at("l"), new Tree.Change(-1, 0600, 0, 0, false), false));
        tree.link(at("a"), at("b"));
        assertThat(tree.attributes(at("b"), true).links()).isEqualTo(2);
        tree.removeFile(at("l"));
        assertThat(list("/")).containsExactly("a", "b");
        assertRefused(Errno.EINVAL, () -> tree.readLink(at("a")));
        assertRefused(Errno.EINVAL, () -> tree.symbolicLink(new byte[] {'a', 0}, at("z")));
    }

    @Test
    void space_ofTheDisk_isThere() throws IOException {
        Space space = tree.space(at("/"));
        assertThat(space.unitBytes() * space.blocks()).isPositive();
        assertThat(space.nameBytesMax()).isEqualTo(255);
    }

    @Test
    void copy_ofAPart_isThatPart() throws IOException {
        write("a", WRITE, 0, "0123456789");
        try (RegularFile from = tree.openFile(at("a"), READ, 0);
                RegularFile to = tree.openFile(at("b"), WRITE, 0644)) {
            copy(from, 2, 3, to, 1);
            copy(from, 8, 0, to, 4);
            assertRefused(Errno.EINVAL, () -> copy(from, 8, 3, to, 0));
            assertRefused(Errno.EINVAL, () -> copy(to, 0, 3, to, 1));
        }
        assertThat(read("b")).isEqualTo("\000" + "23489");
    }

    @Test
    void names_longAndOdd_areNames() throws IOException {
        byte[] odd = new byte[255];
        Arrays.fill(odd, (byte) 0xff);
        RemotePath path = RemotePath.of(odd);
        tree.openFile(path, WRITE, 0644).close();
        try (OpenFolder folder = tree.openFolder(at("/"))) {
            assertThat(folder.next().name()).isEqualTo(odd);
        }
        tree.removeFile(path);
        assertRefused(
                Errno.ENAMETOOLONG,
                () -> tree.openFile(at("a".repeat(256)), READ, 0).close());
    }

    @Test
    void root_thatIsNone_isSaid() throws IOException {
        assertThatThrownBy(() -> Tree.open(temp.resolve("none"), RULES, new Quota(0)))
                .isInstanceOf(NoSuchFileException.class);
        Path file = Files.createFile(temp.resolve("file"));
        assertThatThrownBy(() -> Tree.open(file, RULES, new Quota(0))).isInstanceOf(NotDirectoryException.class);
    }

    // Links, dots and whatever else there is: what is outside is neither seen nor changed.
    @Test
    void outside_byAnyPath_isNotReached() throws IOException {
        Files.createSymbolicLink(root.resolve("abs"), outside);
        Files.createSymbolicLink(root.resolve("rel"), Path.of("../outside"));
        Files.createSymbolicLink(root.resolve("file"), outside.resolve("secret"));
        Files.createSymbolicLink(root.resolve("up"), Path.of(".."));
        Files.createSymbolicLink(root.resolve("self"), Path.of("/proc/self/cwd"));
        Files.createSymbolicLink(root.resolve("fd"), Path.of("/proc/self/root" + outside));
        for (String path : new String[] {
            "abs/secret",
            "rel/secret",
            "file",
            "up/outside/secret",
            "../outside/secret",
            "self/pom.xml",
            "fd/secret",
            outside + "/secret"
        }) {
            assertThatThrownBy(() -> read(path)).as(path).isInstanceOf(FileFailure.class);
            assertThatThrownBy(() -> tree.attributes(at(path), true)).as(path).isInstanceOf(FileFailure.class);
            assertThatThrownBy(() -> tree.removeFile(at(path + "x"))).as(path).isInstanceOf(FileFailure.class);
            assertThatThrownBy(() -> tree.change(at(path), new Tree.Change(0, 0, 1, 1, true), true))
                    .as(path)
                    .isInstanceOf(FileFailure.class);
        }
        assertThatThrownBy(() -> write("abs/new", WRITE, 0, "x")).isInstanceOf(FileFailure.class);
        assertThatThrownBy(() -> tree.makeFolder(at("rel/new"), 0777)).isInstanceOf(FileFailure.class);
        assertThatThrownBy(() -> tree.removeFolder(at("abs/deep"))).isInstanceOf(FileFailure.class);
        assertThatThrownBy(() -> tree.rename(at("abs/secret"), at("got"), true)).isInstanceOf(FileFailure.class);
        assertThatThrownBy(() -> tree.link(at("abs/secret"), at("got"))).isInstanceOf(FileFailure.class);
        assertThatThrownBy(() -> list("abs")).isInstanceOf(FileFailure.class);
        Files.delete(root.resolve("self"));
        Files.delete(root.resolve("fd"));
        Files.delete(root.resolve("up"));
        assertThat(Files.readString(outside.resolve("secret"))).isEqualTo("secret");
        assertThat(outside.toFile().list()).containsExactlyInAnyOrder("secret", "deep");
    }
}
