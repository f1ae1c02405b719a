// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

import com.luciad.imageio.webp.WebPWriteParam;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The native library that writes WebP.
 *
 * <p>Its jar unpacks it into a new file among the temporary ones, and deletes that at an orderly exit only. What is loaded needs its file no more: so that a process that
 * is killed leaves nothing, the file is deleted as soon as it is loaded, where {@code /proc} says which it is. Elsewhere it is left to the jar.
 *
 * <p><b>Threads.</b> Any.
 */
final class WebpLibrary {
    /** Loaded once; false where there is none for this machine. */
    static final boolean IS_LOADED = load();

    private static final String NAME = "libwebp-imageio.so";

    private WebpLibrary() {}

    private static boolean load() {
        try {
            WebPWriteParam unused = new WebPWriteParam(Locale.ROOT);
        } catch (LinkageError | RuntimeException noLibrary) {
            return false;
        }
        deleteFile(Path.of("/proc/self/maps"), Path.of(System.getProperty("java.io.tmpdir")));
        return true;
    }

    /**
     * Deletes what is loaded from a file of the temporary ones, and from no other.
     *
     * @param maps a line for each part of a file that is in memory, as proc(5) has it; may be missing
     * @param folder of the temporary files
     */
    static void deleteFile(Path maps, Path folder) {
        if (!Files.isReadable(maps)) {
            return;
        }
        try (Stream<String> lines = Files.lines(maps, StandardCharsets.ISO_8859_1)) {
            for (Path file : lines.filter(line -> line.endsWith(NAME))
                    .map(line -> folder.resolve(line.substring(line.lastIndexOf('/') + 1)))
                    .distinct()
                    .toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            System.getLogger(WebpLibrary.class.getName())
                    .log(Level.WARNING, "the file of a library stays until the exit", e);
        }
    }
}
