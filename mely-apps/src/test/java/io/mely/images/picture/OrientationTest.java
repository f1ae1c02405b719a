// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// The stored picture has the pixels 1 2 3 in its first row and 4 5 6 in its second. What the specification calls the
// 0th row is
// the visual top, and so on: each value says where the upright picture's rows come from.
class OrientationTest {
    private static BufferedImage stored() {
        BufferedImage image = new BufferedImage(3, 2, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 6; i++) {
            image.setRGB(i % 3, i / 3, i + 1);
        }
        return image;
    }

    private static String rows(BufferedImage image) {
        StringBuilder rows = new StringBuilder();
        for (int y = 0; y < image.getHeight(); y++) {
            rows.append(y == 0 ? "" : " ");
            for (int x = 0; x < image.getWidth(); x++) {
                rows.append(image.getRGB(x, y) & 0xff);
            }
        }
        return rows.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 123 456",
        "2, 321 654",
        "3, 654 321",
        "4, 456 123",
        "5, 14 25 36",
        "6, 41 52 63",
        "7, 63 52 41",
        "8, 36 25 14"
    })
    void apply_turnsUpright(int value, String upright) {
        Orientation orientation = Orientation.of(TestPictures.exif(value));
        assertThat(rows(orientation.apply(stored()))).isEqualTo(upright);
        assertThat(orientation.swapsSides()).isEqualTo(value > 4);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9, 32_000})
    void of_unknownValue_isUpright(int value) {
        assertThat(Orientation.of(TestPictures.exif(value))).isEqualTo(Orientation.UPRIGHT);
    }

    @Test
    void of_damagedExif_isUpright() {
        byte[] exif = TestPictures.exif(6);
        for (int length = 0; length < 30; length++) {
            assertThat(Orientation.of(java.util.Arrays.copyOf(exif, length))).isEqualTo(Orientation.UPRIGHT);
        }
        assertThat(Orientation.of(null)).isEqualTo(Orientation.UPRIGHT);
    }

    @Test
    void of_changedExif_isSomeOrientation() {
        java.util.Random random = new java.util.Random(17);
        for (int i = 0; i < 5_000; i++) {
            byte[] exif = TestPictures.exif(6);
            for (int n = 1 + random.nextInt(6); n > 0; n--) {
                exif[random.nextInt(exif.length)] = (byte) random.nextInt(256);
            }
            assertThat(Orientation.of(exif)).isNotNull();
        }
    }

    // Each format has its place for Exif data.
    @Test
    void allFormats_areLookedAt() throws PictureException {
        BufferedImage photo = TestPictures.photo(20, 10, 1);
        byte[] jpeg = TestPictures.withExif(TestPictures.file(photo, PictureFormat.JPEG), 6);
        byte[] png = TestPictures.png(1, 1, 8, 0, new byte[2], TestPictures.chunk("eXIf", TestPictures.exif(6)));
        for (byte[] file : new byte[][] {jpeg, png, webpWithExif(photo)}) {
            try (PictureReader reader = PictureReader.open(file, new PictureLimits(1_000, 100))) {
                assertThat(reader.orientation()).as(reader.format().name()).isEqualTo(Orientation.LYING_LEFT);
                assertThat(reader.read()).isNotNull();
            }
        }
    }

    private static byte[] webpWithExif(BufferedImage image) {
        byte[] plain = TestPictures.file(image, PictureFormat.WEBP);
        byte[] exif = TestPictures.exif(6);
        ByteBuffer file =
                ByteBuffer.allocate(plain.length + 18 + 8 + exif.length).order(ByteOrder.LITTLE_ENDIAN);
        file.put(plain, 0, 12);
        file.put("VP8X".getBytes(StandardCharsets.US_ASCII)).putInt(10).putInt(8);
        file.put(new byte[] {(byte) (image.getWidth() - 1), 0, 0, (byte) (image.getHeight() - 1), 0, 0});
        file.put(plain, 12, plain.length - 12);
        file.put("EXIF".getBytes(StandardCharsets.US_ASCII)).putInt(exif.length).put(exif);
        return file.putInt(4, file.capacity() - 8).array();
    }
}
