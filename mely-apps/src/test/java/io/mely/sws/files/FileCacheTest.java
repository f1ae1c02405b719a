// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Properties: the answer is no older than the interval; memory stays in its budget, and all of it is given back. What an answer says: {@link FileLoadTest}. */
class FileCacheTest extends FileCacheHarness {
    // Changes.

    @Test
    void find_seesChangesAfterTheInterval() throws IOException {
        assertThat(get("/a")).startsWith("HTTP/1.1 404 ");
        write("a", "one");
        assertThat(get("/a")).startsWith("HTTP/1.1 404 ");
        nowNs += INTERVAL_NS;
        assertThat(get("/a")).endsWith("one");
        write("a", "two!");
        assertThat(get("/a")).endsWith("one");
        nowNs += INTERVAL_NS;
        assertThat(get("/a")).endsWith("two!");
        Files.delete(root.resolve("a"));
        nowNs += INTERVAL_NS - 1;
        assertThat(get("/a")).endsWith("two!");
        nowNs += 1;
        assertThat(get("/a")).startsWith("HTTP/1.1 404 ");
        Files.createDirectories(root.resolve("a"));
        nowNs += INTERVAL_NS;
        assertThat(get("/a")).startsWith("HTTP/1.1 301 ");
    }

    @Test
    void find_unchanged_isTheSameEntry() throws IOException {
        write("a", "one");
        FileEntry first = entry("/a");
        nowNs += INTERVAL_NS;
        assertThat(entry("/a")).isSameAs(first);
    }

    @Test
    void find_replacedBySameSizeAndTime_isSeen() throws IOException {
        write("a", "one");
        FileTime time = Files.getLastModifiedTime(root.resolve("a"));
        assertThat(get("/a")).endsWith("one");
        write("b", "two");
        Files.setLastModifiedTime(root.resolve("b"), time);
        Files.move(root.resolve("b"), root.resolve("a"), StandardCopyOption.ATOMIC_MOVE);
        nowNs += INTERVAL_NS;
        assertThat(get("/a")).endsWith("two");
    }

    @Test
    void find_changedInPlaceWithTimeSetBack_isSeen() throws IOException {
        write("a", "one");
        FileTime time = Files.getLastModifiedTime(root.resolve("a"));
        assertThat(get("/a")).endsWith("one");
        nowNs += INTERVAL_NS;
        do {
            write("a", "two");
            Files.setLastModifiedTime(root.resolve("a"), time);
        } while (Files.getAttribute(root.resolve("a"), "unix:ctime").equals(time));
        assertThat(get("/a")).endsWith("two");
    }

    @Test
    void find_loadedInTheTickOfItsChange_isReadAgain() throws IOException {
        write("a", "one");
        wallMs = Files.getLastModifiedTime(root.resolve("a")).toMillis();
        FileEntry first = entry("/a");
        nowNs += INTERVAL_NS;
        wallMs += 1000;
        FileEntry second = entry("/a");
        assertThat(second).isNotSameAs(first);
        nowNs += INTERVAL_NS;
        assertThat(entry("/a")).isSameAs(second);
    }

    @Test
    void find_indexFileAppearsAndGoes() throws IOException {
        write("d/index.htm", "second");
        assertThat(get("/d/")).endsWith("second");
        write("d/index.html", "first");
        nowNs += INTERVAL_NS;
        assertThat(get("/d/")).endsWith("first");
        Files.delete(root.resolve("d/index.html"));
        Files.delete(root.resolve("d/index.htm"));
        nowNs += INTERVAL_NS;
        assertThat(get("/d/")).startsWith("HTTP/1.1 404 ");
    }

    @Test
    void find_smallFileBecomesLarge_andBack() throws IOException {
        write("a", "small");
        assertThat(entry("/a").file()).isNull();
        write("a", "x".repeat(5000));
        nowNs += INTERVAL_NS;
        FileEntry large = entry("/a");
        assertThat(large.file()).isNotNull();
        assertThat(large.fileBytes()).isEqualTo(5000);
        assertThat(cache.memoryBytes()).isZero();
        assertThat(cache.openFiles()).isEqualTo(1);
        write("a", "small");
        nowNs += INTERVAL_NS;
        assertThat(get("/a")).endsWith("small");
        assertThat(cache.openFiles()).isZero();
        assertThat(cache.size()).isEqualTo(1);
    }

