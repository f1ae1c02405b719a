// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes from a PNG file all chunks that the picture does not need. Among them are compressed texts and profiles, a few bytes of which the decoder may expand to
 * gigabytes.
 *
 * <p><b>Source.</b> PNG specification, 5.3 and 11.
 */
final class PngChunks {
    private static final int SIGNATURE_BYTES = 8;

    /** Length, name and checksum. */
    private static final int FRAME_BYTES = 12;

    private static final Set<String> NEEDED = Set.of("IHDR", "PLTE", "tRNS", "IDAT");

    private PngChunks() {}

    /** Moves the chunks that are needed together, in place. */
    static Checked keepNeeded(byte[] file) throws PictureException {
        ByteBuffer in = ByteBuffer.wrap(file);
        int from = SIGNATURE_BYTES;
        int to = SIGNATURE_BYTES;
        byte @Nullable [] exif = null;
        while (true) {
            if (file.length - from < FRAME_BYTES) {
                throw PictureException.damaged("it ends early");
            }
            int length = in.getInt(from);
            if (length < 0 || length > file.length - from - FRAME_BYTES) {
                throw PictureException.damaged("it ends early");
            }
            String name = new String(file, from + 4, 4, java.nio.charset.StandardCharsets.ISO_8859_1);
            int bytes = length + FRAME_BYTES;
            if (name.equals("IEND") || NEEDED.contains(name)) {
                System.arraycopy(file, from, file, to, bytes);
                to += bytes;
            } else if (name.equals("eXIf") && exif == null) {
                exif = Arrays.copyOfRange(file, from + 8, from + 8 + length);
            }
            from += bytes;
            if (name.equals("IEND")) {
                return new Checked(to, exif, 0, 0);
            }
        }
    }
}
