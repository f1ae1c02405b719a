// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A tree in a folder of its own, beside which is one that nobody may touch. */
abstract class TreeHarness {
    static final FileRules RULES = new FileRules(true, 0755, 0755);
    static final OpenHow READ = new OpenHow(true, false, false, false, false, false);
    static final OpenHow WRITE = new OpenHow(true, true, false, true, false, false);
    static final OpenHow EMPTY = new OpenHow(false, true, false, true, true, false);
    static final OpenHow NEW = new OpenHow(false, true, false, true, false, true);
    static final OpenHow APPEND = new OpenHow(false, true, true, true, false, false);

    @TempDir
    Path temp;

    Path root;
    Path outside;
    Tree tree;
    final NativeBuffer buffer = NativeBuffer.allocate(64 << 10);

    /** Whether the kernel resolves paths; else they are walked. */
    boolean isWalked() {
        return false;
    }

    @BeforeEach
    void open() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
        outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "secret");
        Files.createDirectory(outside.resolve("deep"));
        tree = open(0);
    }

    Tree open(long quotaBytes) throws IOException {
        return Tree.open(root, RULES, new Quota(quotaBytes), isWalked(), Disk.KERNEL);
    }

    @AfterEach
    void close() {
        tree.close();
    }

    static RemotePath at(String path) throws FileFailure {
        return RemotePath.of(path);
    }

    String read(String path) throws FileFailure {
        try (RegularFile file = tree.openFile(at(path), READ, 0)) {
            int n = file.read(buffer, buffer.capacity(), 0);
            byte[] bytes = new byte[n];
            buffer.bytes().get(0, bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    void write(String path, OpenHow how, long offset, String text) throws FileFailure {
        try (RegularFile file = tree.openFile(at(path), how, 0644)) {
            write(file, offset, text);
        }
    }

    void write(RegularFile file, long offset, String text) throws FileFailure {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        buffer.bytes().clear().put(bytes);
        file.write(buffer, bytes.length, offset);
    }

    void copy(RegularFile from, long fromOffset, long count, RegularFile to, long offset) throws FileFailure {
        FileCopy copy = FileCopy.begin(from, fromOffset, count, to, offset);
        while (!copy.step(buffer)) {
            // the next piece
        }
    }

    TreeSet<String> list(String path) throws FileFailure {
        TreeSet<String> names = new TreeSet<>();
        try (OpenFolder folder = tree.openFolder(at(path))) {
            for (OpenFolder.Entry each = folder.next(); each != null; each = folder.next()) {
                names.add(new String(each.name(), StandardCharsets.UTF_8));
            }
        }
        return names;
    }

    static AbstractThrowableAssert<?, ?> assertRefused(int errno, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FileFailure.class,
                        failure -> org.assertj.core.api.Assertions.assertThat(failure.errno())
                                .as(failure.getMessage())
                                .isEqualTo(errno));
    }
}
