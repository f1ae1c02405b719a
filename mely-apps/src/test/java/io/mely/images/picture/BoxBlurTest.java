// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Beside the sum over each pixel's square.
class BoxBlurTest {
    @ParameterizedTest
    @CsvSource({"40, 30, 1", "40, 30, 5", "3, 50, 8", "1, 1, 4"})
    void blur_isTheMeanOfTheSquare(int width, int height, int radius) {
        BufferedImage photo = TestPictures.photo(width, height, 4);
        BufferedImage blurred = BoxBlur.blur(photo, radius);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                for (int shift = 0; shift <= 16; shift += 8) {
                    double mean = mean(photo, x, y, radius, shift);
                    assertThat(blurred.getRGB(x, y) >> shift & 0xff).isBetween((int) (mean - 1), (int) (mean + 2));
                }
            }
        }
    }

    private static double mean(BufferedImage image, int x, int y, int radius, int shift) {
        long sum = 0;
        for (int dy = -radius; dy <= radius; dy++) {
            for (int dx = -radius; dx <= radius; dx++) {
                int column = Math.max(0, Math.min(image.getWidth() - 1, x + dx));
                int row = Math.max(0, Math.min(image.getHeight() - 1, y + dy));
                sum += image.getRGB(column, row) >> shift & 0xff;
            }
        }
        double side = 2 * radius + 1;
        return sum / (side * side);
    }

    @Test
    void oneColor_staysThat() {
        BufferedImage image = new BufferedImage(20, 20, BufferedImage.TYPE_INT_RGB);
        Pixels.of(image)[0] = 0;
        java.util.Arrays.fill(Pixels.of(image), 0x123456);
        assertThat(Pixels.of(BoxBlur.blur(image, 7))).containsOnly(0x123456);
    }
}
