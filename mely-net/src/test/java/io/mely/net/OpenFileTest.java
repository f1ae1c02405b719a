// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an open file promises, by native calls and by the JDK. */
@Timeout(60)
final class OpenFileTest {
    private static final Instant TIME = Instant.parse("2020-02-29T12:34:56.789012Z");

    @TempDir
    Path folder;

    enum How {
        NATIVE {
            @Override
            OpenFile open(Path path) throws IOException {
                assumeThat(Posix.isAvailable()).isTrue();
                OpenFile file = OpenFile.open(path);
                assertThat(file).isInstanceOf(NativeFile.class);
                return file;
            }

            @Override
            OpenFile openBeneath(Path root, String relative) throws IOException {
                assumeThat(Posix.isAvailable()).isTrue();
                OpenFile file = OpenFile.openBeneath(root, Path.of(relative));
                assertThat(file).isInstanceOf(NativeFile.class);
                return file;
            }
        },
        CHANNEL {
            @Override
            OpenFile open(Path path) throws IOException {
                return ChannelFile.openByChannel(path);
            }

            @Override
            OpenFile openBeneath(Path root, String relative) throws IOException {
                return ChannelFile.openBeneathByChannel(root, Path.of(relative));
            }
        };

        abstract OpenFile open(Path path) throws IOException;

        abstract OpenFile openBeneath(Path root, String relative) throws IOException;
    }

    private Path file(String name, String content) throws IOException {
        Path path = Files.writeString(folder.resolve(name), content);
        Files.setLastModifiedTime(path, FileTime.from(TIME));
        return path;
    }

    /** What was just written is in memory, and what was fetched is; where the system cannot tell it says so, and the plain read has it. */
    @ParameterizedTest
    @EnumSource
    void readFromMemory_hasWhatWasFetched_orNothing(How how) throws Exception {
        Path path = file("cached", "0123456789");
        try (OpenFile file = how.open(path)) {
            file.fetch(0, 10);
            file.fetch(5, 100); // beyond the end: no error
            ByteBuffer dst = ByteBuffer.allocateDirect(4);
            int n = file.readFromMemory(dst, 3);
            if (n == 0) {
                n = file.read(dst, 3);
            }
            assertThat(n).isEqualTo(4);
            assertThat(dst.get(0)).isEqualTo((byte) '3');
            assertThat(dst.hasRemaining()).isFalse();
            int atEnd = file.readFromMemory(dst.clear(), 10);
            assertThat(atEnd).isIn(0, -1);
            assertThatThrownBy(() -> file.fetch(0, 0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void readFromMemory_closedFile_isRefused(How how) throws Exception {
        OpenFile file = how.open(file("closed", "0123456789"));
        file.close();
        assertThatThrownBy(() -> file.readFromMemory(ByteBuffer.allocateDirect(4), 0))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> file.fetch(0, 1)).isInstanceOf(ClosedChannelException.class);
    }

    /** Size and time are the file's, bytes are read from any position, and the end is told. */
    @ParameterizedTest
    @EnumSource
    void open_readsAndDescribes(How how) throws Exception {
        Path path = file("grüße", "0123456789");
        try (OpenFile file = how.open(path)) {
            assertThat(file.size()).isEqualTo(10);
            assertThat(file.lastModified()).isEqualTo(TIME);
            ByteBuffer buffer = ByteBuffer.allocateDirect(6).put((byte) 'x');
            assertThat(file.read(buffer, 7)).isEqualTo(3);
            assertThat(buffer.position()).isEqualTo(4);
            byte[] read = new byte[4];
            buffer.flip().get(read);
            assertThat(read).asString().isEqualTo("x789");
            assertThat(file.read(buffer.clear(), 10)).isEqualTo(-1);
            assertThatThrownBy(() -> file.read(buffer, -1)).hasMessageContaining("position=-1");
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0)).hasMessageContaining("dst");
            assertThat(file.toString()).contains("size=10");
        }
    }

    /** Whoever reads with its interrupt set leaves the file open for the others, and finds the interrupt afterwards. */
    @ParameterizedTest
    @EnumSource
    void read_interrupted(How how) throws Exception {
        try (OpenFile file = how.open(file("name", "content"))) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(7);
            Thread.currentThread().interrupt();
            assertThat(file.read(buffer, 0)).isEqualTo(7);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(file.read(buffer.clear(), 0)).isEqualTo(7);
            assertThat(Thread.interrupted()).isFalse();
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    /** It is the opened file, whatever becomes of its name. */
    @ParameterizedTest
    @EnumSource
    void open_survivesReplacement(How how) throws Exception {
        Path path = file("name", "old");
        try (OpenFile file = how.open(path)) {
            Files.delete(path);
            Files.writeString(path, "newer");
            ByteBuffer buffer = ByteBuffer.allocateDirect(10);
            assertThat(file.read(buffer, 0)).isEqualTo(3);
            assertThat(buffer.get(0)).isEqualTo((byte) 'o');
            assertThat(file.channel().size()).isEqualTo(3);
        }
    }

    /** Opening does not change a file. (One library call of this name truncates.) */
    @ParameterizedTest
    @EnumSource
    void open_changesNothing(How how) throws Exception {
        Path path = file("kept", "kept");
        how.open(path).close();
        assertThat(path).hasContent("kept");
        assertThat(Files.getLastModifiedTime(path).toInstant()).isEqualTo(TIME);
    }

    /** What is no regular file is refused, without waiting. */
    @ParameterizedTest
    @EnumSource
    void open_wrong(How how) throws Exception {
        Path fifo = folder.resolve("fifo");
        Process mkfifo =
                new ProcessBuilder("mkfifo", fifo.toString()).inheritIO().start();
        assertThat(mkfifo.waitFor(30, TimeUnit.SECONDS)).isTrue();
        int before = Descriptors.open();
        assertThatThrownBy(() -> how.open(fifo))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("fifo: not a regular file");
        assertThatThrownBy(() -> how.open(folder))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("not a regular file");
        assertThatThrownBy(() -> how.open(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> how.open(file("file", "").resolve("below"))).isInstanceOf(NoSuchFileException.class);
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before);
    }

    /** Below a folder no link is followed, at the end or on the way, and nothing is left open by a refusal. */
    @ParameterizedTest
    @EnumSource
    void openBeneath_followsNoLink(How how) throws Exception {
        Files.createDirectories(folder.resolve("root/a/b"));
        file("root/a/b/grüße", "inside");
        file("outside", "outside");
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("root"));
        Files.createSymbolicLink(folder.resolve("root/toFile"), folder.resolve("outside"));
        Files.createSymbolicLink(folder.resolve("root/toFolder"), folder);
        Files.createSymbolicLink(folder.resolve("root/inside"), Path.of("a"));
        for (Path root : new Path[] {folder.resolve("root"), folder.resolve("link")}) {
            try (OpenFile file = how.openBeneath(root, "a/b/grüße")) {
                assertThat(file.size()).isEqualTo(6);
                assertThat(file.lastModified()).isEqualTo(TIME);
                assertThat(file.read(ByteBuffer.allocateDirect(6), 0)).isEqualTo(6);
            }
        }
        Path root = folder.resolve("root");
        int before = Descriptors.open();
        for (String refused :
                new String[] {"toFile", "toFolder/outside", "inside/b/grüße", "a", "a/b/grüße/x", "none"}) {
            assertThatThrownBy(() -> how.openBeneath(root, refused))
                    .as(refused)
                    .isInstanceOf(FileSystemException.class);
        }
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before);
    }

