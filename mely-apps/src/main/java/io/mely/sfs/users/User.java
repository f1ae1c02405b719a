// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One who may log in.
 *
 * @param name as the client says it
 * @param root the folder that is the user's "/"
 * @param rights what the user may do there
 * @param quotaBytes most bytes of all files below the root, &gt;= 0; 0 = unlimited. Users with the same root share the smallest quota of theirs
 * @param keyFiles {@code authorized_keys} files; any key in any of them will do. Without one the user has no key
 */
public record User(String name, Path root, Set<Right> rights, long quotaBytes, List<Path> keyFiles) {
    /** Longest name; what a client sends that is longer is nobody's. */
    public static final int NAME_LENGTH_MAX = 255;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException naming the field that is out of range
     */
    public User {
        Objects.requireNonNull(root, "root");
        rights = Set.copyOf(rights);
        keyFiles = List.copyOf(keyFiles);
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "name must be 1 to " + NAME_LENGTH_MAX + " letters without spaces and colons: name=" + name);
        }
        if (quotaBytes < 0) {
            throw new IllegalArgumentException("quotaBytes must be >= 0: quotaBytes=" + quotaBytes);
        }
    }

    /**
     * Whether somebody can have that name.
     *
     * @param name any
     * @return false for names that a file of password hashes could not hold
     */
    public static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= NAME_LENGTH_MAX
                && name.codePoints().noneMatch(c -> c <= ' ' || c == ':' || c == 0x7f);
    }
}
