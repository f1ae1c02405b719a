// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The files of SPECweb99's static part, and how often each is asked for. Directories of 36 files of four classes, with 5 MB in all; the
 * popularity of directories is Zipf's.
 *
 * <p><b>Source.</b> spec: Mely §7.5, the public injector's SPECweb99-like mode.
 */
final class SpecWeb {
    /** What part of all requests goes to each class. */
    private static final double[] CLASS_SHARES = {0.35, 0.50, 0.14, 0.01};

    /** In its class, to each file and those before it. */
    private static final double[] FILE_SHARES = {0.039, 0.098, 0.186, 0.363, 0.716, 0.834, 0.905, 0.955, 1};

    private static final int[] CLASS_BYTES = {102, 1_024, 10_240, 102_400};
    private static final double DIRECTORIES_MIN = 25;
    private static final double DIRECTORIES_PER_LOAD = 400_000 / 122_000.0 / 5;

    private SpecWeb() {}

    /**
     * A file.
     *
     * @param path from the root of the site, without a slash before it
     * @param bytes its length
     * @param share of all requests
     */
    record File(String path, long bytes, double share) {}

    /**
     * The files, directory by directory.
     *
     * @param load connections that SPECweb99 would have at once: the set grows with it
     */
    static List<File> files(int load) {
        int directories = (int) (DIRECTORIES_MIN + DIRECTORIES_PER_LOAD * load);
        double harmonic = 0;
        for (int directory = 1; directory <= directories; directory++) {
            harmonic += 1.0 / directory;
        }
        List<File> files = new ArrayList<>();
        for (int directory = 0; directory < directories; directory++) {
            double directoryShare = 1 / ((directory + 1) * harmonic);
            for (int sizeClass = 0; sizeClass < CLASS_SHARES.length; sizeClass++) {
                for (int i = 0; i < FILE_SHARES.length; i++) {
                    double fileShare = FILE_SHARES[i] - (i == 0 ? 0 : FILE_SHARES[i - 1]);
                    files.add(new File(
                            String.format(Locale.ROOT, "dir%05d/class%d_%d", directory, sizeClass, i),
                            (i + 1L) * CLASS_BYTES[sizeClass],
                            directoryShare * CLASS_SHARES[sizeClass] * fileShare));
                }
            }
        }
        return files;
    }

    /**
     * Makes them. No two of a length have the same content.
     *
     * @param root folder that a server will serve; made if it is missing
     * @param files which
     */
    static void write(Path root, List<File> files) throws IOException {
        Site site = new Site(root, root);
        int seed = 0;
        for (File file : files) {
            Path parent = root.resolve(file.path()).getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            site.write(file.path(), file.bytes(), ++seed);
        }
    }
}
