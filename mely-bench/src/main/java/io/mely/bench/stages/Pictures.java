// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/**
 * JPEG files for the image server: those of a folder, or made-up ones whose sizes are spread as in the thesis: half of them below 37 KB, a tenth above 620 KB, none above 4.2 MB.
 *
 * <p>A server that has a picture already does nothing with it. So each request has the number of the request in a comment of the file. <b>Source.</b> spec: stages §9.2.
 */
final class Pictures {
    private static final int MADE = 300;
    private static final double MEDIAN_BYTES = 37_200;
    private static final double SPREAD = 2.2; // of the natural logarithm: the 90th percentile is 623,200 bytes
    private static final double BYTES_MIN = 1_000;
    private static final double BYTES_MAX = 4_200_000;

    /** Of what {@link #draw} draws, about: measured, and printed by the command for the whole set. */
    private static final double PIXELS_PER_BYTE = 3;

    private static final int COMMENT_BYTES = 12;
    private static final int START_BYTES = 2; // of a JPEG file

    private final String what;
    private final List<byte[]> files;

    private Pictures(String what, List<byte[]> files) {
        this.what = what;
        this.files = files;
    }

    /** The JPEG files of a folder, in an order that is the same each time and has nothing to do with their names. */
    static Pictures of(Path folder) throws IOException {
        List<byte[]> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path path : all.sorted().toList()) {
                String name = path.getFileName().toString().toLowerCase(Locale.ROOT);
                if (name.endsWith(".jpg") || name.endsWith(".jpeg")) {
                    files.add(Files.readAllBytes(path));
                }
            }
        }
        Collections.shuffle(files, new Random(1));
        if (files.isEmpty()) {
            throw new IOException("no .jpg or .jpeg file in " + folder);
        }
        return new Pictures("of " + folder, files);
    }

    static Pictures made() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        List<byte[]> files = new ArrayList<>();
        for (int i = 0; i < MADE; i++) {
            int width = (int) Math.max(16, Math.sqrt(bytes(random) * PIXELS_PER_BYTE * 4 / 3));
            files.add(draw(width, Math.max(12, width * 3 / 4), random.split()));
        }
        return new Pictures("made-up", files);
    }

    /** How large a file is. */
    static double bytes(SplittableRandom random) {
        double normal = Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
        return Math.max(BYTES_MIN, Math.min(BYTES_MAX, MEDIAN_BYTES * Math.exp(SPREAD * normal)));
    }

    /** Waves of color, and a little noise. */
    private static byte[] draw(int width, int height, SplittableRandom random) throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        double[] waves = random.doubles(6, 0.005, 0.05).toArray();
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int color = 0;
                for (int channel = 0; channel < 3; channel++) {
                    double value = 127 + 90 * Math.sin(x * waves[channel]) * Math.cos(y * waves[channel + 3]);
                    color = (color << 8) | (int) (value + random.nextDouble() * 24);
                }
                image.setRGB(x, y, color);
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (!ImageIO.write(image, "jpeg", out)) {
            throw new IOException("this JDK writes no JPEG");
        }
        return out.toByteArray();
    }

    /** The picture of a request. */
    byte[] picture(int number) {
        byte[] file = files.get(number % files.size());
        byte[] copy = new byte[file.length + COMMENT_BYTES];
        System.arraycopy(file, 0, copy, 0, START_BYTES);
        copy[START_BYTES] = (byte) 0xff;
        copy[START_BYTES + 1] = (byte) 0xfe; // a comment
        copy[START_BYTES + 3] = COMMENT_BYTES - 2; // its length, with these two bytes
        for (int i = 0; i < Integer.BYTES; i++) {
            copy[START_BYTES + COMMENT_BYTES - 1 - i] = (byte) (number >>> (8 * i));
        }
        System.arraycopy(file, START_BYTES, copy, START_BYTES + COMMENT_BYTES, file.length - START_BYTES);
        return copy;
    }

    /** How large they are. */
    String sizes() {
        long[] sizes = files.stream().mapToLong(file -> file.length).sorted().toArray();
        return String.format(
                Locale.ROOT,
                "%,d pictures, %s, %,.1f MB; median %,d, mean %,d, 90th percentile %,d, largest %,d bytes",
                sizes.length,
                what,
                Arrays.stream(sizes).sum() / 1e6,
                sizes[sizes.length / 2],
                Arrays.stream(sizes).sum() / sizes.length,
                sizes[sizes.length * 9 / 10],
                sizes[sizes.length - 1]);
    }
}
