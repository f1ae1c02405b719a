// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// What leads to nothing is 404; a disk that fails is not.
class FileFailuresTest {
    @TempDir
    Path folder;

    private IOException failureOf(Path path) {
        IOException failure = catchThrowableOfType(IOException.class, () -> FileStamp.of(path));
        assertThat(failure).as("%s", path).isNotNull();
        return failure;
    }

    @Test
    void namesThatLeadToNothing() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "x");
        Path round = folder.resolve("round");
        Files.createSymbolicLink(round, Path.of("round"));
        for (Path path : List.of(
                folder.resolve("missing"),
                file.resolve("below"),
                folder.resolve("x".repeat(300)),
                folder.resolve("x/".repeat(3_000)),
                round,
                round.resolve("below"))) {
            assertThat(FileFailures.isNothingThere(failureOf(path)))
                    .as("%s", path)
                    .isTrue();
        }
    }

    @Test
    void failuresOfTheMachine() {
        for (String reason : List.of("Input/output error", "Stale file handle", "Cannot allocate memory")) {
            assertThat(FileFailures.isNothingThere(new FileSystemException("x", null, reason)))
                    .as(reason)
                    .isFalse();
        }
        assertThat(FileFailures.isNothingThere(new FileSystemException("x"))).isFalse();
        assertThat(FileFailures.isNothingThere(new AccessDeniedException("x"))).isFalse();
        assertThat(FileFailures.isNothingThere(new IOException("x"))).isFalse();
    }
}
