// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A version that is made of every picture.
 *
 * @param name of its files, without the extension
 * @param side most pixels of its longer side, 1 to {@value #SIDE_MAX}
 * @param blur radius of the blur in pixels; 0: none
 */
public record Version(String name, int side, int blur) {
    /** What WebP can have. */
    public static final int SIDE_MAX = 16_383;

    private static final Pattern FORM = Pattern.compile("([a-z][a-z0-9-]{0,31}) +([0-9]{1,5})(?: +([0-9]{1,3}))?");

    /**
     * Reads {@code NAME SIDE} or {@code NAME SIDE BLUR}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable Version parse(String text) {
        Matcher parts = FORM.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        int side = Integer.parseInt(parts.group(2));
        int blur = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        return side == 0 || side > SIDE_MAX ? null : new Version(parts.group(1), side, blur);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return name + " " + side + (blur == 0 ? "" : " " + blur);
    }
}
