// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class TemporaryFolderTest {
    @TempDir
    Path parent;

    private Path left(String name) throws IOException {
        Path folder = Files.createDirectories(parent.resolve(name));
        Files.createFile(folder.resolve("lock"));
        Files.createDirectory(folder.resolve("content"));
        return Files.writeString(folder.resolve("content/file"), "of a process that was killed");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void folder_isForItsOwnerOnly_andDeletedAtTheEnd() throws IOException {
        try (TemporaryFolder folder = TemporaryFolder.create(parent, "demo")) {
            assertThat(folder.path()).isEmptyDirectory();
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(folder.path().getParent())))
                    .isEqualTo("rwx------");
            Files.writeString(Files.createDirectory(folder.path().resolve("a")).resolve("b"), "x");
        }
        assertThat(parent).isEmptyDirectory();
    }

    // What others use, what has another name, what a link leads to, and what is nobody's yet stays.
    @Test
    void create_deletesWhatWasLeft_andNothingElse() throws IOException {
        Path left = left("demo1");
        Path other = left("other1");
        Files.createSymbolicLink(parent.resolve("demo2"), parent.resolve("other1"));
        Path begun = Files.createDirectory(parent.resolve("demo3"));
        try (TemporaryFolder first = TemporaryFolder.create(parent, "demo");
                TemporaryFolder second = TemporaryFolder.create(parent, "demo")) {
            assertThat(left.getParent().getParent()).doesNotExist();
            assertThat(other).exists();
            assertThat(parent.resolve("demo2")).isSymbolicLink();
            assertThat(begun).exists();
            assertThat(first.path()).exists().isNotEqualTo(second.path());
        }
    }

    // A process that is alive holds the lock.
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void create_leavesThoseOfLivingProcesses() throws Exception {
        Path used = left("demo1");
        Path lock = used.getParent().resolveSibling("lock");
        String script = "import java.nio.channels.*; import java.nio.file.*;"
                + " public class Holds { public static void main(String[] a) throws Exception {"
                + " FileChannel c = FileChannel.open(Path.of(a[0]), StandardOpenOption.WRITE);"
                + " System.out.println(c.tryLock() != null); System.in.read(); } }";
        Path source = Files.writeString(parent.resolve("Holds.java"), script);
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        source.toString(),
                        lock.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("true");
            TemporaryFolder.create(parent, "demo").close();
            assertThat(used).exists();
        } finally {
            holder.destroyForcibly().waitFor();
        }
        TemporaryFolder.create(parent, "demo").close();
        assertThat(used).doesNotExist();
    }
}
