// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Collection;

/**
 * Keeps the server's own files out of what it serves: who could read them could be the server or guess passwords, who could write them could let himself in.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Secrets {
    private Secrets() {}

    /**
     * Checks a file or folder that clients must not reach.
     *
     * @param what it is, for the message
     * @param file its path; it need not be there
     * @param users with their roots, which are there
     * @throws IOException if it lies below the root of one, by its own name or by where its links lead
     */
    public static void check(String what, Path file, Collection<User> users) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path name = absolute.getFileName();
        Path parent = absolute.getParent();
        Path target = real(absolute);
        Path own = name == null || parent == null
                ? target
                : real(parent).resolve(name).normalize();
        for (User user : users) {
            Path root = user.root().toRealPath();
            if (target.startsWith(root) || own.startsWith(root)) {
                throw new IOException(what + " " + file + " lies below the root " + user.root() + " of user "
                        + user.name() + ": clients must not reach it");
            }
        }
    }

    /** Where the part that is there leads to, and the rest behind it. */
    private static Path real(Path absolute) throws IOException {
        for (Path there = absolute; there != null; there = there.getParent()) {
            try {
                return there.toRealPath().resolve(there.relativize(absolute)).normalize();
            } catch (FileSystemException missing) {
                // or out of the server's own reach; its folder may be there
            }
        }
        return absolute.normalize();
    }
}
