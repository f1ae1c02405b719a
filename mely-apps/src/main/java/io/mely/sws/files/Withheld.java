// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Files that are never served, wherever they lie: what the server itself reads and writes, and what a JVM leaves in its current folder when it breaks down. Somebody
 * who serves the folder he works in would publish them.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> A look-up by the real path; links to such a file are withheld, too.
 */
public final class Withheld {
    private static final Pattern CRASH =
            Pattern.compile("(hs_err_pid[0-9]+\\.log|replay_pid[0-9]+\\.log|java_pid[0-9]+\\.hprof|core(\\.[0-9]+)?)");
    private static final Pattern ROTATED = Pattern.compile("(.+)\\.[0-9]+");

    private final Set<Path> files = new HashSet<>();
    private final Set<Path> logs = new HashSet<>();
    private final Path workingFolder;

    /**
     * Resolves the paths.
     *
     * @param files need not be there
     * @param logs the same, each with those it is rotated to
     */
    public Withheld(List<Path> files, List<Path> logs) {
        this(files, logs, Path.of(""));
    }

    Withheld(List<Path> files, List<Path> logs, Path workingFolder) {
        files.forEach(each -> addTo(this.files, each));
        logs.forEach(each -> addTo(this.logs, each));
        Path real = workingFolder.toAbsolutePath();
        try {
            real = real.toRealPath();
        } catch (IOException gone) {
            // nothing is left there
        }
        this.workingFolder = real;
    }

    /** Where its name stands, and where it leads. */
    private static void addTo(Set<Path> paths, Path path) {
        Path absolute = path.toAbsolutePath();
        Path folder = absolute.getParent();
        Path name = absolute.getFileName();
        if (folder == null || name == null) {
            return;
        }
        try {
            paths.add(folder.toRealPath().resolve(name));
            paths.add(absolute.toRealPath());
        } catch (IOException notThere) {
            // what is not there yet has its name
        }
    }

    /** By a real path. */
    boolean has(Path real) {
        if (files.contains(real) || logs.contains(real)) {
            return true;
        }
        Path name = real.getFileName();
        if (name == null) {
            return false;
        }
        String text = name.toString();
        var rotated = ROTATED.matcher(text);
        return (!logs.isEmpty() && rotated.matches() && logs.contains(real.resolveSibling(rotated.group(1))))
                || (workingFolder.equals(real.getParent())
                        && CRASH.matcher(text).matches());
    }

    /**
     * Those that lie below a folder.
     *
     * @param folder any
     * @return in no order
     * @throws IOException if the folder is not there
     */
    public List<Path> below(Path folder) throws IOException {
        Path real = folder.toRealPath();
        return java.util.stream.Stream.concat(files.stream(), logs.stream())
                .filter(each -> each.startsWith(real))
                .distinct()
                .toList();
    }
}
