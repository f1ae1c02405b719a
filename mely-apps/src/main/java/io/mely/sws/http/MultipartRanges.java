// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The body of a 206 with several ranges: {@code multipart/byteranges}. The bytes of the file are sent in between by whoever has them.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Source.</b> RFC 9110 14.6.
 */
public final class MultipartRanges {
    /** Nobody can write a file that ends a part: 128 bits, new for each response. */
    private static final int BOUNDARY_BYTES = 16;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<ByteRange> ranges;
    private final List<byte[]> heads = new ArrayList<>();
    private final String boundary;
    private final byte[] end;

    /**
     * Makes the frame of some ranges.
     *
     * @param ranges disjoint, at least one
     * @param contentType of the whole file
     * @param size of the whole file, in bytes
     */
    MultipartRanges(List<ByteRange> ranges, String contentType, long size) {
        this.ranges = List.copyOf(ranges);
        byte[] random = new byte[BOUNDARY_BYTES];
        RANDOM.nextBytes(random);
        boundary = HexFormat.of().formatHex(random);
        String delimiter = "--" + boundary;
        for (ByteRange range : ranges) {
            String before = heads.isEmpty() ? "" : "\r\n";
            heads.add(ascii(before + delimiter + "\r\nContent-Type: " + contentType + "\r\nContent-Range: "
                    + PartialHeads.contentRange(range, size) + "\r\n\r\n"));
        }
        end = ascii("\r\n" + delimiter + "--\r\n");
    }

    /**
     * Number of parts.
     *
     * @return at least 1
     */
    public int parts() {
        return heads.size();
    }

    /**
     * What a part holds.
     *
     * @param part 0 to {@link #parts()} - 1
     * @return a range of the file
     */
    public ByteRange range(int part) {
        return ranges.get(part);
    }

    /**
     * Copies what stands before a part.
     *
     * @param part its index
     * @param out has room for {@link #headBytes}
     */
    public void appendHead(int part, ByteBuffer out) {
        out.put(heads.get(part));
    }

    /**
     * Length of what stands before a part.
     *
     * @param part its index
     * @return bytes
     */
    public int headBytes(int part) {
        return heads.get(part).length;
    }

    /**
     * Copies what stands behind the last part.
     *
     * @param out has room for {@link #endBytes()}
     */
    public void appendEnd(ByteBuffer out) {
        out.put(end);
    }

    /**
     * Length of what stands behind the last part.
     *
     * @return bytes
     */
    public int endBytes() {
        return end.length;
    }

    /**
     * Length of the body.
     *
     * @return bytes
     */
    public long bytes() {
        long sum = end.length;
        for (int i = 0; i < heads.size(); i++) {
            sum += heads.get(i).length + ranges.get(i).size();
        }
        return sum;
    }

    String contentType() {
        return "multipart/byteranges; boundary=" + boundary;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
