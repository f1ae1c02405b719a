// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import com.drew.lang.ByteArrayReader;
import com.drew.metadata.Metadata;
import com.drew.metadata.exif.ExifDirectoryBase;
import com.drew.metadata.exif.ExifIFD0Directory;
import com.drew.metadata.exif.ExifReader;
import java.awt.image.BufferedImage;
import org.jspecify.annotations.Nullable;

/**
 * How the camera was held, and how its picture is turned upright.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> Exif 2.32, tag Orientation: the values 1 to 8, in this order.
 */
public enum Orientation {
    /** As it is. */
    UPRIGHT(false, false, false),
    /** Left and right exchanged. */
    MIRRORED(true, false, false),
    /** Upside down. */
    TURNED(true, true, false),
    /** Upside down, left and right exchanged. */
    FLIPPED(false, true, false),
    /** Rows are columns. */
    TRANSPOSED(false, false, true),
    /** To be turned to the right. */
    LYING_LEFT(false, true, true),
    /** Rows are columns, from the other corner. */
    TRANSVERSED(true, true, true),
    /** To be turned to the left. */
    LYING_RIGHT(true, false, true);

    private final boolean isFromRight;
    private final boolean isFromBottom;
    private final boolean swapsSides;

    /**
     * Where the pixel at x and y of the upright picture is taken from.
     *
     * @param isFromRight columns are counted from the right
     * @param isFromBottom rows are counted from the bottom
     * @param swapsSides x counts rows, and y columns
     */
    Orientation(boolean isFromRight, boolean isFromBottom, boolean swapsSides) {
        this.isFromRight = isFromRight;
        this.isFromBottom = isFromBottom;
        this.swapsSides = swapsSides;
    }

    /**
     * Reads it.
     *
     * @param exif from its byte order on; may be damaged, or null
     * @return upright if it is not said
     */
    static Orientation of(byte @Nullable [] exif) {
        if (exif == null) {
            return UPRIGHT;
        }
        Integer value = value(exif);
        return value == null || value < 1 || value > values().length ? UPRIGHT : values()[value - 1];
    }

    private static @Nullable Integer value(byte[] exif) {
        Metadata metadata = new Metadata();
        try {
            new ExifReader().extract(new ByteArrayReader(exif), metadata);
        } catch (RuntimeException damaged) { // no reason to refuse the picture
            return null;
        }
        ExifIFD0Directory tags = metadata.getFirstDirectoryOfType(ExifIFD0Directory.class);
        return tags == null ? null : tags.getInteger(ExifDirectoryBase.TAG_ORIENTATION);
    }

    /**
     * Whether width and height change places.
     *
     * @return true for the four that lie on their side
     */
    public boolean swapsSides() {
        return swapsSides;
    }

    /**
     * Turns a picture upright.
     *
     * @param image of a type with one int for each pixel
     * @return of the same type; the same one if it is upright
     */
    public BufferedImage apply(BufferedImage image) {
        if (this == UPRIGHT) {
            return image;
        }
        int oldWidth = image.getWidth();
        int oldHeight = image.getHeight();
        int width = swapsSides ? oldHeight : oldWidth;
        int height = swapsSides ? oldWidth : oldHeight;
        BufferedImage upright = new BufferedImage(width, height, image.getType());
        int[] from = Pixels.of(image);
        int[] to = Pixels.of(upright);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int column = swapsSides ? y : x;
                int row = swapsSides ? x : y;
                column = isFromRight ? oldWidth - 1 - column : column;
                row = isFromBottom ? oldHeight - 1 - row : row;
                to[y * width + x] = from[row * oldWidth + column];
            }
        }
        return upright;
    }
}
