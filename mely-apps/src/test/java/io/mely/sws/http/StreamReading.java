// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a stream of pipelined requests with the parsers of heads and bodies, for tests with any bytes.
 *
 * <p>Properties: a stream is read as the same requests however it is split and wherever it lies; what stands behind its end is never
 * looked at; and a head or a chunked body that is accepted follows the grammar of RFC 9112 as regular expressions have it, which share
 * no code with the parsers; but for a target that may be UTF-8.
 */
final class StreamReading {
    static final String REFUSED = "refused";
    static final String INCOMPLETE = "incomplete";

    private static final HeadLimits LIMITS = new HeadLimits(200, 600, 8);
    private static final int BODY_MAX = 1_000;
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final Pattern HEAD =
            Pattern.compile("(?:\\r\\n){0,2}(" + TOKEN + ") ([\\x21-\\x22\\x24-\\x7e\\x80-\\xff]+) HTTP/1\\.[0-9]\\r\\n"
                    + "((?:" + TOKEN + ":[\\x09\\x20-\\x7e\\x80-\\xff]*\\r\\n)*)\\r\\n");
    private static final Pattern FIELD = Pattern.compile("(" + TOKEN + "):[ \\t]*(.*?)[ \\t]*\\r\\n");

    private static final String QUOTED =
            "\"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]++|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*+\"";
    private static final Pattern SIZE_LINE =
            Pattern.compile("([0-9A-Fa-f]{1,15})(?:[ \\t]*;[ \\t]*" + TOKEN + "(?:[ \\t]*=[ \\t]*(?:" + TOKEN + "|"
                    + QUOTED + "))?)*+\\r\\n"); // possessive, or a long line overflows the stack
    private static final Pattern TRAILERS =
            Pattern.compile("(?:" + TOKEN + ":[\\x09\\x20-\\x7e\\x80-\\xff]*\\r\\n)*\\r\\n");

    /** How a stream was read: for each request its status and what it is, and where reading stopped. */
    static List<String> read(byte[] stream, SplittableRandom splits) {
        List<String> requests = new ArrayList<>();
        HeadParser parser = new HeadParser(LIMITS, new HeadFields(true, true, false, true, ""));
        BodySkipper skipper = new BodySkipper(BODY_MAX);
        int start = 0;
        int end = 0;
        boolean isInBody = false;
        int bodyAt = 0;
        while (true) {
            if (end == stream.length && start == end) {
                return requests;
            }
            boolean isFed = end < stream.length;
            end = splits == null ? stream.length : Math.min(stream.length, end + 1 + splits.nextInt(20));
            // At another place each time, with other bytes around, as buffers are used again.
            int shift = splits == null ? 0 : splits.nextInt(5);
            byte[] buffer = new byte[shift + end + 9];
            Arrays.fill(buffer, (byte) (splits == null ? '\n' : splits.nextInt(256)));
            System.arraycopy(stream, 0, buffer, shift, end);
            int answer = HeadParser.DONE;
            while (answer == HeadParser.DONE && (start < end || isInBody)) {
                if (!isInBody) {
                    answer = parser.parse(buffer, shift + start, shift + end);
                    if (answer == HeadParser.DONE) {
                        bodyAt = start + parser.headBytes();
                        int body = skipper.start(parser.head());
                        requests.add(describe(buffer, shift + start, parser) + " " + (body > 1 ? body : ""));
                        if (body > 1) {
                            return requests;
                        }
                        isInBody = body == BodySkipper.NEED_MORE;
                        start = isInBody ? start : bodyAt;
                        if (!isInBody) {
                            parser.reset();
                        }
                    }
                }
                if (isInBody && answer == HeadParser.DONE) {
                    answer = skipper.skip(buffer, shift + bodyAt, shift + end);
                    bodyAt += skipper.consumed();
                    if (answer == BodySkipper.DONE) {
                        isInBody = false;
                        if (parser.head().body() == RequestHead.Body.CHUNKED) {
                            int from = shift + start + parser.headBytes();
                            checkChunks(new String(buffer, from, shift + bodyAt - from, StandardCharsets.ISO_8859_1));
                        }
                        start = bodyAt;
                        requests.add("body until " + bodyAt);
                        parser.reset();
                    }
                }
            }
            if (answer > HeadParser.DONE) {
                // Of two faults the one counts that is seen first, which may depend on what has come.
                requests.add(REFUSED);
                return requests;
            }
            if (!isFed || end == stream.length) {
                if (start < end) {
                    requests.add(INCOMPLETE);
                }
                return requests;
            }
        }
    }

    private static String describe(byte[] buffer, int start, HeadParser parser) {
        RequestHead head = parser.head();
        int length = parser.headBytes();
        assertThat(head.pathStart()).isBetween(0, head.pathEnd());
        assertThat(head.queryEnd()).isBetween(head.pathEnd(), length);
        checkGrammar(new String(buffer, start, length, StandardCharsets.ISO_8859_1), head);
        return head.method() + " "
                + new String(
                        buffer,
                        start + head.pathStart(),
                        head.queryEnd() - head.pathStart(),
                        StandardCharsets.ISO_8859_1)
                + " " + head.isPersistent() + head.expectsContinue() + head.hasUnknownExpectation()
                + head.isConditional() + head.hasRange()
                + head.takesHtml(buffer, start) + head.prefersJson(buffer, start) + " " + head.body()
                + head.contentLength() + " " + length;
    }

    private static void checkGrammar(String text, RequestHead head) {
        Matcher parts = HEAD.matcher(text);
        assertThat(parts.matches())
                .as("accepted, but against the grammar: %s", text)
                .isTrue();
        int hosts = 0;
        List<String> lengths = new ArrayList<>();
        List<String> codings = new ArrayList<>();
        Matcher field = FIELD.matcher(parts.group(3));
        while (field.find()) {
            String name = field.group(1);
            hosts += name.equalsIgnoreCase("Host") ? 1 : 0;
            if (name.equalsIgnoreCase("Content-Length")) {
                lengths.add(field.group(2));
            }
            if (name.equalsIgnoreCase("Transfer-Encoding")) {
                codings.add(field.group(2).toLowerCase(Locale.ROOT));
            }
        }
        assertThat(hosts).as("Host fields of %s", text).isBetween(head.isHttp10() ? 0 : 1, 1);
        assertThat(lengths.size() + codings.size()).as("framing of %s", text).isLessThanOrEqualTo(1);
        assertThat(codings).as("codings of %s", text).allMatch(coding -> coding.equals("chunked"));
        assertThat(head.body() == RequestHead.Body.CHUNKED).isEqualTo(!codings.isEmpty());
        if (!lengths.isEmpty()) {
            assertThat(lengths.get(0)).matches("[0-9]+");
            assertThat(head.contentLength()).isEqualTo(Long.parseLong(lengths.get(0)));
        }
    }

    private static void checkChunks(String body) {
        int at = 0;
        int size = -1;
        while (size != 0) {
            Matcher line = SIZE_LINE.matcher(body).region(at, body.length());
            assertThat(line.lookingAt())
                    .as("a size line at %s of: %s", at, body)
                    .isTrue();
            size = Integer.parseInt(line.group(1), 16);
            at = line.end() + size;
            if (size > 0) {
                assertThat(body.startsWith("\r\n", at))
                        .as("a line end at %s of: %s", at, body)
                        .isTrue();
                at += 2;
            }
        }
        assertThat(TRAILERS.matcher(body).region(at, body.length()).matches())
                .as("trailers at %s of: %s", at, body)
                .isTrue();
    }

    private StreamReading() {}
}
