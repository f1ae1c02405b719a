// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Where the kernel resolves paths: links inside the root lead on. */
class ResolvedTreeTest extends TreeContract {
    private void link(String target, String name) throws FileFailure {
        tree.symbolicLink(target.getBytes(StandardCharsets.UTF_8), at(name));
    }

    // As in a chroot: "/" and ".." of a link's text are the root's.
    @Test
    void links_followed_endAtTheRoot() throws IOException {
        tree.makeFolder(at("d"), 0777);
        write("d/a", WRITE, 0, "hello");
        link("/d/a", "abs");
        link("../../../d/a", "d/up");
        link("d", "folder");
        link("nowhere", "dangling");
        link("loop", "loop");
        assertThat(read("abs")).isEqualTo("hello");
        assertThat(read("d/up")).isEqualTo("hello");
        assertThat(read("folder/a")).isEqualTo("hello");
        assertThat(tree.attributes(at("abs"), true).isRegular()).isTrue();
        assertRefused(Errno.ENOENT, () -> read("dangling"));
        assertRefused(Errno.ELOOP, () -> read("loop"));
        // A new file behind a dangling link is made inside, too.
        write("dangling", WRITE, 0, "made");
        assertThat(Files.readString(root.resolve("nowhere"))).isEqualTo("made");
        link("/new-file", "outwards");
        write("outwards", WRITE, 0, "inside");
        assertThat(Files.readString(root.resolve("new-file"))).isEqualTo("inside");
        assertThat(Path.of("/new-file")).doesNotExist();
    }

    @Test
    void links_notWanted_areRefused() throws IOException {
        write("a", WRITE, 0, "hello");
        link("a", "l");
        link(".", "here");
        try (Tree strict = Tree.open(root, new FileRules(false, 0755, 0755), new Quota(0))) {
            assertRefused(Errno.ELOOP, () -> strict.openFile(at("l"), READ, 0));
            assertRefused(Errno.ELOOP, () -> strict.openFile(at("here/a"), READ, 0));
            assertThatThrownBy(() -> strict.openFolder(at("here"))).isInstanceOf(FileFailure.class);
            strict.openFile(at("a"), READ, 0).close();
            assertThat(strict.attributes(at("l"), false).isLink()).isTrue();
            strict.removeFile(at("l"));
        }
    }
}
