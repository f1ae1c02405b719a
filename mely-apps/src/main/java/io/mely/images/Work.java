// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.Sized;
import io.mely.images.picture.PictureFormat;
import java.awt.image.BufferedImage;
import org.jspecify.annotations.Nullable;

/** The events of the stages behind the answer: each is about a picture. */
sealed interface Work extends Sized {
    /** Whose it is. */
    Picture picture();

    /**
     * For the scaler: to make a version of a picture.
     *
     * @param picture whose it is
     * @param version its index
     */
    record Scaling(Picture picture, int version) implements Work {
        @Override
        public long size() {
            return pixels(picture.image);
        }
    }

    /**
     * For the blurrer: a version that is to be blurred.
     *
     * @param picture whose it is
     * @param version its index
     * @param image scaled
     */
    record Blurring(Picture picture, int version, BufferedImage image) implements Work {
        @Override
        public long size() {
            return pixels(image);
        }
    }

    /**
     * For the encoder: a version that is to become a file.
     *
     * @param picture whose it is
     * @param version its index
     * @param image of the version
     * @param format of the file
     */
    record Encoding(Picture picture, int version, BufferedImage image, PictureFormat format) implements Work {
        @Override
        public long size() {
            return pixels(image);
        }
    }

    /**
     * For the disk writer: a file.
     *
     * @param picture whose it is
     * @param file what is known of it; null: the picture has failed, and its files are to be removed
     * @param content of the file
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Filing(Picture picture, Picture.@Nullable Ready file, byte[] content) implements Work {
        @Override
        public long size() {
            return content.length;
        }
    }

    private static long pixels(BufferedImage image) {
        return (long) image.getWidth() * image.getHeight();
    }
}
