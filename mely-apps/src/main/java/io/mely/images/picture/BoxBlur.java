// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.awt.image.BufferedImage;

/**
 * Blurs a picture: each pixel becomes the mean of a square around it, by a pass along the rows and one along the columns.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> The same for every radius: a sum gains a pixel and loses one.
 */
public final class BoxBlur {
    private BoxBlur() {}

    /**
     * A blurred copy. Beyond the edge the outermost pixels count again.
     *
     * @param image of a type with one int for each pixel; if transparent, premultiplied
     * @param radius of the square, &gt;= 1: its side is twice that and one
     * @return of the same type
     */
    public static BufferedImage blur(BufferedImage image, int radius) {
        int width = image.getWidth();
        int height = image.getHeight();
        int[] rows = new int[width * height];
        BufferedImage blurred = new BufferedImage(width, height, image.getType());
        int[] from = Pixels.of(image);
        int[] to = Pixels.of(blurred);
        for (int y = 0; y < height; y++) {
            pass(from, rows, y * width, 1, width, radius);
        }
        for (int x = 0; x < width; x++) {
            pass(rows, to, x, width, height, radius);
        }
        return blurred;
    }

    /** Along one line: from its first pixel, by a step, so many pixels. */
    private static void pass(int[] from, int[] to, int first, int step, int count, int radius) {
        int side = 2 * radius + 1;
        int half = side / 2; // rounds
        int a = 0;
        int r = 0;
        int g = 0;
        int b = 0;
        for (int i = -radius; i <= radius; i++) {
            int pixel = from[first + clamp(i, count) * step];
            a += pixel >>> 24;
            r += pixel >> 16 & 0xff;
            g += pixel >> 8 & 0xff;
            b += pixel & 0xff;
        }
        for (int i = 0; i < count; i++) {
            to[first + i * step] = (((a + half) / side) << 24)
                    | (((r + half) / side) << 16)
                    | (((g + half) / side) << 8)
                    | ((b + half) / side);
            int in = from[first + clamp(i + radius + 1, count) * step];
            int out = from[first + clamp(i - radius, count) * step];
            a += (in >>> 24) - (out >>> 24);
            r += (in >> 16 & 0xff) - (out >> 16 & 0xff);
            g += (in >> 8 & 0xff) - (out >> 8 & 0xff);
            b += (in & 0xff) - (out & 0xff);
        }
    }

    private static int clamp(int i, int count) {
        return Math.max(0, Math.min(count - 1, i));
    }
}
