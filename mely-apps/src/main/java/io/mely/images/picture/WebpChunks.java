// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walks through the chunks of a WebP file. Its head and the picture inside both say a size, and the decoder allocates by the second.
 *
 * <p><b>Source.</b> RFC 9649, 2 and 3.4; RFC 6386, 9.1.
 */
final class WebpChunks {
    private static final int HEAD_BYTES = 12;
    private static final int CHUNK_HEAD_BYTES = 8;
    private static final int ANIMATION_FLAG = 2;
    private static final int SIDE_MASK = 0x3fff;
    private static final int LOSSLESS_HEAD_BYTES = 5;
    private static final int COMPRESSION_MASK = 3; // of the first byte of transparency
    private static final int LOSSLESS = 1;

    /** What the decoder takes beside the picture: with -Xmx a picture of 6 megapixels needed 2 (lossy) and 4 (lossless). JDK 17, 2026-11-29. */
    private static final int EXTRA_BYTES = 4;

    private final byte[] file;
    private final ByteBuffer in;
    private int canvasWidth;
    private int canvasHeight;
    private int width;
    private int height;
    private byte @Nullable [] exif;
    private int losslessAt; // 0: none
    private int losslessEnd;
    private boolean hasAlpha;

    private WebpChunks(byte[] file) {
        this.file = file;
        in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Checks a file that begins as one of RIFF. */
    static Checked check(byte[] file, PictureLimits limits) throws PictureException {
        WebpChunks chunks = new WebpChunks(file);
        long announced = (chunks.in.getInt(4) & 0xffffffffL) + CHUNK_HEAD_BYTES;
        if (announced > file.length) {
            throw PictureException.damaged("it ends early");
        }
        chunks.walk((int) announced);
        limits.check(chunks.width, chunks.height);
        long tableBytes = chunks.losslessAt == 0
                ? 0
                : LosslessHead.tableBytes(file, chunks.losslessAt, chunks.losslessEnd, chunks.width, chunks.height);
        return new Checked((int) announced, chunks.exif, EXTRA_BYTES, tableBytes);
    }

    private void walk(int end) throws PictureException {
        int at = HEAD_BYTES;
        while (end - at >= CHUNK_HEAD_BYTES) {
            long length = in.getInt(at + 4) & 0xffffffffL;
            int content = at + CHUNK_HEAD_BYTES;
            if (length > end - content) {
                throw PictureException.damaged("it ends early");
            }
            chunk(new String(file, at, 4, java.nio.charset.StandardCharsets.ISO_8859_1), content, (int) length);
            at = (int) Math.min(end, content + length + (length & 1));
        }
        if (width == 0 || height == 0) {
            throw PictureException.damaged("no picture in it");
        }
        boolean hasCanvas = canvasWidth != 0;
        if (hasCanvas && (canvasWidth != width || canvasHeight != height)) {
            throw PictureException.damaged("it says two sizes");
        }
    }

    private void chunk(String name, int at, int length) throws PictureException {
        switch (name) {
            case "VP8X" -> extended(at, length);
            case "VP8 " -> lossy(at, length);
            case "VP8L" -> lossless(at, length);
            case "ALPH" -> alpha(at, length);
            case "ANIM", "ANMF" -> throw animated();
            case "EXIF" -> {
                if (exif == null) {
                    // Some writers begin it as in a JPEG file.
                    int skipped = length >= 6 && PictureFormat.isText(file, at, "Exif\0\0") ? 6 : 0;
                    exif = Arrays.copyOfRange(file, at + skipped, at + length);
                }
            }
            default -> {}
        }
    }

    private static PictureException animated() {
        return new PictureException(415, "animated WebP is not taken");
    }

    private void extended(int at, int length) throws PictureException {
        if (length < 10) {
            throw PictureException.damaged("it ends early");
        }
        if ((file[at] & ANIMATION_FLAG) != 0) {
            throw animated();
        }
        canvasWidth = 1 + (in.getInt(at + 3) >>> 8);
        canvasHeight = 1 + (in.getInt(at + 6) >>> 8);
    }

    private void lossy(int at, int length) throws PictureException {
        if (length < 10 || file[at + 3] != (byte) 0x9d || file[at + 4] != 1 || file[at + 5] != 0x2a) {
            throw PictureException.damaged("no key frame");
        }
        size(in.getShort(at + 6) & SIDE_MASK, in.getShort(at + 8) & SIDE_MASK);
    }

    private void lossless(int at, int length) throws PictureException {
        if (length < LOSSLESS_HEAD_BYTES || file[at] != 0x2f) {
            throw PictureException.damaged("no lossless picture");
        }
        int bits = in.getInt(at + 1);
        size(1 + (bits & SIDE_MASK), 1 + (bits >>> 14 & SIDE_MASK));
        losslessIn(at + LOSSLESS_HEAD_BYTES, at + length);
    }

    private void alpha(int at, int length) throws PictureException {
        if (hasAlpha) {
            throw PictureException.damaged("transparency twice");
        }
        hasAlpha = true;
        if (length > 0 && (file[at] & COMPRESSION_MASK) == LOSSLESS) {
            losslessIn(at + 1, at + length);
        }
    }

    private void losslessIn(int from, int end) throws PictureException {
        if (losslessAt != 0) {
            throw PictureException.damaged("two lossless streams");
        }
        losslessAt = from;
        losslessEnd = end;
    }

    private void size(int newWidth, int newHeight) throws PictureException {
        if (width != 0) {
            throw PictureException.damaged("several pictures");
        }
        width = newWidth;
        height = newHeight;
    }
}
