// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

/**
 * How large a picture may be, by its head.
 *
 * @param pixelsMax most pixels
 * @param sideMax most pixels of a row or a column
 */
public record PictureLimits(long pixelsMax, int sideMax) {
    void check(int width, int height) throws PictureException {
        if (width < 1 || height < 1) {
            throw PictureException.damaged("no pixels");
        }
        if (width > sideMax || height > sideMax || (long) width * height > pixelsMax) {
            throw new PictureException(
                    413,
                    "too large: " + width + " x " + height + " pixels; a side has at most " + sideMax
                            + ", all together at most " + pixelsMax);
        }
    }
}
