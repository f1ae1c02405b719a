// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties: the answer is what the folder holds, and no link leads out. */
class FileLoadTest extends FileCacheHarness {
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
        assertThat(get("/with")).startsWith("HTTP/1.1 301 ").contains("\r\nLocation: with/\r\n");
        assertThat(get("//with")).contains("\r\nLocation: with/\r\n");
        assertThat(get("/with/index.html")).endsWith("first");
        assertThat(get("/with/index.html/")).startsWith("HTTP/1.1 404 ");
        assertThat(get("/with/index.html/x")).startsWith("HTTP/1.1 404 ");
    }

    @Test
    void redirect_neverLeavesTheSite() throws IOException {
        Files.createDirectories(root.resolve("evil.example"));
        Files.createDirectories(root.resolve("a\nb"));
        Files.createDirectories(root.resolve("ä"));
        assertThat(get("//evil.example")).contains("\r\nLocation: evil.example/\r\n");
        assertThat(get("/%2f%2fevil.example")).contains("\r\nLocation: evil.example/\r\n");
        assertThat(get("/%C3%A4")).contains("\r\nLocation: %C3%A4/\r\n");
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

    // Every name of a list is one that a request can have; none turns what follows it around.
    @Test
    void load_listing_namesWhatCanBeAskedFor() throws IOException {
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), true, false, true);
        write("dir/back\\slash", "x");
        write("dir/control\u0001", "x");
        write("dir/fine\u202egpj.exe", "x");
        Files.createFile(Path.of(URI.create("file://" + root.toUri().getRawPath() + "dir/%FF%FE")));
        assertThat(get("/dir/"))
                .contains("href=\"./fine%E2%80%AEgpj.exe\"", ">fine\ufffdgpj.exe</a>")
                .doesNotContain("slash", "control", "%FF");
    }

    // A long list is made in steps, and gives back what it holds when it is given up in between.
    @Test
    void load_listing_isMadeInSteps() throws IOException {
        cache = newCache(new FileCache.Limits(BUDGET, 4096, 2, 8, INTERVAL_NS), true, false, true);
        for (int i = 0; i < 3 * FolderListing.NAMES_PER_STEP; i++) {
            write("dir/" + i, "");
        }
        FileCache.Seat seat = cache.seat(0);
        RequestPath path = new RequestPath(64);
        byte[] raw = "/dir/".getBytes(StandardCharsets.US_ASCII);
        assertThat(path.set(raw, 0, raw.length)).isTrue();
        FileEntry begun = seat.load(path, nowNs, false);
        FolderListing listing = begun.listing();
        seat.release(begun);
        int steps = 1;
        while (cache.memoryBytes() == 0) {
            assertThat(seat.step(listing, nowNs)).isNull();
            steps++;
        }
        assertThat(steps).isGreaterThanOrEqualTo(6);
        listing.close();
        assertThat(cache.memoryBytes()).isZero();
        assertThat(get("/dir/").lines().filter(line -> line.contains("href=\"./")))
                .hasSize(3 * FolderListing.NAMES_PER_STEP);
    }

    // Lists pay for their names from one budget, and give back what they took.
    @Test
    void heapBudget_isGivenBack() {
        HeapBudget heap = new HeapBudget(10);
        assertThat(heap.take(6)).isTrue();
        assertThat(heap.take(5)).isFalse();
        assertThat(heap.take(4)).isTrue();
        heap.giveBack(10);
        assertThat(heap.take(10)).isTrue();
    }

    // Links.

    // Where nobody may look, only what lies inside is told of.
    @Test
    void opener_knowsWhatLiesInside() throws IOException {
        write("dir/a", "x");
        Files.createSymbolicLink(root.resolve("in"), Path.of("dir"));
        Files.createSymbolicLink(root.resolve("out"), temp);
        SafeOpener opener = new SafeOpener(root, true, FileRules.NONE.withheld());
        for (String path : List.of("dir/a", "dir/none", "in/a", "in/none", "none/at/all")) {
            assertThat(opener.isInside(root.resolve(path))).as(path).isTrue();
        }
        assertThat(opener.isInside(root.resolve("out"))).isFalse();
        assertThat(opener.isInside(root.resolve("out/secret.txt"))).isFalse();
        assertThat(opener.isInside(root.resolve("out/none"))).isFalse();
    }

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
}
