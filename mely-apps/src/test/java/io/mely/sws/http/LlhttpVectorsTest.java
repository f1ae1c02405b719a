// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The documented vectors of llhttp, {@code llhttp.txt}: a parser that others trust to be strict. Property: SWS reads them as it does, or says
 * in the table why not.
 */
class LlhttpVectorsTest {
    private static final String REFUSES = "refuses";
    private static final Pattern ESCAPED = Pattern.compile("\\\\x([0-9a-f]{2})|\\\\r|\\\\n|~");

    record Vector(String name, String theirs, String ours, String request, String reason) {
        static Vector of(String line) {
            String[] parts = line.split("\\|", -1);
            assertThat(parts).as(line).hasSize(5);
            return new Vector(
                    parts[0].strip(),
                    parts[1].strip(),
                    parts[2].strip(),
                    parts[3].substring(1, parts[3].length() - 1),
                    parts[4].strip());
        }

        byte[] bytes() {
            String text = ESCAPED.matcher(request).replaceAll(escape -> switch (escape.group()) {
                case "~" -> "\r\n";
                case "\\r" -> "\r";
                case "\\n" -> "\n";
                default ->
                    java.util.regex.Matcher.quoteReplacement(
                            String.valueOf((char) Integer.parseInt(escape.group(1), 16)));
            });
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Vector> vectors() {
        try (InputStream table = LlhttpVectorsTest.class.getResourceAsStream("llhttp.txt")) {
            return new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines().filter(line -> !line.isBlank() && !line.startsWith("#")).map(Vector::of).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void vector_isReadAsTheTableSays(Vector vector) {
        byte[] request = vector.bytes();
        List<String> whole = StreamReading.read(request, null);
        assertThat(verdict(whole)).as(whole.toString()).isEqualTo(vector.ours);
        assertThat(StreamReading.read(request, new SplittableRandom(1))).isEqualTo(whole);
        assertThat(vector.reason.isEmpty()).isEqualTo(vector.ours.equals(vector.theirs));
    }

    private static String verdict(List<String> read) {
        String last = read.get(read.size() - 1);
        if (last.equals(StreamReading.REFUSED)) {
            return REFUSES;
        }
        if (last.equals(StreamReading.INCOMPLETE)) {
            return "waits";
        }
        return String.valueOf(
                read.stream().filter(each -> !each.startsWith("body until")).count());
    }

    /** Property: what frames a request has no exception: no body or field that llhttp refuses is accepted. */
    @Test
    void framing_isAtLeastAsStrict() {
        List<Vector> framing = vectors()
                .filter(each -> each.name.startsWith("content-length") || each.name.startsWith("transfer-encoding"))
                .toList();
        assertThat(framing).hasSizeGreaterThan(30);
        assertThat(framing).filteredOn(each -> each.theirs.equals(REFUSES)).allMatch(each -> each.ours.equals(REFUSES));
    }
}
