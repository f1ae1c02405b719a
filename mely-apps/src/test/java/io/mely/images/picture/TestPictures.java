// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Pictures for tests, and how alike two are. */
public final class TestPictures {
    private TestPictures() {}

    /** Waves of all colors with some noise, as in a photograph; the same for each seed. */
    public static BufferedImage photo(int width, int height, int seed) {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(seed);
        double phase = random.nextDouble() * 6;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int noise = random.nextInt(8);
                int red = wave(x * 3.1 / width + phase) + noise;
                int green = wave(y * 5.3 / height + phase) + noise;
                int blue = wave((x + y) * 7.7 / (width + height) + phase) + noise;
                image.setRGB(x, y, red << 16 | green << 8 | blue);
            }
        }
        return image;
    }

    private static int wave(double at) {
        return (int) (124 + 120 * Math.sin(at));
    }

    public static byte[] file(BufferedImage image, PictureFormat format) {
        return PictureWriter.write(image, format, 0.95f);
    }

    /** Peak signal-to-noise ratio of red, green and blue: 30 dB and more look alike. */
    public static double psnr(BufferedImage a, BufferedImage b) {
        if (a.getWidth() != b.getWidth() || a.getHeight() != b.getHeight()) {
            throw new AssertionError(
                    a.getWidth() + " x " + a.getHeight() + " beside " + b.getWidth() + " x " + b.getHeight());
        }
        double squares = 0;
        for (int y = 0; y < a.getHeight(); y++) {
            for (int x = 0; x < a.getWidth(); x++) {
                for (int shift = 0; shift <= 16; shift += 8) {
                    int difference = (a.getRGB(x, y) >> shift & 0xff) - (b.getRGB(x, y) >> shift & 0xff);
                    squares += difference * difference;
                }
            }
        }
        double mean = squares / (3.0 * a.getWidth() * a.getHeight());
        return mean == 0 ? Double.POSITIVE_INFINITY : 10 * Math.log10(255 * 255 / mean);
    }

    /** A PNG of one color type, with rows as they are before compression. */
    public static byte[] png(int width, int height, int bits, int colorType, byte[] rows, byte[]... chunks) {
        ByteBuffer head = ByteBuffer.allocate(13).putInt(width).putInt(height);
        head.put((byte) bits).put((byte) colorType).put(new byte[3]);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
        file.writeBytes(chunk("IHDR", head.array()));
        for (byte[] each : chunks) {
            file.writeBytes(each);
        }
        file.writeBytes(chunk("IDAT", deflate(rows)));
        file.writeBytes(chunk("IEND", new byte[0]));
        return file.toByteArray();
    }

    public static byte[] deflate(byte[] content) {
        Deflater deflater = new Deflater(9);
        deflater.setInput(content);
        deflater.finish();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] piece = new byte[8_192];
        while (!deflater.finished()) {
            out.write(piece, 0, deflater.deflate(piece));
        }
        deflater.end();
        return out.toByteArray();
    }

    public static byte[] chunk(String name, byte[] content) {
        ByteBuffer chunk = ByteBuffer.allocate(12 + content.length).putInt(content.length);
        chunk.put(name.getBytes(StandardCharsets.US_ASCII)).put(content);
        CRC32 sum = new CRC32();
        sum.update(chunk.array(), 4, 4 + content.length);
        return chunk.putInt((int) sum.getValue()).array();
    }

    /** Says 60,000 x 60,000 pixels in fewer than a hundred bytes. */
    public static byte[] bomb() {
        return png(60_000, 60_000, 8, 2, new byte[1]);
    }

    /** Exif data with an orientation, the name of a camera and a place. */
    public static byte[] exif(int orientation) {
        ByteBuffer exif = ByteBuffer.allocate(80);
        exif.put("MM".getBytes(StandardCharsets.US_ASCII)).putShort((short) 42).putInt(8);
        exif.putShort((short) 3);
        entry(exif, 0x010f, 2, 10, 50); // maker, a text at 50
        entry(exif, 0x0112, 3, 1, orientation << 16);
        entry(exif, 0x8825, 4, 1, 62); // of the place, at 62
        exif.putInt(0);
        exif.position(50);
        exif.put("SecretCam\0".getBytes(StandardCharsets.US_ASCII));
        exif.position(62);
        exif.putShort((short) 1);
        entry(exif, 0x0001, 2, 2, 'N' << 24);
        return exif.array();
    }

    private static void entry(ByteBuffer exif, int tag, int type, int count, int value) {
        exif.putShort((short) tag).putShort((short) type).putInt(count).putInt(value);
    }

    /** A JPEG file with a segment behind its beginning. */
    public static byte[] withSegment(byte[] jpeg, int marker, byte[] content) {
        ByteBuffer file = ByteBuffer.allocate(jpeg.length + 4 + content.length);
        file.put(jpeg, 0, 2).put((byte) 0xff).put((byte) marker).putShort((short) (content.length + 2));
        return file.put(content).put(jpeg, 2, jpeg.length - 2).array();
    }

    public static byte[] withExif(byte[] jpeg, int orientation) {
        byte[] exif = exif(orientation);
        ByteBuffer content = ByteBuffer.allocate(6 + exif.length);
        content.put("Exif\0\0".getBytes(StandardCharsets.US_ASCII)).put(exif);
        return withSegment(jpeg, 0xe1, content.array());
    }
}
