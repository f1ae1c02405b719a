// SPDX-License-Identifier: Apache-2.0
package io.mely.images.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.mely.images.store.Catalogue.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// A picture is there as a whole or not at all, also after a restart; the oldest go when there is no room.
class StoreTest {
    private static final byte[] STATUS = "{}".getBytes();
    private static final int BLOCK = 4_096;

    /** Of a picture with one small file: that, the status and the folder. */
    private static final int PICTURE = 3 * BLOCK;

    @TempDir
    Path folder;

    private Store store;

    @AfterEach
    void close() throws IOException {
        if (store != null) {
            store.close();
        }
    }

    private void open(long bytesMax) throws IOException {
        store = Store.open(folder, bytesMax);
    }

    private static PictureId id(int number) {
        return PictureId.of(new byte[] {(byte) number}, "");
    }

    private void finish(PictureId id, int bytes) throws IOException {
        assertThat(store.catalogue().begin(id)).isTrue();
        store.write(id, "small.jpg", new byte[bytes]);
        store.finish(id, STATUS);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .filter(name -> !name.equals(".images/lock"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void id_isOfContentAndRecipe() {
        assertThat(PictureId.of(new byte[1], "a")).isEqualTo(PictureId.of(new byte[1], "a"));
        assertThat(PictureId.of(new byte[1], "a")).isNotEqualTo(PictureId.of(new byte[1], "b"));
        assertThat(PictureId.of(new byte[2], "a")).isNotEqualTo(PictureId.of(new byte[1], "a"));
        assertThat(PictureId.isValid(id(1).text())).isTrue();
        assertThat(PictureId.isValid("..")).isFalse();
        assertThat(PictureId.isValid(id(1).text().toUpperCase(java.util.Locale.ROOT) + "A"))
                .isFalse();
    }

    @Test
    void states_followThePicture() throws IOException {
        open(1 << 20);
        assertThat(store.catalogue().state(id(1))).isEqualTo(State.UNKNOWN);
        store.catalogue().begin(id(1));
        assertThat(store.catalogue().begin(id(1))).isFalse();
        assertThat(store.catalogue().state(id(1))).isEqualTo(State.IN_WORK);
        store.write(id(1), "small.jpg", new byte[7]);
        store.fail(id(1));
        assertThat(store.catalogue().state(id(1))).isEqualTo(State.FAILED);
        assertThat(files()).isEmpty();
        finish(id(1), 7);
        assertThat(store.catalogue().state(id(1))).isEqualTo(State.FINISHED);
        assertThat(store.catalogue().bytes()).isEqualTo(PICTURE);
        assertThat(files()).hasSize(2);
        assertThat(store.status(id(1))).isEqualTo(STATUS);
    }

    @Test
    void oldest_goWhenThereIsNoRoom() throws IOException {
        open(3 * PICTURE);
        for (int i = 1; i <= 4; i++) {
            finish(id(i), 8);
        }
        assertThat(store.catalogue().newest(10)).containsExactly(id(4), id(3), id(2));
        assertThat(store.catalogue().bytes()).isEqualTo(3 * PICTURE);
        assertThat(files()).hasSize(6);
        finish(id(1), 20 * BLOCK + 1);
        assertThat(store.catalogue().bytes()).isEqualTo(23 * BLOCK);
        assertThat(store.catalogue().newest(10))
                .as("one that is larger than the room is kept")
                .containsExactly(id(1));
        assertThat(files()).hasSize(2);
    }

    // The order is that of the times on the disk; what was not finished is gone, and what is not ours is left alone.
    @Test
    void restart_findsFinishedPictures() throws IOException {
        open(1 << 20);
        for (int i = 1; i <= 3; i++) {
            finish(id(i), 10);
            Files.setLastModifiedTime(
                    folder.resolve("images/" + id(i) + "/status.json"), FileTime.fromMillis(1_000_000 - i * 10_000));
        }
        store.catalogue().begin(id(4));
        store.write(id(4), "small.jpg", new byte[5]);
        Path foreign = Files.createDirectories(folder.resolve("images/holidays"));
        Files.writeString(foreign.resolve("beach.jpg"), "x");
        Files.writeString(folder.resolve(".images/part"), "of a server that was killed");
        abandon();
        open(2 * PICTURE);
        assertThat(store.catalogue().newest(10)).containsExactly(id(1), id(2));
        assertThat(store.catalogue().state(id(4))).isEqualTo(State.UNKNOWN);
        assertThat(files()).hasSize(5).contains("images/holidays/beach.jpg");
    }

    /** As if it had been killed: its files stay. */
    private void abandon() throws IOException {
        Path kept = folder.resolveSibling("kept-" + folder.getFileName());
        Files.move(folder.resolve("images"), kept);
        Files.createDirectories(folder.resolve("images"));
        store.close();
        Files.delete(folder.resolve("images"));
        Files.move(kept, folder.resolve("images"));
    }

    @Test
    void close_removesWhatIsNotFinished() throws IOException {
        open(1 << 20);
        finish(id(1), 10);
        store.catalogue().begin(id(2));
        store.write(id(2), "small.jpg", new byte[5]);
        store.close();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> store.write(id(2), "large.jpg", new byte[5]))
                .withMessageContaining("closed");
        assertThat(files()).hasSize(2);
    }

    @Test
    void folderInUse_isRefused() throws IOException {
        open(1 << 20);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> Store.open(folder, 1 << 20))
                .withMessageContaining("another image server");
    }

    @Test
    void failedWrite_leavesNothing() throws IOException {
        open(1 << 20);
        store.catalogue().begin(id(1));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> store.write(id(1), "no/such/folder.jpg", new byte[5]));
        assertThat(files()).isEmpty();
    }
}
