// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fails is told as what it is: to call its files missing would have every cache in front keep that. */
@EnabledIf("hasCompiler")
class FailingDiskSystemTest {
    @TempDir
    Path folder;

    static boolean hasCompiler() {
        return Files.isDirectory(Path.of("/proc/self")) && SwsProcess.works("cc", "--version");
    }

    private Path library() throws Exception {
        Path source = folder.resolve("failing-disk.c");
        try (InputStream code = FailingDiskSystemTest.class.getResourceAsStream("failing-disk.c")) {
            Files.copy(code, source);
        }
        Path library = folder.resolve("failing-disk.so");
        assertThat(SwsProcess.works("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl"))
                .isTrue();
        return library;
    }

    // A file that was served before, one that was not, a name that is not there, and a list: 500, one line in the log,
    // and all is well again with the disk.
    @Test
    void failingDisk_is500_andIsTold() throws Exception {
        Path root = Files.createDirectories(folder.resolve("root"));
        Files.createDirectories(root.resolve("dir"));
        for (String name : new String[] {"failing.txt", "failing2.txt", "dir/failing.txt", "fine.txt"}) {
            Files.writeString(root.resolve(name), "x");
        }
        Path flag = folder.resolve("flag");
        try (SwsProcess sws = SwsProcess.serving(root)
                        .variable("LD_PRELOAD", library().toString())
                        .variable("FAIL_WHILE", flag.toString())
                        .variable("SWS_LISTING", "on")
                        .variable("SWS_CACHE_REVALIDATION", "0 s")
                        .startReady();
                RawClient client = new RawClient(sws.address())) {
            assertThat(client.fetch("/failing.txt").status()).isEqualTo(200);
            Files.createFile(flag);
            for (String path : new String[] {"/failing.txt", "/failing2.txt", "/failing3.txt", "/dir/"}) {
                assertThat(client.fetch(path).status()).as(path).isEqualTo(500);
            }
            assertThat(client.fetch("/fine.txt").status()).isEqualTo(200);
            assertThat(sws.stderr()).contains(" WARNING ", "reading /failing.txt failed: ");
            Files.delete(flag);
            for (String path : new String[] {"/failing.txt", "/failing2.txt", "/dir/"}) {
                assertThat(client.fetch(path).status()).as(path).isEqualTo(200);
            }
            assertThat(client.fetch("/failing3.txt").status()).isEqualTo(404);
        }
    }
}
