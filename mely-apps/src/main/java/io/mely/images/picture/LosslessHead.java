// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.util.Arrays;

/**
 * Walks through what stands before the pixels of lossless WebP: transforms and prefix codes. The decoder makes tables for as many groups of codes as are announced there,
 * 65,536 of them for a picture of a few pixels, and applies a transform as often as it comes.
 *
 * <p>The values of pixels in it are not kept: how many groups there are is the largest one that is written, since all others are copies.
 *
 * <p><b>Costs.</b> A sixteenth of the pixels at most, three times. <b>Source.</b> RFC 9649, 3.6 to 3.8.
 */
final class LosslessHead {
    private static final int TRANSFORMS = 4;
    private static final int SUBTRACT_GREEN = 2;
    private static final int COLOR_INDEXING = 3;

    private static final int LITERALS = 256;
    private static final int LENGTHS = 24;
    private static final int DISTANCES = 40;
    private static final int CACHE_BITS_MAX = 11;

    /** Entries of the decoder's tables, at most, for a group's five codes without a color cache; libwebp has the figures for 8 bits in the first table. */
    private static final int TABLE_ENTRIES = 656 + 3 * 630 + 410;

    private static final int[] CODE_LENGTH_ORDER = {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    private static final int CODE_BITS_MAX = 15;

    private final byte[] file;
    private final long end; // in bits
    private long at;

    private LosslessHead(byte[] file, int from, int end) {
        this.file = file;
        at = 8L * from;
        this.end = 8L * end;
    }

    /**
     * Checks a head.
     *
     * @param from of its first transform
     * @param end behind the stream
     * @return bytes that the decoder takes for its tables, at most
     */
    static long tableBytes(byte[] file, int from, int end, int width, int height) throws PictureException {
        return new LosslessHead(file, from, end).walk(width, height);
    }

    private long walk(int width, int height) throws PictureException {
        int codedWidth = width;
        boolean[] isThere = new boolean[TRANSFORMS];
        while (take(1) == 1) {
            int transform = take(2);
            if (isThere[transform]) {
                throw PictureException.damaged("a transform twice");
            }
            isThere[transform] = true;
            if (transform == COLOR_INDEXING) {
                int colors = take(8) + 1;
                int unused = image(colors, 1, takeCacheBits());
                codedWidth = parts(codedWidth, colors > 16 ? 0 : colors > 4 ? 1 : colors > 2 ? 2 : 3);
            } else if (transform != SUBTRACT_GREEN) {
                int unused = tiles(codedWidth, height);
            }
        }
        int cacheBits = takeCacheBits();
        int groups = take(1) == 1 ? 1 + tiles(codedWidth, height) : 1;
        for (int i = 0; i < groups; i++) {
            Group unused = new Group(cacheBits);
        }
        return (long) groups * Integer.BYTES * (TABLE_ENTRIES + cacheEntries(cacheBits));
    }

    /** A picture with a pixel for each tile of another one. Returns the largest value of red and green. */
    private int tiles(int width, int height) throws PictureException {
        int bits = take(3) + 2;
        return image(parts(width, bits), parts(height, bits), takeCacheBits());
    }

    private static int parts(int side, int bits) {
        return (side + (1 << bits) - 1) >> bits;
    }

    private int takeCacheBits() throws PictureException {
        if (take(1) == 0) {
            return 0;
        }
        int bits = take(4);
        if (bits < 1 || bits > CACHE_BITS_MAX) {
            throw PictureException.damaged("a color cache of " + bits + " bits");
        }
        return bits;
    }

    private static int cacheEntries(int bits) {
        return bits == 0 ? 0 : 1 << bits;
    }

    /** Passes over the pixels of one with a single group. Returns the largest value of red and green. */
    private int image(int width, int height, int cacheBits) throws PictureException {
        Group codes = new Group(cacheBits);
        int most = 0;
        long left = (long) width * height;
        while (left > 0) {
            int symbol = codes.green.take();
            if (symbol < LITERALS) {
                most = Math.max(most, codes.red.take() << 8 | symbol);
                int unused = codes.blue.take() + codes.alpha.take();
                left--;
            } else if (symbol < LITERALS + LENGTHS) {
                left -= takePrefixed(symbol - LITERALS);
                long unused = takePrefixed(codes.distance.take());
            } else {
                left--; // a color from the cache
            }
        }
        return most;
    }

    private long takePrefixed(int prefix) throws PictureException {
        if (prefix < 4) {
            return prefix + 1L;
        }
        if (prefix >= DISTANCES) {
            throw PictureException.damaged("a distance of another kind");
        }
        int bits = (prefix - 2) >> 1;
        return ((2L + (prefix & 1)) << bits) + take(bits) + 1;
    }

    /** The next bits, the lowest first. */
    private int take(int bits) throws PictureException {
        if (end - at < bits) {
            throw PictureException.damaged("it ends early");
        }
        int value = 0;
        for (int i = 0; i < bits; i++, at++) {
            value |= (file[(int) (at >> 3)] >> (at & 7) & 1) << i;
        }
        return value;
    }

    /** The five codes of a pixel. */
    private final class Group {
        final Code green;
        final Code red;
        final Code blue;
        final Code alpha;
        final Code distance;

        Group(int cacheBits) throws PictureException {
            green = takeCode(LITERALS + LENGTHS + cacheEntries(cacheBits));
            red = takeCode(LITERALS);
            blue = takeCode(LITERALS);
            alpha = takeCode(LITERALS);
            distance = takeCode(DISTANCES);
        }
    }

    private Code takeCode(int symbols) throws PictureException {
        int[] lengths = new int[symbols];
        if (take(1) == 1) {
            boolean areTwo = take(1) == 1;
            int first = take(take(1) == 1 ? 8 : 1);
            int second = areTwo ? take(8) : -1;
            if (Math.max(first, second) >= symbols || first == second) {
                throw PictureException.damaged("a code that is none");
            }
            lengths[first] = 1;
            if (areTwo) {
                lengths[second] = 1;
            }
            return new Code(lengths);
        }
        int[] lengthsOfLengths = new int[CODE_LENGTH_ORDER.length];
        int count = 4 + take(4);
        for (int i = 0; i < count; i++) {
            lengthsOfLengths[CODE_LENGTH_ORDER[i]] = take(3);
        }
        takeLengths(new Code(lengthsOfLengths), lengths, symbols);
        return new Code(lengths);
    }

    private void takeLengths(Code code, int[] lengths, int symbols) throws PictureException {
        int left = take(1) == 1 ? 2 + take(2 + 2 * take(3)) : symbols;
        int before = 8;
        for (int i = 0; i < symbols && left > 0; left--) {
            int length = code.take();
            if (length <= CODE_BITS_MAX) {
                lengths[i++] = length;
                before = length == 0 ? before : length;
                continue;
            }
            int repeats = length == 16 ? 3 + take(2) : length == 17 ? 3 + take(3) : 11 + take(7);
            if (repeats > symbols - i) {
                throw PictureException.damaged("more lengths than symbols");
            }
            Arrays.fill(lengths, i, i + repeats, length == 16 ? before : 0);
            i += repeats;
        }
    }

    /** A canonical prefix code, which has a symbol for each sequence of bits; or one symbol, which takes none. */
    private final class Code {
        private final int[] counts = new int[CODE_BITS_MAX + 1]; // of symbols, by length
        private final int[] symbols; // by length, then by value

        Code(int[] lengths) throws PictureException {
            int count = 0;
            int room = 1 << CODE_BITS_MAX;
            for (int length : lengths) {
                if (length > 0) {
                    counts[length]++;
                    count++;
                    room -= 1 << (CODE_BITS_MAX - length);
                }
            }
            if (count == 0 || (count > 1 && room != 0)) {
                throw PictureException.damaged("a code that is none");
            }
            symbols = new int[count];
            int next = 0;
            for (int length = 1; length <= CODE_BITS_MAX; length++) {
                for (int symbol = 0; counts[length] > 0 && symbol < lengths.length; symbol++) {
                    if (lengths[symbol] == length) {
                        symbols[next++] = symbol;
                    }
                }
            }
        }

        int take() throws PictureException {
            if (symbols.length == 1) {
                return symbols[0];
            }
            int code = 0;
            int first = 0; // code of this length
            int before = 0; // symbols of shorter ones
            for (int length = 1; length <= CODE_BITS_MAX; length++) {
                code |= LosslessHead.this.take(1);
                int count = counts[length];
                if (code - first < count) {
                    return symbols[before + code - first];
                }
                before += count;
                first = (first + count) << 1;
                code <<= 1;
            }
            throw new AssertionError("a complete code");
        }
    }
}
