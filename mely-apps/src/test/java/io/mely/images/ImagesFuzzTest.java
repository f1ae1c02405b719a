// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.sun.management.ThreadMXBean;
import io.mely.images.picture.Orientation;
import io.mely.images.picture.PictureException;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.PictureLimits;
import io.mely.images.picture.PictureReader;
import io.mely.images.picture.Scaler;
import io.mely.images.picture.TestPictures;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What comes from clients of the image server, by Jazzer. {@code mvn verify} runs the inputs below and those that were found once; a campaign, an hour for each method:
 * {@code mvn -Pfuzz -pl mely-apps -am test -Dtest=ImagesFuzzTest#pictures -Dsurefire.failIfNoSpecifiedTests=false -Djacoco.skip}.
 */
class ImagesFuzzTest {
    private static final int FILE_MAX = 3_000;
    private static final int FILES_MAX = 4;
    private static final String BOUNDARY = "0123456789abcdef";
    private static final PictureLimits LIMITS = new PictureLimits(20_000, 2_000);

    /** Tables and buffers of the decoders, whatever the size of the picture; measured: 3 MB of a WebP. */
    private static final long TABLE_BYTES = 16 << 20;

    /** A decoder allocates, and lets go, more than it holds at once. */
    private static final int ALLOCATIONS = 8;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    // ------------------------------------------------------------------ forms

    /** A line with what stands behind {@code multipart/form-data;}, and the body. */
    static Stream<byte[]> formSeeds() {
        String part = "--b~Content-Disposition: form-data; name=\"f\"; filename=\"x.png\"~Content-Type: image/png~~";
        return Stream.of(
                        "boundary=b\n" + part + "one~" + part + "two~--b--~",
                        "boundary=\"=_.:'()+?,-a b\"\n--=_.:'()+?,-a b~Content-Disposition: form-data; name=f; filename=x~~y~--=_.:'()+?,-a b--~",
                        "charset=utf-8; boundary=b\n~preamble~" + part + "~--x--b~~--b--~epilogue",
                        "boundary=b\n--b~Content-Disposition: form-data; name=\"text\"~~a field~" + part + "y~--b--",
                        "boundary=b\n--b~Content-Disposition: form-data; name=\"f\"; filename*=UTF-8''na%C3%AFve.png~~y~--b--~",
                        "boundary=b\n--b~Content-Disposition: form-data; name=f~Content-Type: multipart/mixed; boundary=c~~--c~Content-Disposition: attachment; filename=x~Content-Transfer-Encoding: binary~~y~--c--~--b--~",
                        "boundary=b\n--b~Content-Disposition: form-data; name=f; filename=x~Content-Length: 999999999~Content-Transfer-Encoding: base64~Content-Type: text/plain; charset=x~~y~--b--~",
                        "boundary=b\n" + (part + "x~").repeat(FILES_MAX + 1) + "--b--~",
                        "boundary=b\n" + part + "x".repeat(FILE_MAX + 1) + "~--b--~",
                        "boundary=\n",
                        "\n")
                .map(text -> text.replace("~", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Property: a body is refused, or its files are pieces of it, within the limits; and what a form has is what was put into it. */
    @MethodSource("formSeeds")
    @FuzzTest(maxDuration = "60m")
    void forms(byte[] input) throws IOException, FormException {
        FormReader reader = new FormReader(FILE_MAX, FILES_MAX);
        String text = new String(input, StandardCharsets.ISO_8859_1);
        String type = text.lines().findFirst().orElse("");
        if (type.chars().allMatch(letter -> letter >= ' ' && letter != 0x7f)) { // else it is no field of a head
            String body = text.substring(Math.min(text.length(), type.length() + 1));
            try {
                List<Source> files = parts(reader, "multipart/form-data;" + type, body);
                assertThat(files).hasSizeBetween(1, FILES_MAX);
                for (Source file : files) {
                    assertThat(file.content()).hasSizeLessThanOrEqualTo(FILE_MAX);
                    assertThat(body).contains(latin(file));
                }
            } catch (FormException refusal) {
                assertThat(refusal.status()).isIn(400, 413);
            }
        }
        String content = text.substring(0, Math.min(text.length(), FILE_MAX));
        if (!content.contains(BOUNDARY)) {
            String form = "--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n"
                    + content + "\r\n--" + BOUNDARY + "--\r\n";
            List<Source> files = parts(reader, "multipart/form-data; boundary=" + BOUNDARY, form);
            assertThat(files).hasSize(1);
            assertThat(latin(files.get(0))).isEqualTo(content);
        }
    }

    private static List<Source> parts(FormReader reader, String type, String body) throws FormException, IOException {
        return List.copyOf(reader.parts(type, new ByteArrayInputStream(body.getBytes(StandardCharsets.ISO_8859_1))));
    }

    private static String latin(Source file) {
        return new String(file.content(), StandardCharsets.ISO_8859_1);
    }

    // ------------------------------------------------------------------ pictures

    static Stream<byte[]> pictureSeeds() throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        for (PictureFormat format : PictureFormat.values()) {
            byte[] file = TestPictures.file(TestPictures.photo(20, 13, 1), format);
            seeds.add(file);
            seeds.add(Arrays.copyOf(file, file.length * 9 / 10));
        }
        BufferedImage transparent = new BufferedImage(9, 9, BufferedImage.TYPE_INT_ARGB);
        transparent.setRGB(4, 4, 0x80ff0000);
        seeds.add(TestPictures.file(transparent, PictureFormat.PNG));
        seeds.add(TestPictures.file(transparent, PictureFormat.WEBP));
        seeds.add(progressive(TestPictures.photo(20, 13, 2)));
        byte[] jpeg = TestPictures.file(TestPictures.photo(8, 8, 3), PictureFormat.JPEG);
        IntStream.rangeClosed(1, 8)
                .mapToObj(turn -> TestPictures.withExif(jpeg, turn))
                .forEach(seeds::add);
        byte[] palette = TestPictures.chunk("PLTE", new byte[] {10, 20, 30, 40, 50, 60});
        byte[] transparency = TestPictures.chunk("tRNS", new byte[] {1, 0});
        seeds.add(TestPictures.png(2, 1, 1, 3, new byte[] {0, 0x40}, palette, transparency));
        seeds.add(TestPictures.png(1, 1, 16, 4, new byte[5], TestPictures.chunk("eXIf", TestPictures.exif(6))));
        seeds.add(TestPictures.png(1, 1, 16, 6, new byte[9]));
        seeds.add(TestPictures.bomb());
        return seeds.stream();
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

    /** Property: a file is refused, or is a picture of the size that its head said; and what that costs follows from the size. */
    @MethodSource("pictureSeeds")
    @FuzzTest(maxDuration = "60m")
    void pictures(byte[] input) {
        long more = read(input);
        if (more > 0) {
            more = read(input); // classes were loaded in between
        }
        assertThat(more).as("bytes allocated beyond what is due").isLessThanOrEqualTo(0);
    }

    /** Allocated beyond what is due to a picture of its size. */
    private static long read(byte[] input) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        long memoryBytes = 0;
        try (PictureReader reader = PictureReader.open(input.clone(), LIMITS)) {
            memoryBytes = reader.memoryBytes();
            assertThat((long) reader.width() * reader.height()).isBetween(1L, 20_000L);
            Orientation orientation = reader.orientation();
            BufferedImage image = reader.read();
            assertThat(image.getWidth()).isEqualTo(reader.width());
            assertThat(image.getHeight()).isEqualTo(reader.height());
            BufferedImage upright = orientation.apply(Scaler.scale(image, 40));
            assertThat(Math.max(upright.getWidth(), upright.getHeight()))
                    .isEqualTo(Math.min(40, Math.max(image.getWidth(), image.getHeight())));
        } catch (PictureException refusal) {
            assertThat(refusal.status()).isIn(413, 415, 422);
        }
        return THREADS.getCurrentThreadAllocatedBytes()
                - before
                - (TABLE_BYTES + ALLOCATIONS * memoryBytes + 20L * input.length);
    }

    // ------------------------------------------------------------------ Exif

    static Stream<byte[]> exifSeeds() {
        return IntStream.rangeClosed(0, 9).mapToObj(TestPictures::exif);
    }

    private static final byte[] JPEG = TestPictures.file(TestPictures.photo(2, 3, 1), PictureFormat.JPEG);

    /** Property: whatever Exif data says, the picture is taken, and it is turned or left as it is. */
    @MethodSource("exifSeeds")
    @FuzzTest(maxDuration = "60m")
    void exif(byte[] exif) throws PictureException {
        ByteBuffer segment = ByteBuffer.allocate(Math.min(65_533, 6 + exif.length));
        segment.put("Exif\0\0".getBytes(StandardCharsets.US_ASCII)).put(exif, 0, segment.remaining());
        byte[] file = TestPictures.withSegment(JPEG, 0xe1, segment.array());
        try (PictureReader reader = PictureReader.open(file.clone(), LIMITS)) {
            BufferedImage upright = reader.orientation().apply(Scaler.scale(reader.read(), 3));
            assertThat(upright.getWidth() * upright.getHeight()).isEqualTo(6);
        }
        pictures(file);
    }
}
