// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.nio.file.Files;
import java.nio.file.Path;

/** Checks the folder to serve before a server is started for it. */
public final class Roots {
    private Roots() {}

    /**
     * Checks that the root is a folder that can be entered and read.
     *
     * @param values from all sources
     * @param folder the setting of the folder
     * @return the root, absolute; links in it are kept, so that one may be switched to a new release
     * @throws StartException when there is no such folder, or it can't be read
     */
    public static Path check(Values values, Setting<Path> folder) throws StartException {
        Path root = absolute(values.get(folder));
        String start = values.describe(folder) + ": ";
        if (!Files.exists(root)) {
            throw new StartException(start + (isHidden(root) ? "permission denied" : "no such folder"));
        }
        if (!Files.isDirectory(root)) {
            throw new StartException(start + "not a folder");
        }
        if (!Files.isReadable(root) || !Files.isExecutable(root)) {
            throw new StartException(start + "permission denied");
        }
        return root;
    }

    /** Takes "." out of a path, but not "..": behind a link that would be another folder. */
    private static Path absolute(Path path) {
        Path absolute = path.toAbsolutePath();
        for (Path name : absolute) {
            if (name.toString().equals("..")) {
                return absolute;
            }
        }
        return absolute.normalize();
    }

    /** Whether the path may well exist, but below a folder that this process can't enter. */
    private static boolean isHidden(Path root) {
        for (Path parent = root.getParent(); parent != null; parent = parent.getParent()) {
            if (Files.isDirectory(parent)) {
                return !Files.isExecutable(parent);
            }
        }
        return false;
    }
}
