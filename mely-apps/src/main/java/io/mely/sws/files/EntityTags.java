// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.Coding;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Strong validators (RFC 9110 8.8.3). Of what is in memory: a digest of its content, so that it is the same on each server of a site. Of a large file: its size, its
 * dates and where it lies; the date of its content alone would not do, because reproducible builds give all files the same.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Linear in the content, when it is loaded.
 */
final class EntityTags {
    /** Nobody finds two contents with the same 128 bits. */
    private static final int DIGEST_BYTES = 16;

    private EntityTags() {}

    /** As long as any of {@link #ofContent}. */
    static String blank(@Nullable Coding coding) {
        return tag("0".repeat(2 * DIGEST_BYTES), coding);
    }

    /**
     * By content.
     *
     * @param content from its position to its limit; not changed
     */
    static String ofContent(ByteBuffer content, @Nullable Coding coding) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(content.duplicate());
            return tag(HexFormat.of().formatHex(Arrays.copyOf(digest.digest(), DIGEST_BYTES)), coding);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }

    /** By what the file system says. */
    static String ofFile(FileStamp stamp, @Nullable Coding coding) {
        Object key = stamp.fileKey();
        return tag(
                Long.toHexString(stamp.modifiedNs())
                        + '-'
                        + Long.toHexString(stamp.size())
                        + '-'
                        + Long.toHexString(stamp.changedNs())
                        + (key == null
                                ? ""
                                : '-' + Integer.toHexString(key.toString().hashCode())),
                coding);
    }

    private static String tag(String text, @Nullable Coding coding) {
        return '"' + text + (coding == null ? "" : "-" + coding) + '"';
    }
}
