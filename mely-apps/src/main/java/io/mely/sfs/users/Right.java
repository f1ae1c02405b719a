// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a user may do below the root. */
public enum Right {
    /** See names, sizes, times and the targets of links. */
    LIST,
    /** Read the contents of files. */
    READ,
    /** Make files, folders and symbolic links where there was none, and write to the files made so until they are closed. */
    CREATE,
    /** Write to files that were there, change permissions and times, rename, and give files second names. */
    CHANGE,
    /** Remove files and folders, also by a rename onto them. */
    DELETE;

    /** All that leaves the files as they are. */
    public static final Set<Right> READ_ONLY = Set.of(LIST, READ);

    /** Everything. */
    public static final Set<Right> ALL = Set.copyOf(EnumSet.allOf(Right.class));

    /**
     * The word for it in a configuration.
     *
     * @return in lower case
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
