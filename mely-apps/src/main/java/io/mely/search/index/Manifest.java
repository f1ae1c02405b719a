// SPDX-License-Identifier: Apache-2.0
package io.mely.search.index;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/**
 * What a generation of an index consists of: the version of its format, and each file with its length and checksum.
 *
 * <pre>
 *   mely-search 1
 *   147306 pages
 *   91b1c4f0 1048576 pages/_0.cfs
 *   ...
 *   5a0f12cc
 * </pre>
 *
 * <p>The last line is the checksum of those before it.
 */
final class Manifest {
    static final String NAME = "manifest";
    private static final String VERSION = "mely-search 1";
    private static final int BUFFER_BYTES = 1 << 16;

    private Manifest() {}

    /** Writes that of a folder which is complete. */
    static void write(Path generation, int pages) throws IOException {
        StringBuilder text =
                new StringBuilder(VERSION).append('\n').append(pages).append(" pages\n");
        files(generation).forEach((name, file) -> text.append(line(name, file)).append('\n'));
        text.append(hex(checksum(text))).append('\n');
        Files.writeString(generation.resolve(NAME), text);
    }

    /**
     * Checks a folder against its manifest, by reading all of it.
     *
     * @return how many pages it has
     */
    static int check(Path generation) throws IOException {
        String text;
        try {
            text = Files.readString(generation.resolve(NAME));
        } catch (NoSuchFileException e) {
            throw new DamagedIndexException("no manifest: " + generation);
        } catch (java.nio.charset.CharacterCodingException e) {
            throw new DamagedIndexException("the manifest is damaged: " + generation);
        }
        List<String> lines = text.lines().toList();
        if (!lines.isEmpty() && !lines.get(0).equals(VERSION) && lines.get(0).startsWith("mely-search ")) {
            throw new DamagedIndexException(
                    "made by another version, index it anew: " + generation + ": " + lines.get(0));
        }
        int last = lines.size() - 1;
        if (last < 2
                || !text.endsWith("\n")
                || !lines.get(last).equals(hex(checksum(String.join("\n", lines.subList(0, last)) + "\n")))) {
            throw new DamagedIndexException("the manifest is damaged: " + generation);
        }
        Map<String, Path> files = files(generation);
        for (String line : lines.subList(2, last)) {
            String name = line.substring(line.lastIndexOf(' ') + 1);
            Path file = files.remove(name);
            if (file == null) {
                throw new DamagedIndexException("a file is missing: " + generation.resolve(name));
            }
            if (!line(name, file).equals(line)) {
                throw new DamagedIndexException("a file was changed: " + file);
            }
        }
        if (!files.isEmpty()) {
            throw new DamagedIndexException(
                    "not a file of the index: " + files.values().iterator().next());
        }
        return Integer.parseInt(lines.get(1).substring(0, lines.get(1).indexOf(' ')));
    }

    /** All but the manifest, by their names, which have no spaces. */
    private static Map<String, Path> files(Path generation) throws IOException {
        Map<String, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(generation)) {
            all.filter(Files::isRegularFile).forEach(file -> {
                String name = generation.relativize(file).toString();
                if (!name.equals(NAME)) {
                    files.put(name, file);
                }
            });
        }
        return files;
    }

    private static String line(String name, Path file) {
        CRC32C sum = new CRC32C();
        long bytes = 0;
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = new CheckedInputStream(Files.newInputStream(file), sum)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                bytes += n;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return hex(sum.getValue()) + " " + bytes + " " + name;
    }

    private static long checksum(CharSequence text) {
        CRC32C sum = new CRC32C();
        sum.update(text.toString().getBytes(StandardCharsets.UTF_8));
        return sum.getValue();
    }

    private static String hex(long checksum) {
        return String.format("%08x", checksum);
    }
}
