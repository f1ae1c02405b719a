// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Which files are compressed on the fly, and how.
 *
 * @param level of zlib, 1 to 9; 0 = none is
 * @param bytesMin shortest file
 * @param bytesMax longest file
 */
public record Gzip(int level, long bytesMin, long bytesMax) {
    /** None is. */
    public static final Gzip OFF = new Gzip(0, 0, 0);

    /** What is saved must be worth the second copy in the cache: a guess. */
    private static final double PART_MAX = 0.9;

    boolean fits(long bytes) {
        return level > 0 && bytes >= bytesMin && bytes <= bytesMax;
    }

    /** Null if it does not pay. */
    byte @Nullable [] pack(byte[] content) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(content.length / 2 + 64);
        try (OutputStream out = new Leveled(packed, level)) {
            out.write(content);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // memory never fails
        }
        return packed.size() <= content.length * PART_MAX ? packed.toByteArray() : null;
    }

    private static final class Leveled extends GZIPOutputStream {
        Leveled(OutputStream out, int level) throws IOException {
            super(out);
            def.setLevel(level);
        }
    }
}
