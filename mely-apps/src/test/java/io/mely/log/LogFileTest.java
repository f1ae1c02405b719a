// SPDX-License-Identifier: Apache-2.0
package io.mely.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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

    // A folder that comes back is used again; meanwhile it is said, and lines go on to the file that was moved away.
    @Test
    void maintain_afterAFailure_opensAgain() throws IOException {
        Path sub = Files.createDirectory(folder.resolve("sub"));
        path = sub.resolve("access.log");
        try (LogFile file = open(0, 0, 5)) {
            Files.move(path, folder.resolve("moved"));
            Files.delete(sub);
            assertThatThrownBy(file::maintain).isInstanceOf(IOException.class);
            file.write(ByteBuffer.wrap("meanwhile\n".getBytes(StandardCharsets.US_ASCII)));
            Files.createDirectory(sub);
            file.maintain();
            write(file, "again\n");
        }
        assertThat(Files.readString(folder.resolve("moved"))).isEqualTo("meanwhile\n");
        assertThat(Files.readString(path)).isEqualTo("again\n");
    }

    // The file can't be renamed: nothing is lost, no older file is moved, it is said once, and tried again minutes
    // later.
    @Test
    void maintain_notRotatable_goesOn() throws IOException {
        Files.writeString(folder.resolve("access.log.1"), "older\n");
        Path obstacle = Files.createDirectories(folder.resolve("access.log.2/in the way"));
        try (LogFile file = open(1, 0, 2)) {
            assertThatThrownBy(() -> write(file, "a\n")).isInstanceOf(IOException.class);
            write(file, "b\n");
            assertThat(content(".0")).isEqualTo("a\n");
            assertThat(content(".1")).isEqualTo("older\n");
            assertThat(content("")).isEqualTo("b\n");
            nowMs += LogFile.RETRY.toMillis();
            write(file, "c\n");
            assertThat(content("")).isEqualTo("b\nc\n");
            Files.delete(obstacle);
            Files.delete(folder.resolve("access.log.2"));
            nowMs += LogFile.RETRY.toMillis();
            write(file, "d\n");
        }
        assertThat(content("")).isEmpty();
        assertThat(content(".1")).isEqualTo("b\nc\nd\n");
        assertThat(content(".2")).isEqualTo("a\n");
        assertThat(folder.resolve("access.log.0")).doesNotExist();
    }

    // The live file is moved first; where that can't be, older ones stay, and lines go on to it.
    @Test
    void maintain_liveFileNotMovable_movesNothing() throws IOException {
        Files.createDirectories(folder.resolve("access.log.0/in the way"));
        Files.createDirectories(folder.resolve("access.log.1/in the way"));
        try (LogFile file = open(1, 0, 1)) {
            assertThatThrownBy(() -> write(file, "a\n")).isInstanceOf(IOException.class);
            write(file, "b\n");
            assertThat(content("")).isEqualTo("a\nb\n");
        }
    }

    // The log is a link: what it leads to is rotated, in its own folder, and the link stays.
    @Test
    void maintain_link_rotatesItsTarget() throws IOException {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Files.createSymbolicLink(path, disk.resolve("real.log"));
        try (LogFile file = open(2, 0, 2)) {
            write(file, "a\n");
            write(file, "b\n");
        }
        assertThat(path).isSymbolicLink();
        assertThat(Files.readString(disk.resolve("real.log.1"))).isEqualTo("b\n");
        assertThat(Files.readString(disk.resolve("real.log.2"))).isEqualTo("a\n");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("access.log", "disk");
    }

    // What a link below /dev or /proc stands for is never renamed, nor is a device.
    @Test
    @EnabledOnOs(OS.LINUX)
    void target_belowDev_isNotRotated() throws IOException {
        assertThat(LogTarget.of(Path.of("/dev/stdout")).stream()).isSameAs(FileDescriptor.out);
        assertThat(LogTarget.of(Path.of("/proc/self/fd/2")).stream()).isSameAs(FileDescriptor.err);
        Files.createSymbolicLink(path, Path.of("/dev/stderr"));
        assertThat(LogTarget.of(path).stream()).isSameAs(FileDescriptor.err);
        assertThat(LogTarget.of(Path.of("/dev/fd/0")).isRotatable()).isFalse();
        assertThat(LogTarget.of(Path.of("/proc/1/exe")).isRotatable()).isFalse();
        assertThat(LogTarget.of(folder.resolve("plain")).isRotatable()).isTrue();
    }

    // A pipe that nobody reads is refused; one that somebody reads is written to.
    @Test
    @EnabledOnOs(OS.LINUX)
    void open_pipe_needsAReader() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> open(1, 0, 1)).isInstanceOf(IOException.class).hasMessageContaining("nobody reads");
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readString(path);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try (LogFile file = open(1, 0, 1)) {
            write(file, "a\n");
            write(file, "b\n");
        }
        assertThat(read.get()).isEqualTo("a\nb\n");
        assertThat(folder.toFile().list()).containsExactly("access.log");
    }

    // A check finds what an open would, and makes nothing.
    @Test
    void check_changesNothing() throws IOException {
        new LogFile(path, 0, 0, 1, () -> nowMs).check();
        assertThat(path).doesNotExist();
        assertThatThrownBy(() -> new LogFile(folder, 0, 0, 1, () -> nowMs).check())
                .isInstanceOf(IOException.class);
        Path none = folder.resolve("none/access.log");
        assertThatThrownBy(() -> new LogFile(none, 0, 0, 1, () -> nowMs).check())
                .isInstanceOf(NoSuchFileException.class);
    }
}