    // An answer that is not kept takes the place of the one before it all the same: whoever asks next sees it, too.
    @Test
    void find_deleted_missesNotKept_isGoneForAll() throws IOException {
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 0, INTERVAL_NS), false, false, true);
        write("a", "one");
        assertThat(get("/a")).endsWith("one");
        Files.delete(root.resolve("a"));
        nowNs += INTERVAL_NS;
        for (int i = 0; i < 3; i++) {
            assertThat(get("/a")).startsWith("HTTP/1.1 404 ");
        }
        assertThat(cache.memoryBytes()).isZero();
    }

    @Test
    void find_indexFileDeleted_listingForAll() throws IOException {
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), true, false, true);
        write("d/index.html", "first");
        assertThat(get("/d/")).endsWith("first");
        Files.delete(root.resolve("d/index.html"));
        nowNs += INTERVAL_NS;
        for (int i = 0; i < 3; i++) {
            assertThat(get("/d/")).contains("Index of /d/");
        }
    }

    @Test
    void find_becameLarge_openNotKept_isLargeForAll() throws IOException {
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 0, 8, INTERVAL_NS), false, false, true);
        write("a", "small!");
        assertThat(get("/a")).endsWith("small!");
        write("a", "x".repeat(100_000));
        nowNs += INTERVAL_NS;
        for (int i = 0; i < 3; i++) {
            assertThat(entry("/a").fileBytes()).isEqualTo(100_000);
        }
    }

    // Bounds.

    @Test
    void budget_holds_andUsedEntriesStay() throws IOException {
        for (int i = 0; i < 100; i++) {
            write("f" + i, "x".repeat(2000));
        }
        FileEntry hot = null;
        for (int i = 0; i < 100; i++) {
            assertThat(get("/f" + i)).contains("Content-Length: 2000");
            FileEntry again = entry("/f0");
            assertThat(hot == null || hot == again).as("evicted at %s", i).isTrue();
            hot = again;
            assertThat(cache.memoryBytes()).isLessThanOrEqualTo(BUDGET);
        }
        assertThat(cache.size()).isBetween(10, 25);
    }

    @Test
    void misses_areBounded_andDoNotEvictFiles() throws IOException {
        write("a", "x");
        FileEntry file = entry("/a");
        for (int i = 0; i < 1000; i++) {
            get("/missing" + i);
        }
        assertThat(cache.size()).isLessThanOrEqualTo(9);
        assertThat(entry("/a")).isSameAs(file);
    }

    @Test
    void openFiles_areBounded() throws IOException {
        for (int i = 0; i < 10; i++) {
            write("f" + i, "x".repeat(5000));
            assertThat(entry("/f" + i).fileBytes()).isEqualTo(5000);
        }
        assertThat(cache.openFiles()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"0, 4096, 2", "65536, 0, 2", "65536, 4096, 0", "0, 0, 0"})
    void limits_ofZero_turnKeepingOff(long memory, int file, int open) throws IOException {
        cache = newCache(new FileCache.Limits(memory, file, open, 0, INTERVAL_NS), false, false, true);
        write("a", "x");
        write("b", "x".repeat(5000));
        FileCache.Seat seat = cache.seat(0);
        for (int i = 0; i < 3; i++) {
            for (String path : List.of("/a", "/b", "/missing")) {
                FileEntry entry = acquire(seat, path);
                assertThat(entry.response().status()).isEqualTo(path.equals("/missing") ? 404 : 200);
                seat.release(entry);
            }
        }
        assertThat(cache.openFiles()).isLessThanOrEqualTo(2);
        assertThat(cache.memoryBytes()).isLessThanOrEqualTo(memory);
    }

    @Test
    void closeUnused_closesWhatNobodyAskedFor() throws IOException {
        write("a", "x".repeat(5000));
        write("b", "x".repeat(5000));
        write("small", "x");
        FileEntry asked = entry("/a");
        FileCache.Seat seat = cache.seat(0);
        FileEntry pinned = acquire(seat, "/b");
        seat.pin(pinned);
        seat.release(pinned);
        FileEntry small = entry("/small");
        nowNs += FileCache.OPEN_UNUSED_NS;
        cache.closeUnused(nowNs);
        assertThat(cache.size()).isEqualTo(3);
        assertThat(entry("/a")).isSameAs(asked);
        nowNs += INTERVAL_NS;
        cache.closeUnused(nowNs);
        assertThat(cache.size()).isEqualTo(2);
        assertThat(entry("/a")).isSameAs(asked);
        assertThat(entry("/small")).isSameAs(small);
        assertThat(cache.openFiles()).as("one is being sent").isEqualTo(2);
        cache.unpin(pinned);
        assertThat(cache.openFiles()).isEqualTo(1);
    }

    // What does not fit into the memory that is left is sent like a large file, and kept when there is room again.
    @Test
    void memory_short_smallFileIsSentFromTheFile() throws IOException {
        nativeBytesMax = 6_000;
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), false, false, true);
        write("a", "x".repeat(4000));
        write("b", "y".repeat(4000));
        FileCache.Seat seat = cache.seat(1);
        FileEntry first = acquire(seat, "/a");
        assertThat(first.file()).isNull();
        FileEntry second = entry("/b");
        assertThat(second.fileBytes()).isEqualTo(4000);
        assertThat(second.response().status()).isEqualTo(200);
        assertThat(entry("/b")).isNotSameAs(second);
        assertThat(cache.openFiles()).isZero();
        Files.delete(root.resolve("a"));
        nowNs += INTERVAL_NS;
        assertThat(get("/a")).startsWith("HTTP/1.1 404 ");
        seat.release(first);
        assertThat(get("/b")).endsWith("y");
        assertThat(entry("/b")).isSameAs(entry("/b"));
    }

    @Test
    void memory_short_listingIs503() throws IOException {
        nativeBytesMax = 1_000;
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), true, false, true);
        for (int i = 0; i < 20; i++) {
            write("d/" + i, "x");
        }
        assertThat(get("/d/")).startsWith("HTTP/1.1 503 ");
    }

    // Life.

    @Test
    void pinned_entry_outlivesItsEviction() throws IOException {
        write("a", "one");
        FileCache.Seat seat = cache.seat(0);
        FileEntry entry = acquire(seat, "/a");
        seat.pin(entry);
        seat.release(entry);
        cache.close();
        assertThat(cache.memoryBytes()).isPositive();
        assertThat(text(entry)).endsWith("one");
        cache.unpin(entry);
        assertThat(cache.memoryBytes()).isZero();
    }

    @Test
    void protected_entry_outlivesItsReplacement() throws IOException {
        write("a", "one");
        FileCache.Seat reader = cache.seat(1);
        FileEntry entry = acquire(reader, "/a");
        write("a", "two!");
        nowNs += INTERVAL_NS;
        assertThat(get("/a")).endsWith("two!");
        assertThat(text(entry)).endsWith("one");
        reader.release(entry);
        assertThat(cache.memoryBytes()).isLessThan(1000);
    }

    /** Four cores on a cache too small for the files, which change all the time: every answer is whole, nothing is left. */
    @Test
    void seats_atOnce_withEvictionsAndChanges() throws Exception {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        cache = newCache(new FileCache.Limits(16 << 10, 2048, 2, 4, 0), false, false, true);
        for (int i = 0; i < 30; i++) {
            write("f" + i, String.valueOf((char) ('a' + i % 26)).repeat(500 + i * 60));
        }
        ConcurrentHashMap<Integer, Throwable> failures = new ConcurrentHashMap<>();
        Thread[] cores = new Thread[4];
        for (int core = 0; core < cores.length; core++) {
            int index = core;
            cores[core] = new Thread(() -> {
                try {
                    serveAtRandom(index, new Random(seed + index));
                } catch (Throwable e) {
                    failures.put(index, e);
                }
            });
            cores[core].start();
        }
        for (Thread core : cores) {
            core.join();
        }
        assertThat(failures).as("seed %s", seed).isEmpty();
    }

    private void serveAtRandom(int index, Random random) throws IOException {
        FileCache.Seat seat = cache.seat(index);
        RequestPath path = new RequestPath(64);
        FileEntry pinned = null;
        for (int round = 0; round < 5_000; round++) {
            int file = random.nextInt(32);
            byte[] raw = ("/f" + file).getBytes(StandardCharsets.US_ASCII);
            FileEntry entry = seat.find(raw, 0, raw.length, round);
            if (entry == null) {
                assertThat(path.set(raw, 0, raw.length)).isTrue();
                entry = seat.load(path, round, false);
            }
            check(file, entry);
            if (pinned == null && random.nextInt(4) == 0) {
                seat.pin(entry);
                pinned = entry;
            }
            seat.release(entry);
            if (pinned != null && random.nextInt(4) == 0) {
                String body = text(pinned);
                assertThat(body).startsWith("HTTP/1.1 ");
                cache.unpin(pinned);
                pinned = null;
            }
            if (index == 0 && random.nextInt(50) == 0) {
                Path target = root.resolve("f" + random.nextInt(30));
                Path next = Files.copy(target, temp.resolve("next"), StandardCopyOption.REPLACE_EXISTING);
                Files.move(next, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        if (pinned != null) {
            cache.unpin(pinned);
        }
    }

    private static void check(int file, FileEntry entry) {
        if (file >= 30) {
            assertThat(entry.response().status()).isEqualTo(404);
            return;
        }
        assertThat(entry.response().status()).isEqualTo(200);
        int length = 500 + file * 60;
        if (entry.file() != null) {
            assertThat(entry.fileBytes()).isEqualTo(length);
            return;
        }
        ByteBuffer body = entry.response().body();
        assertThat(body.remaining()).isEqualTo(length);
        while (body.hasRemaining()) {
            if (body.get() != 'a' + file % 26) {
                throw new AssertionError("body of f" + file + " is not its own");
            }
        }
    }

    // Helpers.
}
