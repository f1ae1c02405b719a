// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Beside an exact reference: each pixel of the copy is the mean of the area that it stands for.
class ScalerTest {
    @ParameterizedTest
    @CsvSource({
        "800, 600, 160, 160, 120",
        "801, 599, 400, 400, 299",
        "300, 900, 100, 33, 100",
        "640, 480, 600, 600, 450"
    })
    void scale_isTheMeanOfTheArea(int width, int height, int side, int newWidth, int newHeight) {
        BufferedImage photo = TestPictures.photo(width, height, 3);
        BufferedImage scaled = Scaler.scale(photo, side);
        assertThat(scaled.getWidth()).isEqualTo(newWidth);
        assertThat(scaled.getHeight()).isEqualTo(newHeight);
        assertThat(TestPictures.psnr(scaled, mean(photo, newWidth, newHeight))).isGreaterThan(36);
    }

    private static BufferedImage mean(BufferedImage image, int width, int height) {
        BufferedImage mean = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        double stepX = (double) image.getWidth() / width;
        double stepY = (double) image.getHeight() / height;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                mean.setRGB(x, y, mean(image, x * stepX, y * stepY, (x + 1) * stepX, (y + 1) * stepY));
            }
        }
        return mean;
    }

    private static int mean(BufferedImage image, double left, double top, double right, double bottom) {
        double[] sums = new double[3];
        double weights = 0;
        for (int y = (int) top; y < Math.min(image.getHeight(), Math.ceil(bottom)); y++) {
            for (int x = (int) left; x < Math.min(image.getWidth(), Math.ceil(right)); x++) {
                double weight =
                        (Math.min(x + 1, right) - Math.max(x, left)) * (Math.min(y + 1, bottom) - Math.max(y, top));
                weights += weight;
                for (int i = 0; i < 3; i++) {
                    sums[i] += weight * (image.getRGB(x, y) >> 8 * i & 0xff);
                }
            }
        }
        int pixel = 0;
        for (int i = 0; i < 3; i++) {
            pixel |= (int) Math.round(sums[i] / weights) << 8 * i;
        }
        return pixel;
    }

    @Test
    void smallPicture_staysAsItIs() {
        BufferedImage photo = TestPictures.photo(30, 20, 1);
        assertThat(TestPictures.psnr(Scaler.scale(photo, 100), photo)).isInfinite();
    }

    @Test
    void longPicture_keepsAPixel() {
        BufferedImage scaled = Scaler.scale(TestPictures.photo(2_000, 2, 1), 100);
        assertThat(scaled.getWidth()).isEqualTo(100);
        assertThat(scaled.getHeight()).isEqualTo(1);
    }

    // What is transparent has no color that could show at the edge.
    @Test
    void transparentPixels_giveNoColor() {
        BufferedImage image = new BufferedImage(64, 64, BufferedImage.TYPE_INT_ARGB);
        for (int y = 0; y < 64; y++) {
            for (int x = 0; x < 64; x++) {
                image.setRGB(x, y, (x + y) % 2 == 0 ? 0xffff0000 : 0x0000ff00);
            }
        }
        BufferedImage scaled = Scaler.scale(image, 16);
        int pixel = scaled.getRGB(8, 8);
        assertThat(pixel >>> 24).isBetween(120, 135);
        assertThat(pixel >> 16 & 0xff).isGreaterThan(245);
        assertThat(pixel >> 8 & 0xff).isLessThan(10);
    }
}
