// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;

/** The pixels of pictures that have one int for each. */
final class Pixels {
    private Pixels() {}

    /** Row by row; changes change the picture. */
    static int[] of(BufferedImage image) {
        return ((DataBufferInt) image.getRaster().getDataBuffer()).getData();
    }
}
