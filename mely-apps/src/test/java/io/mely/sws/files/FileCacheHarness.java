// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.http.ErrorResponses;
import io.mely.sws.http.HttpDate;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.ServerFields;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A cache of a folder of its own, by clocks that the test sets. Whatever a test does, all that the cache took is given back at its end. */
abstract class FileCacheHarness {
    static final long INTERVAL_NS = 1_000;
    static final long BUDGET = 64 << 10;

    @TempDir
    Path temp;

    Path root;
    FileCache cache;
    long nowNs;
    long nativeBytesMax = Long.MAX_VALUE;

    /** Far in the future, so that no file counts as changed just now unless a test says so. */
    long wallMs = System.currentTimeMillis() + 1_000_000;

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

    FileCache newCache(FileCache.Limits limits, boolean isListing, boolean isHiddenServed, boolean areLinks) {
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
                        ServerFields.of("SWS"),
                        Gzip.OFF,
                        Set.of(),
                        FileRules.NONE),
                limits,
                new NativeMemory(nativeBytesMax),
                new ErrorResponses(ServerFields.of("SWS")),
                4,
                () -> wallMs,
                work -> CompletableFuture.runAsync(work, Runnable::run));
    }

    void write(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    String get(String rawPath) {
        FileCache.Seat seat = cache.seat(0);
        FileEntry entry = acquire(seat, rawPath);
        try {
            return text(entry);
        } finally {
            seat.release(entry);
        }
    }

    FileEntry entry(String rawPath) {
        FileCache.Seat seat = cache.seat(0);
        FileEntry entry = acquire(seat, rawPath);
        seat.release(entry);
        return entry;
    }

    FileEntry acquire(FileCache.Seat seat, String rawPath) {
        byte[] raw = rawPath.getBytes(StandardCharsets.US_ASCII);
        FileEntry entry = rawPath.contains("%") ? null : seat.find(raw, 0, raw.length, nowNs);
        if (entry == null) {
            RequestPath path = new RequestPath(64);
            assertThat(path.set(raw, 0, raw.length)).isTrue();
            entry = seat.find(path.bytes(), 0, path.length(), nowNs);
            return entry == null ? whole(seat, seat.load(path, nowNs, false)) : entry;
        }
        return entry;
    }

    /** A list of files is made in steps. */
    private FileEntry whole(FileCache.Seat seat, FileEntry loaded) {
        FolderListing listing = loaded.listing();
        if (listing == null) {
            return loaded;
        }
        seat.release(loaded);
        FileEntry entry = seat.step(listing, nowNs);
        while (entry == null) {
            entry = seat.step(listing, nowNs);
        }
        return entry;
    }

    static String text(FileEntry entry) {
        ByteBuffer out = ByteBuffer.allocate(1 << 20);
        entry.response().appendAll(out, new byte[HttpDate.BYTES], PreparedResponse.Option.NONE);
        return new String(out.array(), 0, out.position(), StandardCharsets.UTF_8);
    }
}
