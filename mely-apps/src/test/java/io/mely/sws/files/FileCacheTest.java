// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.sws.http.ErrorResponses;
import io.mely.sws.http.HttpDate;
import io.mely.sws.http.PreparedResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Properties: the answer is what the folder holds, no older than the interval; memory stays in its budget and is all given back;
 * no link leads out.
 */
class FileCacheTest {
    private static final long INTERVAL_NS = 1_000;
    private static final long BUDGET = 64 << 10;

    @TempDir
    Path temp;

    private Path root;
    private FileCache cache;
    private long nowNs;
    private long nativeBytesMax = Long.MAX_VALUE;

    /** Far in the future, so that no file counts as changed just now unless a test says so. */
    private long wallMs = System.currentTimeMillis() + 1_000_000;

    @BeforeEach
    void makeFolder() throws IOException {
        root = Files.createDirectories(temp.resolve("root"));
        Files.writeString(temp.resolve("secret.txt"), "secret");
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), false, false, true);
    }

    @AfterEach
    void everythingIsGivenBack() {
        cache.close();
        assertThat(cache.memoryBytes()).isZero();
        assertThat(cache.openFiles()).isZero();
    }

    private FileCache newCache(FileCache.Limits limits, boolean isListing, boolean isHiddenServed, boolean areLinks) {
        if (cache != null) {
            cache.close();
        }
        return new FileCache(
                new FileCache.Rules(
                        root,
                        List.of("index.html", "index.htm"),
                        isListing,
                        isHiddenServed,
                        areLinks,
                        List.of(),
                        List.of(),
                        "SWS",
                        Gzip.OFF,
                        Set.of()),
                limits,
                new NativeMemory(nativeBytesMax),
                new ErrorResponses("SWS"),
                4,
                () -> wallMs,
                work -> CompletableFuture.runAsync(work, Runnable::run));
    }

    // What is served.

    @Test
    void load_file_hasHeadAndBody() throws IOException {
        write("a.html", "hello");
        Files.setLastModifiedTime(root.resolve("a.html"), FileTime.from(Instant.ofEpochSecond(784_111_777, 5)));
        assertThat(get("/a.html"))
                .startsWith("HTTP/1.1 200 OK\r\nDate: ")
                .contains(
                        "\r\nServer: SWS\r\n",
                        "\r\nContent-Type: text/html; charset=utf-8\r\n",
                        "\r\nContent-Length: 5\r\n")
                .contains("\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "\r\nETag: \"")
                .endsWith("\r\n\r\nhello");
    }

    // The largest date that 64 bits of nanoseconds hold is in April 2262; Java can't set a later one.
    @Test
    void load_datedInTheFarFuture() throws Exception {
        write("a", "hello");
        Path file = root.resolve("a");
        new ProcessBuilder("touch", "-d", "@10413792000.000005", file.toString())
                .start()
                .waitFor();
        Instant year2300 = Instant.ofEpochSecond(10_413_792_000L, 5_000);
        assumeTrue(Files.getLastModifiedTime(file).toInstant().equals(year2300), "the file system has no such dates");
        FileEntry first = entry("/a");
        assertThat(text(first)).startsWith("HTTP/1.1 200 ");
        nowNs += INTERVAL_NS;
        assertThat(entry("/a")).isSameAs(first);
    }

    @Test
    void load_emptyFile() throws IOException {
        write("empty", "");
        assertThat(get("/empty")).contains("Content-Length: 0\r\n").endsWith("\r\n\r\n");
    }

    @Test
    void load_names_ofAllKinds() throws IOException {
        for (String name : List.of(
                "é€😀.txt", "a b.txt", "100%.txt", "a+b&c=d;e.txt", "q?x.txt", "#.txt", "'\"<>.txt", "a\u200bb")) {
            write(name, name);
            String path = "/" + UriText.encode(name);
            assertThat(get(path)).as(path).endsWith("\r\n\r\n" + name);
        }
    }

    @Test
    void load_folder() throws IOException {
        write("with/index.html", "first");
        write("with/index.htm", "second");
        write("with2/index.htm", "second");
        Files.createDirectories(root.resolve("without"));
        Files.createDirectories(root.resolve("odd/index.html"));
        assertThat(get("/with/")).endsWith("first");
        assertThat(get("/with2/")).endsWith("second");
        assertThat(get("/without/")).startsWith("HTTP/1.1 404 ");
        assertThat(get("/odd/")).startsWith("HTTP/1.1 404 ");
        assertThat(get("/")).startsWith("HTTP/1.1 404 ");
        assertThat(get("/with")).startsWith("HTTP/1.1 301 ").contains("\r\nLocation: /with/\r\n");
        assertThat(get("//with")).contains("\r\nLocation: /with/\r\n");
        assertThat(get("/with/index.html")).endsWith("first");
        assertThat(get("/with/index.html/")).startsWith("HTTP/1.1 404 ");
        assertThat(get("/with/index.html/x")).startsWith("HTTP/1.1 404 ");
    }

    @Test
    void redirect_neverLeavesTheSite() throws IOException {
        Files.createDirectories(root.resolve("evil.example"));
        Files.createDirectories(root.resolve("a\nb"));
        Files.createDirectories(root.resolve("ä"));
        assertThat(get("//evil.example")).contains("\r\nLocation: /evil.example/\r\n");
        assertThat(get("/%2f%2fevil.example")).contains("\r\nLocation: /evil.example/\r\n");
        assertThat(get("/%C3%A4")).contains("\r\nLocation: /%C3%A4/\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/missing", "/missing/x", "/.hidden", "/dir/.git/config", "/fifo"})
    void load_whatIsNotServed_is404(String path) throws Exception {
        write(".hidden", "x");
        write("dir/.git/config", "x");
        new ProcessBuilder("mkfifo", root.resolve("fifo").toString()).start().waitFor();
        assertThat(get(path)).startsWith("HTTP/1.1 404 ");
    }

    @Test
    void load_nameTooLong_is404() {
        assertThat(get("/" + "a".repeat(300))).startsWith("HTTP/1.1 404 ");
        assertThat(get("/a".repeat(3000))).startsWith("HTTP/1.1 404 ");
    }

    @Test
    void load_unreadable_is403() throws IOException {
        write("private", "x");
        Files.setPosixFilePermissions(root.resolve("private"), PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(root.resolve("private")), "root reads everything");
        assertThat(get("/private")).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void load_hidden_ifAllowed() throws IOException {
        write(".hidden", "x");
        write(".well-known/acme", "y");
        assertThat(get("/.well-known/acme")).endsWith("\r\n\r\ny");
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), false, true, true);
        assertThat(get("/.hidden")).endsWith("\r\n\r\nx");
    }

    @Test
    void load_listing_escapesNames() throws IOException {
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), true, false, true);
        write("dir/<script>&\"'.txt", "x");
        write("dir/é 100%?#.txt", "xyz");
        write("dir/sub/x", "x");
        write("dir/.hidden", "x");
        Files.createSymbolicLink(root.resolve("dir/outside"), temp.resolve("secret.txt"));
        Files.createSymbolicLink(root.resolve("dir/nowhere"), temp.resolve("nothing"));
        assertThat(get("/dir/"))
                .contains("Index of /dir/", "&lt;script&gt;&amp;&quot;&#39;.txt</a>", "href=\"./sub/\"")
                .contains("href=\"./%C3%A9%20100%25%3F%23.txt\"", ">é 100%?#.txt</a></td><td>3</td>")
                .doesNotContain("<script>", ".hidden", "outside", "nowhere");
        assertThat(get("/")).contains("href=\"./dir/\"").doesNotContain("../");
    }

    // Links.

    @Test
    void load_links_stayInside() throws IOException {
        write("a.txt", "inside");
        write("dir/b.txt", "inside");
        Files.createSymbolicLink(root.resolve("toFile"), Path.of("a.txt"));
        Files.createSymbolicLink(root.resolve("toFolder"), root.resolve("dir"));
        Files.createSymbolicLink(root.resolve("chain"), Path.of("toFolder/b.txt"));
        Files.createSymbolicLink(root.resolve("upAndBack"), Path.of("../root/a.txt"));
        Files.createSymbolicLink(root.resolve("outside"), temp.resolve("secret.txt"));
        Files.createSymbolicLink(root.resolve("relative"), Path.of("../secret.txt"));
        Files.createSymbolicLink(root.resolve("dirOutside"), temp);
        Files.createSymbolicLink(root.resolve("passwd"), Path.of("/etc/passwd"));
        Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
        Files.createDirectories(root.resolve("indexed"));
        Files.createSymbolicLink(root.resolve("indexed/index.html"), temp.resolve("secret.txt"));
        for (String path : List.of("/toFile", "/toFolder/b.txt", "/chain", "/upAndBack")) {
            assertThat(get(path)).as(path).endsWith("\r\n\r\ninside");
        }
        for (String path : List.of(
                "/outside",
                "/relative",
                "/dirOutside/secret.txt",
                "/dirOutside",
                "/dirOutside/",
                "/passwd",
                "/loop",
                "/indexed/")) {
            assertThat(get(path)).as(path).startsWith("HTTP/1.1 404 ").doesNotContain("secret");
        }
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), false, false, false);
        for (String path : List.of("/toFile", "/toFolder/b.txt", "/chain", "/outside")) {
            assertThat(get(path)).as(path).startsWith("HTTP/1.1 404 ");
        }
        assertThat(get("/a.txt")).endsWith("inside");
    }

    @Test
    void load_rootIsALink_thatIsSwitched() throws IOException {
        Path v1 = Files.createDirectories(temp.resolve("v1"));
        Path v2 = Files.createDirectories(temp.resolve("v2"));
        Files.writeString(v1.resolve("a"), "one");
        Files.writeString(v2.resolve("a"), "two");
        root = Files.createSymbolicLink(temp.resolve("current"), v1);
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), false, false, false);
        assertThat(get("/a")).endsWith("one");
        Path next = Files.createSymbolicLink(temp.resolve("next"), v2);
        Files.move(next, root, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        nowNs += INTERVAL_NS;
        assertThat(get("/a")).endsWith("two");
    }

    // What is in the cache stays what it was, but the way to it leads outside now: so it is not served any more.
    @ParameterizedTest
    @ValueSource(strings = {"/a/small", "/a/large", "/a/folder"})
    void find_folderMovedOutside_linkInItsPlace_is404(String path) throws IOException {
        write("a/small", "x");
        write("a/large", "x".repeat(5000));
        Files.createDirectories(root.resolve("a/folder"));
        assertThat(entry(path).response().status()).isIn(200, 301);
        Files.move(root.resolve("a"), temp.resolve("outside_a"));
        Files.createSymbolicLink(root.resolve("a"), temp.resolve("outside_a"));
        nowNs += INTERVAL_NS;
        assertThat(get(path)).startsWith("HTTP/1.1 404 ");
    }

    @Test
    void find_movedInside_linkInItsPlace_isServedIfLinksAre() throws IOException {
        write("a/x", "x");
        for (boolean areLinks : new boolean[] {true, false}) {
            cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), false, false, areLinks);
            assertThat(get("/a/x")).endsWith("\r\n\r\nx");
            Files.move(root.resolve("a"), root.resolve("b"));
            Files.createSymbolicLink(root.resolve("a"), Path.of("b"));
            nowNs += INTERVAL_NS;
            assertThat(get("/a/x")).startsWith(areLinks ? "HTTP/1.1 200 " : "HTTP/1.1 404 ");
            Files.delete(root.resolve("a"));
            Files.move(root.resolve("b"), root.resolve("a"));
            nowNs += INTERVAL_NS;
        }
    }

    /** The race that a check before an open loses: a link swapped between inside and outside as fast as the machine can. */
    @Test
    void load_linksSwappedAllTheTime_neverShowTheOutside() throws Exception {
        write("inside/x.txt", "inside");
        Path outside = Files.createDirectories(temp.resolve("outside"));
        Files.writeString(outside.resolve("x.txt"), "secret");
        Path dir = root.resolve("dir");
        Path file = root.resolve("file");
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, 0), false, false, true);
        AtomicBoolean isStopped = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread swapper = new Thread(() -> {
            try {
                for (int i = 0; !isStopped.get(); i++) {
                    swap(dir, i % 2 == 0 ? outside : Path.of("inside"));
                    swap(file, i % 2 == 0 ? outside.resolve("x.txt") : Path.of("inside/x.txt"));
                }
            } catch (IOException e) {
                failure.set(e);
            }
        });
        swapper.start();
        int served = 0;
        long deadline = System.nanoTime() + 1_500_000_000L;
        while (System.nanoTime() < deadline) {
            for (String path : List.of("/dir/x.txt", "/file")) {
                String answer = get(path);
                assertThat(answer).doesNotContain("secret");
                served += answer.endsWith("inside") ? 1 : 0;
            }
        }
        isStopped.set(true);
        swapper.join();
        assertThat(failure.get()).isNull();
        assertThat(served).isPositive();
    }

    private static void swap(Path link, Path target) throws IOException {
        Path next = link.resolveSibling(link.getFileName() + ".next");
        Files.deleteIfExists(next);
        Files.createSymbolicLink(next, target);
        Files.move(next, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

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

    private void write(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private String get(String rawPath) {
        FileCache.Seat seat = cache.seat(0);
        FileEntry entry = acquire(seat, rawPath);
        try {
            return text(entry);
        } finally {
            seat.release(entry);
        }
    }

    private FileEntry entry(String rawPath) {
        FileCache.Seat seat = cache.seat(0);
        FileEntry entry = acquire(seat, rawPath);
        seat.release(entry);
        return entry;
    }

    private FileEntry acquire(FileCache.Seat seat, String rawPath) {
        byte[] raw = rawPath.getBytes(StandardCharsets.US_ASCII);
        FileEntry entry = rawPath.contains("%") ? null : seat.find(raw, 0, raw.length, nowNs);
        if (entry == null) {
            RequestPath path = new RequestPath(64);
            assertThat(path.set(raw, 0, raw.length)).isTrue();
            entry = seat.find(path.bytes(), 0, path.length(), nowNs);
            return entry == null ? seat.load(path, nowNs, false) : entry;
        }
        return entry;
    }

    private static String text(FileEntry entry) {
        ByteBuffer out = ByteBuffer.allocate(1 << 20);
        entry.response().appendAll(out, new byte[HttpDate.BYTES], PreparedResponse.Option.NONE);
        return new String(out.array(), 0, out.position(), StandardCharsets.UTF_8);
    }
}
