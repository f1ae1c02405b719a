// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: ranges are disjoint parts of the file, none, or ignored. */
class ByteRangesTest {
    private static final int RANGES_MAX = 32;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-0 | 10 | 0-1",
                "BYTES=2-5 | 10 | 2-6",
                "bytes=2- | 10 | 2-10",
                "bytes=2-99999999999999999999 | 10 | 2-10",
                "bytes=-3 | 10 | 7-10",
                "bytes=-30 | 10 | 0-10",
                "bytes=10- | 10 | 416",
                "bytes=99999999999999999999- | 10 | 416",
                "bytes=-0 | 10 | 416",
                "bytes=0- | 0 | 416",
                "bytes=-1 | 0 | whole",
                "bytes=5-4 | 10 | whole",
                "bytes=- | 10 | whole",
                "bytes= | 10 | whole",
                "bytes=, | 10 | whole",
                "bytes | 10 | whole",
                "bytes=a-b | 10 | whole",
                "bytes=1-2x | 10 | whole",
                "bytes=1 -2 | 10 | whole",
                "lines=0-1 | 10 | whole",
                "bytes=0-0,2-3 | 10 | 0-4",
                "bytes=0-9,1000-1009 | 5000 | 0-10 1000-1010",
                "bytes=1000-1009,0-9 | 5000 | 1000-1010 0-10",
                "bytes= 0-9 ,, 1000-1009 , | 5000 | 0-10 1000-1010",
                "bytes=0-9,-10 | 5000 | 0-10 4990-5000",
                "bytes=0-9,5000- | 5000 | 0-10",
                "bytes=5000-,6000-6001 | 5000 | 416",
                "bytes=0-9,x | 5000 | whole",
                "bytes=0-9,9-0 | 5000 | whole",
                "bytes=0-9,110-119 | 5000 | 0-120",
                "bytes=0-9,111-119 | 5000 | 0-10 111-120",
                "bytes=0-9,1000-1009,5-999 | 5000 | 0-1010",
                "bytes=2000-2009,0-9,1000-1009,5-999 | 5000 | 2000-2010 0-1010",
                "bytes=0-9,400-409 | 220 | 0-10",
                "bytes=0-9,200-209 | 220 | whole",
                "bytes=0-,0-,0- | 5000 | 0-5000",
                "bytes=0-2400,2600- | 5000 | whole",
            })
    void parse(String value, long size, String expected) {
        assertThat(text(value, size)).isEqualTo(expected);
    }

    private static String text(String value, long size) {
        List<ByteRange> ranges = ranges(value, size);
        if (ranges == null) {
            return "whole";
        }
        return ranges.isEmpty()
                ? "416"
                : ranges.stream()
                        .map(range -> range.first() + "-" + range.end())
                        .collect(Collectors.joining(" "));
    }

    private static List<ByteRange> ranges(String value, long size) {
        byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
        return ByteRanges.parse(bytes, 0, bytes.length, size, RANGES_MAX);
    }

    @Test
    void parse_moreThanTheLimit_isIgnored() {
        StringBuilder value = new StringBuilder("bytes=0-0");
        for (int i = 1; i < RANGES_MAX; i++) {
            value.append(",").append(i * 1000).append("-").append(i * 1000);
        }
        assertThat(ranges(value.toString(), 1_000_000)).hasSize(RANGES_MAX);
        assertThat(ranges(value + ",900000-", 1_000_000)).isNull();
        assertThat(ranges(value + ",2000000-", 1_000_000)).isNull();
    }

    /** Property: every byte asked for is in exactly one part, and all parts with their heads are shorter than the file. */
    @Test
    void parse_anyList_coversWhatWasAskedFor() {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 2000; round++) {
            int size = 1 + random.nextInt(5000);
            boolean[] isWanted = new boolean[size];
            StringBuilder value = new StringBuilder("bytes=");
            for (int i = random.nextInt(8); i >= 0; i--) {
                int first = random.nextInt(size);
                int last = first + random.nextInt(200);
                value.append(first).append('-').append(last).append(',');
                for (int at = first; at <= Math.min(last, size - 1); at++) {
                    isWanted[at] = true;
                }
            }
            List<ByteRange> ranges = ranges(value.toString(), size);
            if (ranges == null) {
                continue;
            }
            int[] sent = new int[size];
            for (ByteRange range : ranges) {
                for (long at = range.first(); at < range.end(); at++) {
                    sent[(int) at]++;
                }
            }
            for (int at = 0; at < size; at++) {
                assertThat(sent[at]).as("seed %s, %s", seed, value).isBetween(isWanted[at] ? 1 : 0, 1);
            }
        }
    }
}
