// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.bench.Commands;
import io.mely.images.picture.PictureException;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.PictureLimits;
import io.mely.images.picture.PictureReader;
import io.mely.images.picture.PictureWriter;
import io.mely.images.picture.Scaler;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code stages pictures}: from real pictures of any size and format JPEG files whose sizes are spread as in the thesis. Each picture becomes one file at least, if it is large enough for one;
 * large ones become several, each a part of them. The same pictures always become the same files.
 *
 * <p><b>Source.</b> spec: stages §9.2.
 */
@Command(
        name = "pictures",
        mixinStandardHelpOptions = true,
        description =
                "Makes JPEG files of a folder's pictures (JPEG, PNG, WebP), with the sizes of the thesis: for stages image --pictures.")
final class PictureSet implements Callable<Integer> {
    private static final PictureLimits LIMITS = new PictureLimits(200_000_000, 65_535);
    private static final float QUALITY = 0.85f;
    private static final int SAMPLE_SIDE = 800;
    private static final int TRIES = 4;
    private static final double NEAR = 0.1;
    private static final int PART_MIN_PERCENT = 50;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(names = "--from", required = true, description = "Folder of pictures, searched in all its folders.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Path from;

    @Option(names = "--to", required = true, description = "Folder of the files; made if it is not there.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Path to;

    @Option(names = "--count", description = "Files to make (default: ${DEFAULT-VALUE}).")
    private int count = 1_000;

    /**
     * A picture that can be read.
     *
     * @param bytesPerPixel as a JPEG file
     */
    private record Original(Path path, long pixels, double bytesPerPixel) {
        double bytes() {
            return pixels * bytesPerPixel;
        }
    }

    @Override
    public Integer call() throws IOException {
        if (count < 1 || !Files.isDirectory(from)) {
            throw new ParameterException(spec.commandLine(), "--count must be >= 1, --from a folder");
        }
        List<Original> originals = originals();
        if (originals.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--from: no picture in " + from);
        }
        originals.sort(Comparator.comparingDouble(Original::bytes).thenComparing(Original::path));
        Map<Original, List<Double>> planned = plan(originals);
        Files.createDirectories(to);
        int made = 0;
        for (Original original : originals) {
            List<Double> sizes = planned.getOrDefault(original, List.of());
            if (!sizes.isEmpty()) {
                made = make(original, sizes, made);
                say(String.format(Locale.ROOT, "%,d of %,d files", made, count));
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(Pictures.of(to).sizes() + "; of " + originals.size() + " pictures in " + from);
        out.flush();
        return 0;
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
    }

    // ------------------------------------------------------------------ which

    private List<Original> originals() throws IOException {
        List<Path> paths;
        try (Stream<Path> all = Files.walk(from)) {
            paths = all.filter(PictureSet::isNamedSo).sorted().toList();
        }
        List<Original> originals = new ArrayList<>();
        for (Path path : paths) {
            BufferedImage image = read(path);
            if (image == null) {
                continue;
            }
            int width = Math.min(SAMPLE_SIDE, image.getWidth());
            int height = Math.min(SAMPLE_SIDE, image.getHeight());
            BufferedImage sample =
                    image.getSubimage((image.getWidth() - width) / 2, (image.getHeight() - height) / 2, width, height);
            byte[] file = PictureWriter.write(copy(sample), PictureFormat.JPEG, QUALITY);
            long pixels = (long) image.getWidth() * image.getHeight();
            originals.add(new Original(path, pixels, (double) file.length / width / height));
            if (originals.size() % 100 == 0) {
                say(String.format(Locale.ROOT, "%,d of %,d pictures read", originals.size(), paths.size()));
            }
        }
        return originals;
    }

    private static boolean isNamedSo(Path path) {
        String name = path.getFileName().toString().toLowerCase(Locale.ROOT);
        String extension = name.substring(name.lastIndexOf('.') + 1);
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                && (extension.equals("jpeg") || PictureFormat.ofExtension(extension) != null);
    }

    private @Nullable BufferedImage read(Path path) throws IOException {
        try (PictureReader reader = PictureReader.open(Files.readAllBytes(path), LIMITS)) {
            return reader.orientation().apply(copy(reader.read()));
        } catch (PictureException e) {
            say(path + " is left out: " + e.getMessage());
            return null;
        }
    }

    /** Of a type that all pictures have after scaling. */
    private static BufferedImage copy(BufferedImage image) {
        return Scaler.scale(image, Math.max(image.getWidth(), image.getHeight()));
    }

    /** Small pictures take the largest sizes that they are large enough for; what is left goes to the others in turn. */
    private Map<Original, List<Double>> plan(List<Original> originals) {
        SplittableRandom random = new SplittableRandom(1);
        List<Double> sizes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sizes.add(Pictures.bytes(random));
        }
        Collections.sort(sizes);
        Map<Original, List<Double>> planned = new HashMap<>();
        for (Original original : originals) {
            int fits = firstAbove(sizes, original.bytes());
            if (fits > 0) {
                give(planned, original, sizes.remove(fits - 1));
            }
        }
        int next = originals.size() - 1;
        Collections.reverse(sizes);
        for (double size : sizes) {
            if (originals.get(next).bytes() < size) {
                next = originals.size() - 1;
            }
            Original largest = originals.get(originals.size() - 1);
            give(planned, originals.get(next), Math.min(size, largest.bytes()));
            next = next == 0 ? originals.size() - 1 : next - 1;
        }
        return planned;
    }

    private static void give(Map<Original, List<Double>> planned, Original original, double size) {
        planned.computeIfAbsent(original, key -> new ArrayList<>()).add(size);
    }

    private static int firstAbove(List<Double> sizes, double bytes) {
        int found = Collections.binarySearch(sizes, bytes);
        return found < 0 ? -found - 1 : found + 1;
    }

    // ------------------------------------------------------------------ files

    private int make(Original original, List<Double> sizes, int before) throws IOException {
        BufferedImage image = read(original.path());
        if (image == null) {
            throw new IOException("has changed: " + original.path());
        }
        SplittableRandom random = new SplittableRandom(before);
        int made = before;
        for (double size : sizes) {
            BufferedImage source = made == before ? image : part(image, original, size, random);
            byte[] file = file(source, size, original.bytesPerPixel());
            if (source != image && file.length < (1 - NEAR) * size) {
                file = file(image, size, original.bytesPerPixel()); // the part has too little in it
            }
            Files.write(to.resolve(String.format(Locale.ROOT, "%05d.jpg", made)), file);
            made++;
        }
        return made;
    }

    /** Half of its sides at least, and enough for a size. */
    private static BufferedImage part(BufferedImage image, Original original, double size, SplittableRandom random) {
        double least = Math.max(PART_MIN_PERCENT / 100.0, Math.sqrt(Math.min(1, size / original.bytes())));
        double share = least + (1 - least) * random.nextDouble();
        int width = Math.max(1, (int) (image.getWidth() * share));
        int height = Math.max(1, (int) (image.getHeight() * share));
        int x = random.nextInt(image.getWidth() - width + 1);
        int y = random.nextInt(image.getHeight() - height + 1);
        return image.getSubimage(x, y, width, height);
    }

    /** As near to a size as some tries come. */
    private static byte[] file(BufferedImage image, double size, double bytesPerPixel) {
        int longer = Math.max(image.getWidth(), image.getHeight());
        double pixels = (double) image.getWidth() * image.getHeight();
        double side = Math.min(longer, longer * Math.sqrt(size / (bytesPerPixel * pixels)));
        byte[] nearest = {};
        for (int i = 0; i < TRIES; i++) {
            byte[] file =
                    PictureWriter.write(Scaler.scale(image, (int) Math.max(1, side)), PictureFormat.JPEG, QUALITY);
            if (i == 0 || Math.abs(file.length - size) < Math.abs(nearest.length - size)) {
                nearest = file;
            }
            double next = Math.min(longer, side * Math.sqrt(size / file.length));
            if (Math.abs(file.length - size) < NEAR * size || next == side) {
                break;
            }
            side = next;
        }
        return nearest;
    }

    static int execute(String... args) {
        return Commands.execute(new PictureSet(), args);
    }
}
