// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The formats that pictures come in and are made in.
 *
 * <p><b>Threads.</b> Any.
 */
public enum PictureFormat {
    /** Without transparency. */
    JPEG("jpg", "image/jpeg"),
    /** Without loss. */
    PNG("png", "image/png"),
    /** Written by native code; see {@link PictureWriter#isWebpWritten}. */
    WEBP("webp", "image/webp");

    private static final byte[] PNG_SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

    private final String extension;
    private final String mediaType;

    PictureFormat(String extension, String mediaType) {
        this.extension = extension;
        this.mediaType = mediaType;
    }

    /**
     * How names of its files end.
     *
     * @return without a dot
     */
    public String extension() {
        return extension;
    }

    /**
     * Its media type.
     *
     * @return such as {@code image/png}
     */
    public String mediaType() {
        return mediaType;
    }

    /**
     * The format that a file begins as.
     *
     * @param bytes of the file
     * @return null if of none of these
     */
    public static @Nullable PictureFormat of(byte[] bytes) {
        if (bytes.length >= 3 && bytes[0] == (byte) 0xff && bytes[1] == (byte) 0xd8 && bytes[2] == (byte) 0xff) {
            return JPEG;
        }
        if (bytes.length >= 8 && Arrays.equals(bytes, 0, 8, PNG_SIGNATURE, 0, 8)) {
            return PNG;
        }
        if (bytes.length >= 12 && isText(bytes, 0, "RIFF") && isText(bytes, 8, "WEBP")) {
            return WEBP;
        }
        return null;
    }

    /** Whether a text stands at a place, all of which is there. */
    static boolean isText(byte[] bytes, int at, String text) {
        return new String(bytes, at, text.length(), StandardCharsets.ISO_8859_1).equals(text);
    }

    /**
     * The format of a media type.
     *
     * @param type may have parameters
     * @return null if of none of these
     */
    public static @Nullable PictureFormat ofMediaType(String type) {
        String bare = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        for (PictureFormat format : values()) {
            if (format.mediaType.equals(bare)) {
                return format;
            }
        }
        return null;
    }

    /**
     * The format of an extension.
     *
     * @param extension without a dot
     * @return null if of none of these
     */
    public static @Nullable PictureFormat ofExtension(String extension) {
        for (PictureFormat format : values()) {
            if (format.extension.equals(extension)) {
                return format;
            }
        }
        return null;
    }
}
