// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files that a server must serve to be judged: {@code root/}, with a secret beside it that nobody may see.
 *
 * <p>All are dated 2020-01-01 00:00:00 UTC, but {@code future.txt}.
 */
final class TestSite {
    /** Must never be sent. */
    static final String SECRET = "TOP-SECRET";

    /** The root, below the folder given. */
    static final String ROOT = "root";

    private static final FileTime CHANGED = FileTime.from(Instant.parse("2020-01-01T00:00:00Z"));
    private static final FileTime FUTURE = FileTime.from(Instant.parse("2100-01-01T00:00:00Z"));

    private static final Map<String, byte[]> FILES = new LinkedHashMap<>();

    static {
        text("hello.txt", "hello");
        text("page.html", "<!DOCTYPE html><title>page</title>");
        text("style.css", "a { color: red }");
        text("data.json", "{}");
        text("picture.png", "not really");
        text("script.js", "0");
        text("noextension", "what");
        text("empty.txt", "");
        text("with%20space.txt", "space");
        text("per%25cent.txt", "percent");
        text("pl+us.txt", "plus");
        text("%C3%BC.txt", "umlaut");
        text("future.txt", "future");
        text("dir/index.html", "index of dir");
        text("dir/sub/file.txt", "deep");
        text("evil.example/sub/file.txt", "deep");
        text(".hidden", SECRET);
        text(".git/config", SECRET);
        FILES.put("kilo.bin", pattern(1000));
        FILES.put("large.bin", pattern(300_000));
    }

    private TestSite() {}

    private static void text(String name, String content) {
        FILES.put(name, content.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) ('a' + (i * 7 + i / 26) % 26);
        }
        return bytes;
    }

    /** The content of a file by its path in a request, or null. */
    static byte @Nullable [] content(String path) {
        return FILES.get(path.substring(1));
    }

    /**
     * Writes the site.
     *
     * @param folder gets a folder {@code root} and a file beside it
     * @return the root
     */
    static Path write(Path folder) throws IOException {
        Path root = Files.createDirectories(folder.resolve(ROOT)).toRealPath();
        Files.writeString(folder.resolve("secret.txt"), SECRET);
        for (Map.Entry<String, byte[]> file : FILES.entrySet()) {
            Path path = Path.of(URI.create(root.toUri() + file.getKey()));
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
        link(root.resolve("inside.txt"), Path.of("hello.txt"));
        link(root.resolve("outside.txt"), Path.of("../secret.txt"));
        link(root.resolve("outside"), Path.of(".."));
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(each, CHANGED);
            }
        }
        Files.setLastModifiedTime(root.resolve("future.txt"), FUTURE);
        return root;
    }

    private static void link(Path link, Path target) throws IOException {
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, target);
    }
}
