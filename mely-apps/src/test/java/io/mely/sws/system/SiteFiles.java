// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Folders to serve, the same ones each time. */
final class SiteFiles {
    /** A file and the path that a client asks for. */
    record Page(String path, byte[] content) {}

    private static final int SEED = 20261121;

    private SiteFiles() {}

    /** 1,000 files of 1 KB, the papers' data set. */
    static List<Page> thousand(Path root) throws IOException {
        List<Page> pages = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            pages.add(write(root, "file" + i + ".html", 1_024, i));
        }
        return pages;
    }

    /** Some hundred files of the kinds that a documentation folder has: nested, with odd names, empty to 5 MB. */
    static List<Page> mixed(Path root) throws IOException {
        List<Page> pages = new ArrayList<>();
        int[] sizes = {0, 1, 2, 1_023, 1_024, 1_025, 4_096, 16_383, 65_535, 65_536, 65_537, 200_000, 1 << 20};
        String[] folders = {
            "", "doc/", "doc/html/", "doc/html/api v2/", "\u00fcbung/", "a/b/c/d/e/f/g/", "dots.in.name/"
        };
        String[] endings = {".html", ".css", ".js", ".png", ".txt", ".tar.gz", ".svg", "", ".UNKNOWN"};
        int number = 0;
        for (String folder : folders) {
            for (String ending : endings) {
                for (int j = 0; j < 4; j++) {
                    int size = sizes[number % sizes.length];
                    pages.add(write(root, folder + "file" + number + ending, size, number));
                    number++;
                }
            }
            pages.add(write(root, folder + "index.html", 700 + number, number));
        }
        String[] odd = {
            "with space.html",
            " leading and trailing ",
            "\u6771\u4eac.html",
            "\ud83d\ude00.txt",
            "percent%20literal.txt",
            "plus+and&amp;.txt",
            "semi;colon,comma.txt",
            "question?mark.txt",
            "hash#tag.txt",
            "quote'\".txt",
            "brackets[1]{2}(3)<4>.txt",
            "tilde~user@host:80=x!$*.txt",
            "..two-dots",
            "trailing.",
            "three...dots.html",
            "\u0065\u0301combining.txt"
        };
        for (String name : odd) {
            if (!name.startsWith(".")) {
                pages.add(write(root, "odd/" + name, 100 + number, number++));
            }
        }
        pages.add(write(root, "large.bin", 5_000_000, number));
        return pages;
    }

    /** Writes one file of bytes that depend on the number alone. */
    static Page write(Path root, String name, int bytes, int number) throws IOException {
        byte[] content = new byte[bytes];
        new Random(SEED + number).nextBytes(content);
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        return new Page("/" + encode(name), content);
    }

    /** Percent-encodes a path as browsers do: everything but unreserved letters and slashes. */
    static String encode(String path) {
        StringBuilder encoded = new StringBuilder();
        for (byte octet : path.getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (octet & 0xff);
            boolean isPlain = letter < 0x80 && (Character.isLetterOrDigit(letter) || "/-._~".indexOf(letter) >= 0);
            encoded.append(isPlain ? String.valueOf(letter) : String.format("%%%02X", (int) letter));
        }
        return encoded.toString();
    }
}
