// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mely.sws.files.RequestPath;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What comes from clients, by Jazzer, which looks for inputs that reach new code. {@code mvn verify} runs the inputs below and those that were found
 * once; a campaign, an hour for each method: {@code mvn -Pfuzz -pl mely-apps -am test -Dtest=HttpFuzzTest#streams
 * -Dsurefire.failIfNoSpecifiedTests=false -Djacoco.skip}.
 */
class HttpFuzzTest {
    private static final int RANGES_MAX = 32;

    private static final int PATH_MAX = 200;
    private static final Pattern ENCODED = Pattern.compile("(?:[^%]++|%[0-9A-Fa-f]{2})*+", Pattern.DOTALL);
    private static final Pattern RANGE = Pattern.compile("(?i:bytes=)(\\d{1,9})-(\\d{1,9})");
    private static final long CHANGED_S = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT
    private static final String TAG = "\"x\"";

    static Stream<byte[]> streamSeeds() {
        return ParserFuzzTest.corpus().stream();
    }

    static Stream<byte[]> pathSeeds() {
        return Stream.of(
                        "/",
                        "",
                        "/a/./b//c/",
                        "/%2e%2e/a",
                        "/a%20b%c3%a4",
                        "/%zz",
                        "/a/..",
                        "/.well-known/x",
                        "/.git",
                        "/%5c")
                .map(HttpFuzzTest::bytes);
    }

    static Stream<byte[]> fieldSeeds() {
        return Stream.of(
                        "Range: bytes=0-9,20-29, -5",
                        "Range: bytes=5-2",
                        "Range: bytes=0-0\r\nIf-Range: \"x\"",
                        "If-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\nRange: bytes=1-",
                        "If-Match: \"a\", W/\"x\", *",
                        "If-None-Match: W/\"x\"\r\nIf-None-Match: \"b\"",
                        "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT",
                        "If-Unmodified-Since: Sun Nov  6 08:49:37 1994",
                        "Accept-Encoding: gzip;q=0.5, br ; q=0.001, *;q=0, identity",
                        "Accept: text/html;q=0.9, application/json, */*;q=0",
                        "Connection: close, keep-alive\r\nExpect: 100-continue")
                .map(HttpFuzzTest::bytes);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Property: those of {@link StreamReading}. */
    @MethodSource("streamSeeds")
    @FuzzTest(maxDuration = "60m")
    void streams(byte[] stream) {
        List<String> whole = StreamReading.read(stream, null);
        SplittableRandom splits = new SplittableRandom(Arrays.hashCode(stream));
        for (int i = 0; i < 2; i++) {
            assertThat(StreamReading.read(stream, splits)).isEqualTo(whole);
        }
    }

    /** Property: a path is what a plainer program makes of it, refused or not, and stays that when it is asked for again. */
    @MethodSource("pathSeeds")
    @FuzzTest(maxDuration = "60m")
    void paths(byte[] target) {
        RequestPath path = new RequestPath(PATH_MAX);
        String expected = canonical(target);
        String actual = path.set(target, 0, target.length) ? path.toString() : null;
        assertThat(actual).isEqualTo(expected);
        if (actual != null) {
            assertThat(path.isFolder()).isEqualTo(actual.endsWith("/"));
            byte[] again = bytes(Stream.of(actual.getBytes(StandardCharsets.UTF_8))
                    .flatMap(all ->
                            java.util.stream.IntStream.range(0, all.length).mapToObj(i -> all[i]))
                    .map(each -> each == '/' ? "/" : String.format(Locale.ROOT, "%%%02x", each))
                    .collect(Collectors.joining()));
            assertThat(path.set(again, 0, again.length)).isTrue();
            assertThat(path).hasToString(actual);
        }
    }

    /** Null if it is refused. */
    private static String canonical(byte[] target) {
        String text = new String(target, StandardCharsets.ISO_8859_1);
        if (!ENCODED.matcher(text).matches()) {
            return null;
        }
        ByteArrayOutputStream decoded = new ByteArrayOutputStream();
        Matcher next = Pattern.compile("%(..)|(.)", Pattern.DOTALL).matcher(text);
        while (next.find()) {
            decoded.write(
                    next.group(1) != null
                            ? Integer.parseInt(next.group(1), 16)
                            : next.group(2).charAt(0));
        }
        String path;
        try {
            path = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(decoded.toByteArray()))
                    .toString();
        } catch (CharacterCodingException notUtf8) {
            return null;
        }
        path = path.isEmpty() ? "/" : path;
        List<String> segments = List.of(path.split("/", -1));
        List<String> kept = new ArrayList<>();
        boolean isOutside = false;
        for (String segment : segments) {
            if (segment.equals("..")) {
                isOutside |= kept.isEmpty();
                kept = new ArrayList<>(kept.subList(0, Math.max(0, kept.size() - 1)));
            } else if (!segment.isEmpty() && !segment.equals(".")) {
                kept.add(segment);
            }
        }
        boolean isRefused =
                !path.startsWith("/") || isOutside || path.chars().anyMatch(c -> c < ' ' || c == 0x7f || c == '\\');
        if (isRefused) {
            return null;
        }
        String last = segments.get(segments.size() - 1);
        String names = kept.stream().map(segment -> "/" + segment).collect(Collectors.joining());
        return last.isEmpty() || last.equals(".") || last.equals("..") ? names + "/" : names;
    }

