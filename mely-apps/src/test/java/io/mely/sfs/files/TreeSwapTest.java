// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The race that a check before an open loses: folders that turn into links to the outside and back, as fast as the machine can swap them, while files are
 * read, written, made, moved and removed through them.
 */
@Timeout(120)
class TreeSwapTest extends TreeHarness {
    private static final int ROUNDS = 2000;

    @Test
    void links_swapped_nothingOutsideIsTouched() throws Exception {
        int[] rounds = {0};
        check(() -> rounds[0]++ < ROUNDS);
    }

    @Test
    @Tag("slow")
    void links_swappedForAMinute_nothingOutsideIsTouched() throws Exception {
        long endNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        check(() -> System.nanoTime() - endNs < 0);
    }

    private void check(BooleanSupplier goesOn) throws Exception {
        Path inside = Files.createDirectories(root.resolve("in"));
        Files.writeString(inside.resolve("secret"), "inside");
        Files.createDirectory(inside.resolve("deep"));
        Path realFolder = Files.createDirectory(root.resolve("real"));
        Files.writeString(realFolder.resolve("secret"), "inside");
        long outsideTime = Files.getLastModifiedTime(outside.resolve("secret")).toMillis();
        AtomicBoolean isStopped = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread swapper = new Thread(() -> {
            try {
                for (int i = 0; !isStopped.get(); i++) {
                    swap(root.resolve("link"), i % 2 == 0 ? Path.of("in") : outside);
                    // A folder itself that gives way to a link, and comes back.
                    Files.move(realFolder, root.resolve("aside"));
                    Files.createSymbolicLink(realFolder, outside);
                    Files.delete(realFolder);
                    Files.move(root.resolve("aside"), realFolder);
                }
            } catch (IOException e) {
                failure.set(e);
            }
        });
        swapper.start();
        int done = 0;
        int refused = 0;
        try {
            while (goesOn.getAsBoolean() && failure.get() == null) {
                for (String folder : new String[] {"link", "real"}) {
                    for (int what = 0; what < 9; what++) {
                        try {
                            act(folder, what);
                            done++;
                        } catch (FileFailure gone) {
                            refused++;
                        }
                    }
                }
            }
        } finally {
            isStopped.set(true);
            swapper.join();
        }
        assertThat(failure.get()).isNull();
        // Both sides of the race were met, or nothing was tested.
        assertThat(done).isPositive();
        assertThat(refused).isPositive();
        assertThat(outside.toFile().list()).containsExactlyInAnyOrder("secret", "deep");
        assertThat(Files.readString(outside.resolve("secret"))).isEqualTo("secret");
        assertThat(Files.getLastModifiedTime(outside.resolve("secret")).toMillis())
                .isEqualTo(outsideTime);
    }

    private void act(String folder, int what) throws FileFailure {
        switch (what) {
            case 0 -> assertThat(read(folder + "/secret")).isIn("inside", "");
            case 1 -> write(folder + "/secret", EMPTY, 0, "inside");
            case 2 -> write(folder + "/new", WRITE, 0, "x");
            case 3 -> tree.rename(at(folder + "/new"), at(folder + "/moved"), true);
            case 4 -> tree.removeFile(at(folder + "/moved"));
            case 5 -> tree.makeFolder(at(folder + "/made"), 0777);
            case 6 -> tree.removeFolder(at(folder + "/made"));
            case 7 -> tree.change(at(folder + "/secret"), new Tree.Change(-1, -1, 1, 1, true), true);
            default -> {
                tree.symbolicLink("x".getBytes(StandardCharsets.UTF_8), at(folder + "/sym"));
                tree.removeFile(at(folder + "/sym"));
            }
        }
    }

    private static void swap(Path link, Path target) throws IOException {
        Path next = link.resolveSibling(link.getFileName() + ".next");
        Files.deleteIfExists(next);
        Files.createSymbolicLink(next, target);
        Files.move(next, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
