// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

// Good pictures come out as they went in; all others are refused with a status, before they cost anything.
@Timeout(120)
class PictureReaderTest {
    private static final PictureLimits LIMITS = new PictureLimits(1_000_000, 5_000);

    private static BufferedImage read(byte[] file) throws PictureException {
        try (PictureReader reader = PictureReader.open(file.clone(), LIMITS)) {
            return reader.read();
        }
    }

    private static PictureException refused(byte[] file) {
        return catchThrowableOfType(PictureException.class, () -> read(file));
    }

    private static byte[] progressive(BufferedImage image) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(file)) {
            writer.setOutput(out);
            ImageWriteParam parameters = writer.getDefaultWriteParam();
            parameters.setProgressiveMode(ImageWriteParam.MODE_DEFAULT);
            writer.write(null, new IIOImage(image, null, null), parameters);
        }
        writer.dispose();
        return file.toByteArray();
    }

    @ParameterizedTest
    @EnumSource(PictureFormat.class)
    void read_isThePicture(PictureFormat format) throws PictureException {
        BufferedImage photo = TestPictures.photo(321, 243, 1);
        byte[] file = TestPictures.file(photo, format);
        assertThat(PictureFormat.of(file)).isEqualTo(format);
        assertThat(TestPictures.psnr(read(file), photo)).isGreaterThan(30);
    }

    @Test
    void memory_isThatOfThePicture() throws PictureException, IOException {
        BufferedImage photo = TestPictures.photo(100, 50, 1);
        assertThat(memory(TestPictures.file(photo, PictureFormat.PNG))).isEqualTo(5_000 * 4);
        assertThat(memory(TestPictures.file(photo, PictureFormat.JPEG))).isEqualTo(5_000 * 4);
        assertThat(memory(progressive(photo))).as("with coefficients").isEqualTo(5_000 * 10);
        assertThat(memory(TestPictures.file(photo, PictureFormat.WEBP))).isGreaterThanOrEqualTo(5_000 * 8);
    }

    private static long memory(byte[] file) throws PictureException {
        try (PictureReader reader = PictureReader.open(file, LIMITS)) {
            return reader.memoryBytes();
        }
    }

    // Java2D makes some grey pictures brighter; 100 is to be 100 in all of them.
    @ParameterizedTest
    @CsvSource({
        "8, 0, '0 100'",
        "16, 0, '0 100 0'",
        "8, 4, '0 100 255'",
        "16, 4, '0 100 0 255 255'",
        "8, 2, '0 100 100 100'"
    })
    void gray_keepsItsBrightness(int bits, int colorType, String row) throws PictureException {
        byte[] bytes = new byte[row.split(" ").length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(row.split(" ")[i]);
        }
        BufferedImage scaled = Scaler.scale(read(TestPictures.png(1, 1, bits, colorType, bytes)), 1);
        assertThat(scaled.getRGB(0, 0)).isEqualTo(0xff646464);
    }

    @Test
    void grayJpeg_keepsItsBrightness() throws PictureException, IOException {
        BufferedImage gray = new BufferedImage(16, 16, BufferedImage.TYPE_BYTE_GRAY);
        Arrays.fill(((java.awt.image.DataBufferByte) gray.getRaster().getDataBuffer()).getData(), (byte) 100);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        ImageIO.write(gray, "jpeg", file);
        BufferedImage scaled = Scaler.scale(read(file.toByteArray()), 4);
        assertThat(scaled.getRGB(2, 2) & 0xff).isBetween(98, 102);
    }

    @Test
    void paletteAndTransparency_areRead() throws PictureException {
        byte[] palette = TestPictures.chunk("PLTE", new byte[] {10, 20, 30, (byte) 200, (byte) 210, (byte) 220});
        byte[] transparency = TestPictures.chunk("tRNS", new byte[] {(byte) 255, 0});
        byte[] file = TestPictures.png(2, 1, 1, 3, new byte[] {0, 0x40}, palette, transparency);
        BufferedImage image = Scaler.scale(read(file), 2);
        assertThat(image.getRGB(0, 0)).isEqualTo(0xff0a141e);
        assertThat(image.getRGB(1, 0) >>> 24).isZero();
    }

    // As printers' pictures are: four components.
    @Test
    void cmykJpeg_isRead() throws PictureException, IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        WritableRaster raster = Raster.createInterleavedRaster(0, 16, 16, 4, null);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(file)) {
            writer.setOutput(out);
            writer.write(null, new IIOImage(raster, null, null), null);
        }
        writer.dispose();
        BufferedImage image = read(file.toByteArray());
        assertThat(image.getColorModel().getNumColorComponents()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(PictureFormat.class)
    void truncated_isRefused(PictureFormat format) {
        byte[] file = TestPictures.file(TestPictures.photo(100, 80, 1), format);
        for (int percent : new int[] {2, 10, 50, 90, 99}) {
            PictureException refusal = refused(Arrays.copyOf(file, Math.max(12, file.length * percent / 100)));
            assertThat(refusal).as("%d %%", percent).isNotNull();
            assertThat(refusal.status()).isEqualTo(422);
        }
        assertThat(refused(Arrays.copyOf(file, file.length - 1))).isNotNull();
    }

    // An end marker behind half of the data does not make it whole.
    @Test
    void truncatedJpegWithAnEnd_isRefused() {
        byte[] file = TestPictures.file(TestPictures.photo(100, 80, 1), PictureFormat.JPEG);
        byte[] half = Arrays.copyOf(file, file.length / 2);
        half[half.length - 2] = (byte) 0xff;
        half[half.length - 1] = (byte) 0xd9;
        assertThat(refused(half).status()).isEqualTo(422);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "GIF89a", "<svg xmlns='http://www.w3.org/2000/svg'/>", "RIFF    WAVE", "%PDF-1.7"})
    void otherFormats_areRefused(String content) {
        assertThat(refused(content.getBytes(StandardCharsets.US_ASCII)).status())
                .isEqualTo(415);
    }

    @ParameterizedTest
    @EnumSource(PictureFormat.class)
    void noiseBehindAFormatsBeginning_isRefused(PictureFormat format) {
        byte[] file = TestPictures.file(TestPictures.photo(10, 10, 1), format);
        byte[] noise = new byte[1_000];
        new Random(5).nextBytes(noise);
        System.arraycopy(file, 0, noise, 0, 12);
        assertThat(refused(noise).status()).isEqualTo(422);
    }

    // What is too large is known by its head: nothing is allocated for it.
    @Test
    void bombs_are413() {
        assertThat(refused(TestPictures.bomb()).status()).isEqualTo(413);
        assertThat(refused(TestPictures.png(2_000, 501, 8, 0, new byte[1])).status())
                .isEqualTo(413);
        assertThat(refused(TestPictures.png(5_001, 1, 8, 0, new byte[1])).status())
                .isEqualTo(413);
        byte[] jpeg = TestPictures.file(TestPictures.photo(16, 16, 1), PictureFormat.JPEG);
        assertThat(refused(withJpegSize(jpeg, 65_000, 65_000)).status()).isEqualTo(413);
        assertThat(refused(losslessWebp(16_384, 16_384))).hasMessageContaining("16384 x 16384");
        assertThat(refused(TestPictures.png(0, 5, 8, 0, new byte[1])).status()).isEqualTo(422);
    }

    private static byte[] withJpegSize(byte[] file, int width, int height) {
        byte[] changed = file.clone();
        for (int i = 0; i < changed.length - 8; i++) {
            if (changed[i] == (byte) 0xff && changed[i + 1] == (byte) 0xc0) {
                ByteBuffer.wrap(changed, i + 5, 4).putShort((short) height).putShort((short) width);
                return changed;
            }
        }
        throw new AssertionError("no frame");
    }

    private static byte[] losslessWebp(int width, int height) {
        int bits = width - 1 | height - 1 << 14;
        ByteBuffer file = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        text(file, "RIFF").putInt(56);
        text(file, "WEBPVP8L").putInt(44).put((byte) 0x2f).putInt(bits);
        return file.array();
    }

    private static ByteBuffer text(ByteBuffer to, String text) {
        return to.put(text.getBytes(StandardCharsets.US_ASCII));
    }

    // The head says a small size, and the picture inside a large one.
    @Test
    void lyingWebp_isRefused() {
        byte[] inner = losslessWebp(9_000, 9_000);
        ByteBuffer file = ByteBuffer.allocate(inner.length + 18).order(ByteOrder.LITTLE_ENDIAN);
        text(file, "RIFF").putInt(inner.length + 10);
        text(file, "WEBPVP8X").putInt(10).putInt(0).put(new byte[] {9, 0, 0, 9, 0, 0});
        file.put(inner, 12, inner.length - 12);
        PictureException refusal = refused(file.array());
        assertThat(refusal.status()).isEqualTo(422);
        assertThat(refusal).hasMessageContaining("two sizes");
    }

    @Test
    void animatedWebp_is415() {
        ByteBuffer file = ByteBuffer.allocate(30).order(ByteOrder.LITTLE_ENDIAN);
        text(file, "RIFF").putInt(22);
        text(file, "WEBPVP8X").putInt(10).putInt(2).put(new byte[6]);
        assertThat(refused(file.array()).status()).isEqualTo(415);
    }

    // A text that is compressed from 200 MB: it is not looked at.
    @Test
    void pngWithACompressedText_isReadWithoutIt() throws PictureException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes("key\0\0".getBytes(StandardCharsets.US_ASCII));
        content.writeBytes(TestPictures.deflate(new byte[200 << 20]));
        byte[] palette = TestPictures.chunk("PLTE", new byte[6]);
        byte[] file =
                TestPictures.png(1, 1, 1, 3, new byte[2], TestPictures.chunk("zTXt", content.toByteArray()), palette);
        assertThat(read(file).getWidth()).isEqualTo(1);
        assertThat(PngChunksLength.of(file)).isLessThan(200);
    }

    /** What is left of a PNG file. */
    private static final class PngChunksLength {
        static int of(byte[] file) throws PictureException {
            return PngChunks.keepNeeded(file.clone()).length();
        }
    }

    // Each scan goes through the whole picture.
    @Test
    void jpegWithManyScans_isRefused() throws IOException {
        byte[] file = progressive(TestPictures.photo(64, 64, 1));
        int scan = 0;
        while (file[scan] != (byte) 0xff || file[scan + 1] != (byte) 0xda) {
            scan++;
        }
        byte[] one = {(byte) 0xff, (byte) 0xda, 0, 8, 1, 1, 0, 1, 5, 0};
        ByteBuffer many = ByteBuffer.allocate(file.length + 200 * one.length).put(file, 0, file.length - 2);
        for (int i = 0; i < 200; i++) {
            many.put(one);
        }
        many.put((byte) 0xff).put((byte) 0xd9);
        assertThat(scan).isPositive();
        assertThat(refused(Arrays.copyOf(many.array(), many.position()))).hasMessageContaining("scans");
    }

    // Whatever is changed in a file: a picture or a refusal, and nothing else.
    @ParameterizedTest
    @EnumSource(PictureFormat.class)
    void damagedFiles_areReadOrRefused(PictureFormat format) {
        byte[] file = TestPictures.file(TestPictures.photo(40, 30, 1), format);
        Random random = new Random(11);
        int refusals = 0;
        for (int i = 0; i < 400; i++) {
            byte[] damaged = file.clone();
            for (int n = 1 + random.nextInt(4); n > 0; n--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            try {
                read(damaged);
            } catch (PictureException e) {
                refusals++;
                assertThat(e.status()).isIn(413, 415, 422);
            }
        }
        assertThat(refusals).isPositive();
    }
}
