// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.luciad.imageio.webp.WebPWriteParam;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Heads that an encoder writes are passed; those that cost more than a picture are found out.
@Timeout(60)
class LosslessHeadTest {
    private static final PictureLimits LIMITS = new PictureLimits(1_000_000, 2_000);

    private final byte[] bits = new byte[1 << 18];
    private int count;

    /** The lowest bit first. */
    private LosslessHeadTest put(int value, int width) {
        for (int i = 0; i < width; i++, count++) {
            bits[count >> 3] |= (byte) ((value >> i & 1) << (count & 7));
        }
        return this;
    }

    /** A code with one symbol, which takes no bits. */
    private LosslessHeadTest putCode(int symbol) {
        return put(1, 1).put(0, 1).put(1, 1).put(symbol, 8);
    }

    private long tableBytes(int end) throws PictureException {
        return LosslessHead.tableBytes(bits, 0, end, 9, 9);
    }

    private static byte[] lossless(BufferedImage image) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("webp").next();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(file)) {
            writer.setOutput(out);
            WebPWriteParam parameters = new WebPWriteParam(Locale.ROOT);
            parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            parameters.setCompressionType(parameters.getCompressionTypes()[WebPWriteParam.LOSSLESS_COMPRESSION]);
            writer.write(null, new IIOImage(image, null, null), parameters);
        }
        writer.dispose();
        return file.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 0xffffff",
        "16, 16, 0xffffff",
        "301, 203, 0xffffff",
        "600, 400, 0xf0f0f0",
        "64, 64, 0x800000",
        "500, 300, 0xc0c0c0"
    })
    void pictures_areRead(int width, int height, int mask) throws Exception {
        assumeThat(PictureWriter.isWebpWritten()).isTrue();
        BufferedImage photo = TestPictures.photo(width, height, 1);
        int[] pixels = Pixels.of(photo);
        Arrays.setAll(pixels, i -> pixels[i] & mask);
        try (PictureReader reader = PictureReader.open(lossless(photo), LIMITS)) {
            assertThat(reader.memoryBytes()).isGreaterThan((long) width * height * 8);
            assertThat(TestPictures.psnr(reader.read(), photo)).isInfinite();
        }
    }

    @Test
    void transformTwice_isRefused() {
        put(1, 1).put(2, 2).put(1, 1).put(2, 2);
        assertThatThrownBy(() -> tableBytes(bits.length)).hasMessageContaining("a transform twice");
    }

    // 9 x 9 pixels, in 3 x 3 tiles of the last group there can be.
    @Test
    void groups_areCounted() throws PictureException {
        put(0, 2).put(1, 1).put(0, 3).put(0, 1);
        putCode(255).putCode(255).putCode(0).putCode(0).putCode(0);
        for (int i = 0; i < 5 * 65_536; i++) {
            put(1, 4); // one symbol, of one bit: 0
        }
        int end = (count + 7) / 8;
        assertThat(tableBytes(end)).isGreaterThan(65_536L * 5 * 256 * 4);
        assertThatThrownBy(() -> tableBytes(end - 1)).hasMessageContaining("it ends early");
    }

    @ParameterizedTest
    @CsvSource({"0, a color cache", "12, a color cache"})
    void cacheOfNoSize_isRefused(int cacheBits, String message) {
        put(0, 1).put(1, 1).put(cacheBits, 4);
        assertThatThrownBy(() -> tableBytes(bits.length)).hasMessageContaining(message);
    }

    // Two symbols that are one; and lengths that leave sequences of bits without a symbol.
    @Test
    void codesThatAreNone_areRefused() {
        put(0, 3).put(3, 2).put(1, 1).put(7, 8).put(7, 8);
        assertThatThrownBy(() -> tableBytes(bits.length)).hasMessageContaining("a code that is none");
        count = 0;
        Arrays.fill(bits, (byte) 0);
        put(0, 3).put(0, 1).put(0, 4).put(2, 3).put(2, 3).put(0, 6);
        assertThatThrownBy(() -> tableBytes(bits.length)).hasMessageContaining("a code that is none");
    }
}
