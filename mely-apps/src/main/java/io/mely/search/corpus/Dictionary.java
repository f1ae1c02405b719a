// SPDX-License-Identifier: Apache-2.0
package io.mely.search.corpus;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * A dictionary in dictd's format: lines of headword, offset and length, and the entries' text.
 *
 * <p>An entry with several headwords is one page, by the first of them; the others are part of its text. <b>Bounds.</b> The text is held in memory, uncompressed.
 */
final class Dictionary implements Corpus {
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /** Longest number: five digits of six bits fit into an int. */
    private static final int NUMBER_DIGITS_MAX = 5;

    private final byte[] text;
    private final List<Entry> entries;

    private record Entry(List<String> headwords, int offset, int length) {}

    private Dictionary(byte[] text, List<Entry> entries) {
        this.text = text;
        this.entries = entries;
    }

    static Dictionary open(Path index) throws IOException {
        String name = index.getFileName().toString();
        String base = name.substring(0, name.length() - ".index".length());
        Path compressed = index.resolveSibling(base + ".dict.dz");
        byte[] text;
        if (Files.exists(compressed)) {
            try (InputStream in = new GZIPInputStream(Files.newInputStream(compressed), 1 << 16)) {
                text = in.readAllBytes();
            }
        } else {
            text = Files.readAllBytes(index.resolveSibling(base + ".dict"));
        }
        return new Dictionary(text, entries(index, text.length));
    }

    private static List<Entry> entries(Path index, int textBytes) throws IOException {
        Map<Long, Entry> byPlace = new HashMap<>();
        List<Entry> entries = new ArrayList<>();
        int number = 0;
        for (String line : new String(Files.readAllBytes(index), StandardCharsets.UTF_8).split("\n", -1)) {
            number++;
            if (line.isEmpty() || line.startsWith("00")) { // what the dictionary says of itself
                continue;
            }
            String[] fields = line.split("\t", -1);
            int offset = fields.length < 3 ? -1 : number(fields[1]);
            int length = fields.length < 3 ? -1 : number(fields[2]);
            if (offset < 0 || length < 0 || (long) offset + length > textBytes) {
                throw new IOException(index + ":" + number + ": no entry of the dictionary");
            }
            Entry fresh = new Entry(new ArrayList<>(), offset, length);
            Entry known = byPlace.putIfAbsent((long) offset << 32 | length, fresh);
            if (known == null) {
                entries.add(fresh);
            }
            (known == null ? fresh : known).headwords().add(fields[0]);
        }
        return entries;
    }

    /** A number to the base 64; -1 if it is none. */
    private static int number(String digits) {
        int number = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = DIGITS.indexOf(digits.charAt(i));
            if (digit < 0 || digits.length() > NUMBER_DIGITS_MAX) {
                return -1;
            }
            number = number << 6 | digit;
        }
        return digits.isEmpty() ? -1 : number;
    }

    @Override
    public void sources(Sink sink) throws IOException {
        for (Entry entry : entries) {
            sink.take(() -> page(entry));
        }
    }

    private Page page(Entry entry) {
        String body = new String(text, entry.offset(), entry.length(), StandardCharsets.UTF_8);
        List<String> words = entry.headwords();
        String others = words.size() == 1 ? "" : String.join(", ", words.subList(1, words.size())) + "\n";
        return new Page(words.get(0), "", others + body.strip());
    }
}
