// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A folder for the servers of a measurement, with what they serve, and without it when it is closed.
 *
 * @param dir for programs, logs and configurations
 * @param root that is served
 */
record Site(Path dir, Path root) implements AutoCloseable {
    private static final int BLOCK_BYTES = 1 << 16;

    static Site create() throws IOException {
        Path dir = Files.createTempDirectory("mely-compare");
        Path root = Files.createDirectory(dir.resolve("root"));
        // nginx gives up the rights of root.
        for (Path each : List.of(dir, root)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return new Site(dir, root);
    }

    /** A file of letters by a seed; a long one repeats itself. */
    Path write(String name, long bytes, long seed) throws IOException {
        Random random = new Random(seed);
        byte[] block = new byte[(int) Math.min(bytes, BLOCK_BYTES)];
        for (int i = 0; i < block.length; i++) {
            block[i] = (byte) ('a' + random.nextInt('z' - 'a' + 1));
        }
        Path file = root.resolve(name);
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = bytes; left > 0; left -= block.length) {
                out.write(block, 0, (int) Math.min(block.length, left));
            }
        }
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
