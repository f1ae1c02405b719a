// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The parsers of heads and bodies on mutated streams of pipelined requests, by seed: {@code -Dmely.argLine=-Dmely.fuzz.seed=N} repeats one,
 * {@code -Dmely.fuzz.rounds=N} tries more. The corpus is what {@link HeadParserTest} has, with bodies.
 *
 * <p>Properties: those of {@link StreamReading}.
 */
class ParserFuzzTest {
    private static final int ROUNDS = 30_000;
    private static final int ROUNDS_SLOW = 10_000_000;

    private static final String[] DICTIONARY = {
        "\r\n",
        "\r\n\r\n",
        "\n",
        "\r",
        " ",
        "\t",
        ":",
        ",",
        ";",
        "%",
        "%00",
        "%2e%2e",
        "/",
        "?",
        "#",
        "*",
        "\0",
        "\u0080",
        "\u00ff",
        "GET ",
        "HEAD ",
        "POST ",
        "OPTIONS * ",
        "HTTP/1.1",
        "HTTP/1.0",
        "HTTP/2.0",
        "Host: a\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 0\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Connection: close\r\n",
        "Expect: 100-continue\r\n",
        "Range: bytes=0-1\r\n",
        "Accept: application/json\r\n",
        "5\r\nhello\r\n",
        "0\r\n\r\n",
        "ffffffffffffffff\r\n",
        "http://h/",
        "X: y\r\n z\r\n"
    };

    static List<byte[]> corpus() {
        List<byte[]> corpus = new ArrayList<>();
        for (HeadParserTest.Case each : HeadParserTest.cases().toList()) {
            corpus.add(each.input().getBytes(StandardCharsets.ISO_8859_1));
        }
        String chunked =
                "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: u\r\n\r\n";
        String fixed = "GET /a%20b?c HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
        String plain = "HEAD / HTTP/1.1\r\nHost: a\r\nUser-Agent: x\r\nAccept: text/html;q=0.5, */*\r\n\r\n";
        for (String each : List.of(chunked, fixed, plain, plain + chunked + fixed, chunked + chunked)) {
            corpus.add(each.getBytes(StandardCharsets.ISO_8859_1));
        }
        return corpus;
    }

    private static byte[] mutate(List<byte[]> corpus, SplittableRandom random) {
        byte[] bytes = pick(corpus, random);
        for (int edits = random.nextInt(5); edits > 0; edits--) {
            int at = random.nextInt(bytes.length + 1);
            bytes = switch (random.nextInt(6)) {
                case 0 -> splice(bytes, at, at, new byte[] {(byte) random.nextInt(256)});
                case 1 -> splice(bytes, at, Math.min(bytes.length, at + 1), new byte[] {(byte) random.nextInt(256)});
                case 2 -> splice(bytes, at, Math.min(bytes.length, at + random.nextInt(8)), new byte[0]);
                case 3 -> splice(bytes, at, at, pick(corpus, random));
                case 4 ->
                    splice(
                            bytes,
                            at,
                            at,
                            Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + random.nextInt(30))));
                default ->
                    splice(
                            bytes,
                            at,
                            at,
                            DICTIONARY[random.nextInt(DICTIONARY.length)].getBytes(StandardCharsets.ISO_8859_1));
            };
        }
        return bytes;
    }

    private static byte[] pick(List<byte[]> corpus, SplittableRandom random) {
        return corpus.get(random.nextInt(corpus.size()));
    }

    private static byte[] splice(byte[] bytes, int from, int end, byte[] between) {
        byte[] spliced = new byte[bytes.length - (end - from) + between.length];
        System.arraycopy(bytes, 0, spliced, 0, from);
        System.arraycopy(between, 0, spliced, from, between.length);
        System.arraycopy(bytes, end, spliced, from + between.length, bytes.length - end);
        return spliced;
    }

    private static void fuzz(int rounds) {
        List<byte[]> corpus = corpus();
        Long only = Long.getLong("mely.fuzz.seed");
        long first = only != null ? only : System.nanoTime();
        int accepted = 0;
        int refused = 0;
        for (long seed = first; seed < first + (only != null ? 1 : rounds); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] stream = mutate(corpus, random);
            List<String> whole = check(seed, stream, null, null);
            for (int i = 0; i < 2; i++) {
                check(seed, stream, random, whole);
            }
            boolean isRefused = !whole.isEmpty() && whole.get(whole.size() - 1).equals(StreamReading.REFUSED);
            refused += isRefused ? 1 : 0;
            accepted += !whole.isEmpty() && !isRefused ? 1 : 0;
        }
        if (only == null) {
            // A fuzzer that only ever makes nonsense, or never any, tests nothing.
            assertThat(accepted).isGreaterThan(rounds / 20);
            assertThat(refused).isGreaterThan(rounds / 20);
        }
    }

    private static List<String> check(long seed, byte[] stream, SplittableRandom splits, List<String> whole) {
        try {
            List<String> read = StreamReading.read(stream, splits);
            if (whole != null) {
                assertThat(read).isEqualTo(whole);
            }
            return read;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + new String(stream, StandardCharsets.ISO_8859_1), e);
        }
    }

    @Test
    void streams_mutated_areReadAlike() {
        fuzz(Integer.getInteger("mely.fuzz.rounds", ROUNDS));
    }

    @Test
    @Tag("slow")
    void streams_mutated_areReadAlike_campaign() {
        fuzz(ROUNDS_SLOW);
    }
}
