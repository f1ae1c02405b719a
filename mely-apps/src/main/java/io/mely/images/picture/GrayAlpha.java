// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;
import java.awt.image.SampleModel;

/** Grey pictures with transparency. Java2D takes their values for linear light and makes them brighter; here they stay as they are. */
final class GrayAlpha {
    /** Of a converted pixel. */
    static final int BYTES = 4;

    private GrayAlpha() {}

    static boolean isConverted(SampleModel samples) {
        return samples.getNumBands() == 2;
    }

    static BufferedImage convert(BufferedImage gray) {
        int shift = gray.getSampleModel().getDataType() == DataBuffer.TYPE_USHORT ? Byte.SIZE : 0;
        int width = gray.getWidth();
        Raster raster = gray.getRaster();
        BufferedImage image = new BufferedImage(width, gray.getHeight(), BufferedImage.TYPE_INT_ARGB);
        int[] values = new int[width];
        int[] alphas = new int[width];
        for (int y = 0; y < gray.getHeight(); y++) {
            raster.getSamples(0, y, width, 1, 0, values);
            raster.getSamples(0, y, width, 1, 1, alphas);
            for (int x = 0; x < width; x++) {
                values[x] = (alphas[x] >> shift) << 24 | (values[x] >> shift) * 0x10101;
            }
            image.setRGB(0, y, width, 1, values, 0, width);
        }
        return image;
    }
}
