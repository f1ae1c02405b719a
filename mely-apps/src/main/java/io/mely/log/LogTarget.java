// SPDX-License-Identifier: Apache-2.0
package io.mely.log;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the name of a log leads. Links are followed once, so that it is the file at their end that is rotated, in its own folder.
 *
 * <p>A link below {@code /dev} or {@code /proc} stands for what somebody has opened, not for a file of ours: that is never renamed. The two standard streams of this
 * process are written to as they are open, because a socket can't be opened by its name.
 *
 * @param file what to open
 * @param stream one of this process's own; null if it is to be opened
 * @param isRotatable whether the file is ours to rename
 */
record LogTarget(Path file, @Nullable FileDescriptor stream, boolean isRotatable) {
    /** As many as Linux follows. */
    private static final int LINKS_MAX = 40;

    private static final Path DEVICES = Path.of("/dev");
    private static final Path PROCESSES = Path.of("/proc");
    private static final Path OWN_STREAMS =
            PROCESSES.resolve(String.valueOf(ProcessHandle.current().pid())).resolve("fd");

    /**
     * Follows a name.
     *
     * @param path need not be there, but its folder must
     * @return where it leads
     * @throws java.nio.file.NoSuchFileException if a folder is missing
     * @throws IOException if it can't be followed
     */
    static LogTarget of(Path path) throws IOException {
        Path at = path.toAbsolutePath();
        boolean isRotatable = true;
        for (int links = 0; links <= LINKS_MAX; links++) {
            Path folder = at.getParent();
            Path name = at.getFileName();
            if (folder == null || name == null) {
                return new LogTarget(at, null, false); // the root: opening it says that it is a folder
            }
            Path realFolder = folder.toRealPath();
            Path real = realFolder.resolve(name);
            if (realFolder.equals(OWN_STREAMS) && name.toString().matches("[12]")) {
                return new LogTarget(
                        real, name.toString().equals("1") ? FileDescriptor.out : FileDescriptor.err, false);
            }
            if (!Files.isSymbolicLink(real)) {
                return new LogTarget(real, null, isRotatable);
            }
            if (real.startsWith(PROCESSES)) {
                return new LogTarget(real, null, false); // what it shows is no path
            }
            isRotatable &= !real.startsWith(DEVICES);
            at = realFolder.resolve(Files.readSymbolicLink(real));
        }
        throw new FileSystemLoopException(path.toString());
    }
}
