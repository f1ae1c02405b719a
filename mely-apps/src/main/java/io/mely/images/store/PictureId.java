// SPDX-License-Identifier: Apache-2.0
package io.mely.images.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Names a picture by what went in: the same file under the same settings has the same name, and so its address never means anything else.
 *
 * @param text 32 hexadecimal digits: the first half of a SHA-256
 */
public record PictureId(String text) {
    private static final int BYTES = 16;
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{" + 2 * BYTES + "}");

    /**
     * The name of a picture.
     *
     * @param file as it was sent
     * @param recipe all settings that the results depend on
     * @return always the same one
     */
    public static PictureId of(byte[] file, String recipe) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(recipe.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            return new PictureId(HexFormat.of().formatHex(digest.digest(file), 0, BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Whether a text has the form of a name.
     *
     * @param text any
     * @return true if a picture may have it
     */
    public static boolean isValid(String text) {
        return FORM.matcher(text).matches();
    }

    /**
     * A key for colors.
     *
     * @return spread evenly
     */
    public long key() {
        return Long.parseUnsignedLong(text, 0, 16, 16);
    }

    @Override
    public String toString() {
        return text;
    }
}
