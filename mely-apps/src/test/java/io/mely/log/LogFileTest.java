// SPDX-License-Identifier: Apache-2.0
package io.mely.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFileTest {
    private static final long DAY_MS = Duration.ofDays(1).toMillis();

    @TempDir
    Path folder;

    private Path path;
    private long nowMs = Instant.parse("2026-11-21T23:59:59Z").toEpochMilli();

    @BeforeEach
    void name() {
        path = folder.resolve("access.log");
    }

    private LogFile open(long rotateBytes, long rotateMs, int keep) throws IOException {
        LogFile file = new LogFile(path, rotateBytes, rotateMs, keep, () -> nowMs);
        file.open();
        return file;
    }

    private static void write(LogFile file, String text) throws IOException {
        file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        file.maintain();
    }

    private String content(String suffix) throws IOException {
        return Files.readString(folder.resolve("access.log" + suffix));
    }

    // By size: the newest is NAME.1, as many are kept as asked for, and what was there before is added to.
    @Test
    void maintain_large_isRotated() throws IOException {
        Files.writeString(path, "old\n");
        try (LogFile file = open(8, 0, 2)) {
            write(file, "a\n");
            assertThat(content("")).isEqualTo("old\na\n");
            for (String line : new String[] {"b\n", "long line 1\n", "long line 2\n", "c\n"}) {
                write(file, line);
            }
        }
        assertThat(content("")).isEqualTo("c\n");
        assertThat(content(".1")).isEqualTo("long line 2\n");
        assertThat(content(".2")).isEqualTo("long line 1\n");
        assertThat(folder.resolve("access.log.3")).doesNotExist();
    }

    @Test
    void maintain_noneKept_isDeleted() throws IOException {
        try (LogFile file = open(1, 0, 0)) {
            write(file, "a\n");
            write(file, "b\n");
        }
        assertThat(folder.toFile().list()).containsExactly("access.log");
        assertThat(content("")).isEmpty();
    }

    // By time: at midnight, once, not while nothing is in it; and a file of yesterday at the start.
    @Test
    void maintain_nextDay_isRotated() throws IOException {
        try (LogFile file = open(0, DAY_MS, 5)) {
            write(file, "saturday\n");
            nowMs += 2_000;
            file.maintain();
            assertThat(content("")).isEmpty();
            assertThat(content(".1")).isEqualTo("saturday\n");
            nowMs += 3 * DAY_MS;
            file.maintain();
            write(file, "wednesday\n");
            file.maintain();
            assertThat(content("")).isEqualTo("wednesday\n");
            assertThat(folder.resolve("access.log.2")).doesNotExist();
        }
        Files.setLastModifiedTime(path, FileTime.fromMillis(nowMs));
        nowMs += DAY_MS;
        try (LogFile file = open(0, DAY_MS, 5)) {
            file.maintain();
            write(file, "thursday\n");
        }
        assertThat(content("")).isEqualTo("thursday\n");
        assertThat(content(".1")).isEqualTo("wednesday\n");
        assertThat(content(".2")).isEqualTo("saturday\n");
    }

    // A tool that rotates logs moves the file, or deletes it: the next lines go to a new one, without a signal.
    @Test
    void maintain_movedAway_isMadeAnew() throws IOException {
        try (LogFile file = open(0, 0, 5)) {
            write(file, "a\n");
            Files.move(path, folder.resolve("moved"));
            write(file, "b\n");
            write(file, "c\n");
            Files.delete(path);
            file.maintain();
            write(file, "d\n");
        }
        assertThat(Files.readString(folder.resolve("moved"))).isEqualTo("a\nb\n");
        assertThat(content("")).isEqualTo("d\n");
    }

    // A folder that comes back is used again; meanwhile writing fails and says so.
    @Test
    void maintain_afterAFailure_opensAgain() throws IOException {
        Path sub = Files.createDirectory(folder.resolve("sub"));
        path = sub.resolve("access.log");
        try (LogFile file = open(0, 0, 5)) {
            Files.delete(path);
            Files.delete(sub);
            assertThatThrownBy(file::maintain).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> file.write(ByteBuffer.wrap(new byte[1]))).isInstanceOf(IOException.class);
            Files.createDirectory(sub);
            file.maintain();
            write(file, "again\n");
        }
        assertThat(Files.readString(path)).isEqualTo("again\n");
    }
}
