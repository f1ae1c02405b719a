// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;

/**
 * Makes pictures smaller, by halves and then by what is left, so that every pixel counts.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Linear in the pixels of the picture; the first step is three quarters of it.
 */
public final class Scaler {
    private Scaler() {}

    /**
     * A smaller copy.
     *
     * @param image of any type
     * @param sideMax of the copy's longer side, &gt;= 1; a smaller picture keeps its size
     * @return of type INT_RGB, or INT_ARGB_PRE if it is transparent somewhere
     */
    public static BufferedImage scale(BufferedImage image, int sideMax) {
        int width = scaled(image.getWidth(), image, sideMax);
        int height = scaled(image.getHeight(), image, sideMax);
        int type = image.getColorModel().hasAlpha() ? BufferedImage.TYPE_INT_ARGB_PRE : BufferedImage.TYPE_INT_RGB;
        BufferedImage scaled = image;
        do {
            int stepWidth = Math.max(width, (scaled.getWidth() + 1) / 2);
            int stepHeight = Math.max(height, (scaled.getHeight() + 1) / 2);
            BufferedImage step = new BufferedImage(stepWidth, stepHeight, type);
            Graphics2D graphics = step.createGraphics();
            graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
            graphics.drawImage(scaled, 0, 0, stepWidth, stepHeight, null);
            graphics.dispose();
            scaled = step;
        } while (scaled.getWidth() != width || scaled.getHeight() != height);
        return scaled;
    }

    /**
     * How long a side becomes.
     *
     * @param side of the picture
     * @param image it
     * @param sideMax of the longer side
     * @return &gt;= 1
     */
    static int scaled(int side, BufferedImage image, int sideMax) {
        return scaled(side, Math.max(image.getWidth(), image.getHeight()), sideMax);
    }

    /**
     * How long a side becomes.
     *
     * @param side of a picture
     * @param longer its longer side
     * @param sideMax of the longer side, when it is scaled
     * @return &gt;= 1
     */
    public static int scaled(int side, int longer, int sideMax) {
        return longer <= sideMax ? side : (int) Math.max(1, Math.round((double) side * sideMax / longer));
    }
}