    /** Property: whatever fields a head has, its conditions have an answer, its ranges lie in the file, and a date is one. */
    @MethodSource("fieldSeeds")
    @FuzzTest(maxDuration = "60m")
    void fields(byte[] fields) {
        byte[] head =
                bytes("GET / HTTP/1.1\r\nHost: a\r\n" + new String(fields, StandardCharsets.ISO_8859_1) + "\r\n\r\n");
        HeadParser parser = new HeadParser(new HeadLimits(100, 1000, 10), new HeadFields(true, true, false, true, ""));
        if (parser.parse(head, 0, head.length) == HeadParser.DONE) {
            Conditions conditions = new Conditions(TAG, CHANGED_S, true);
            assertThat(conditions.evaluate(head, 0, parser.head())).isIn(200, 304, 412);
            for (long size : new long[] {0, 1, 1000, Long.MAX_VALUE}) {
                checkRanges(conditions.ranges(head, 0, parser.head(), size, CHANGED_S + 1, RANGES_MAX), size);
            }
            for (int available = 0; available < 8; available++) {
                Coding coding = parser.head().coding(head, 0, available);
                assertThat(coding == null || (coding.bit() & available) != 0).isTrue();
            }
            parser.head().takesHtml(head, 0);
            parser.head().prefersJson(head, 0);
        }
        checkRange(fields);
        long second = HttpDate.parse(fields, 0, fields.length);
        if (second != HttpDate.INVALID) {
            byte[] same = bytes(HttpDate.format(second));
            assertThat(HttpDate.parse(same, 0, same.length)).isEqualTo(second);
        }
    }

    private static void checkRanges(List<ByteRange> ranges, long size) {
        if (ranges != null) {
            assertThat(ranges).hasSizeLessThanOrEqualTo(RANGES_MAX);
            for (ByteRange range : ranges) {
                assertThat(range.first()).isBetween(0L, range.end() - 1);
                assertThat(range.end()).isLessThanOrEqualTo(size);
                long overlapping = ranges.stream()
                        .filter(other -> other.first() < range.end() && range.first() < other.end())
                        .count();
                assertThat(overlapping).isEqualTo(1);
            }
        }
    }

    /** One range, as a regular expression reads it. */
    private static void checkRange(byte[] value) {
        Matcher range = RANGE.matcher(new String(value, StandardCharsets.ISO_8859_1));
        if (range.matches()) {
            long first = Long.parseLong(range.group(1));
            long last = Long.parseLong(range.group(2));
            List<ByteRange> expected = first > last
                    ? null
                    : first >= 1000 ? List.of() : List.of(new ByteRange(first, Math.min(last, 999) + 1));
            assertThat(ByteRanges.parse(value, 0, value.length, 1000, RANGES_MAX))
                    .isEqualTo(expected);
        }
    }
}