    /** Only plain names lead down. */
    @Test
    void openBeneath_wrongNames() {
        for (String refused : new String[] {"", "/etc/passwd", "..", "a/../b", ".", "a/."}) {
            assertThatThrownBy(() -> OpenFile.openBeneath(folder, Path.of(refused)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("relative=" + refused);
        }
    }

    /** The last user closes the descriptors, and nobody can come after. */
    @ParameterizedTest
    @EnumSource
    void close_byTheLastUser(How how) throws Exception {
        Path path = file("shared", "abc");
        how.open(path).close();
        int before = Descriptors.open();
        OpenFile file = how.open(path);
        assertThat(file.channel().isOpen()).isTrue();
        assertThat(file.tryRetain()).isTrue();
        file.close();
        assertThat(file.read(ByteBuffer.allocateDirect(3), 0)).isEqualTo(3);
        file.close();
        assertThat(file.tryRetain()).isFalse();
        assertThatThrownBy(() -> file.read(ByteBuffer.allocateDirect(3), 0)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(file::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("shared");
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before);
    }

    /** Want of descriptors has an exception of its own. */
    @Test
    void open_outOfDescriptors() throws Exception {
        assumeThat(Posix.isAvailable()).isTrue();
        Path path = file("any", "abc");
        OpenFile.open(path).close();
        AtomicReference<IOException> failure = new AtomicReference<>(new OutOfDescriptorsException("loaded", null));
        failure.set(null);
        Descriptors.exhausted(() -> {
            try {
                OpenFile.open(path).close();
            } catch (IOException e) {
                failure.set(e);
            }
        });
        assertThat(failure.get()).isInstanceOf(OutOfDescriptorsException.class).hasMessageContaining("any");
    }
}
