// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether others could have changed a file, as OpenSSH's StrictModes does: the file, and each folder above it, must belong to the server's user or to root, and neither
 * their groups nor others may write to them. A folder in which the kernel lets nobody move what belongs to somebody else, such as {@code /tmp}, is fine.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Two system calls for each folder above.
 */
final class StrictModes {
    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int STICKY = 01000;

    private StrictModes() {}

    /**
     * Looks at a file.
     *
     * @param file its links are followed
     * @param userId of the user that the server runs as
     * @return what is wrong, as a part of a sentence; null if nothing is
     * @throws IOException if it can't be looked at
     */
    static @Nullable String whyNot(Path file, int userId) throws IOException {
        Path real = file.toRealPath();
        for (Path each = real; each != null; each = each.getParent()) {
            int owner = (Integer) Files.getAttribute(each, "unix:uid");
            int mode = (Integer) Files.getAttribute(each, "unix:mode");
            if (owner != userId && owner != ROOT) {
                return each + " belongs to another user than the server's (" + owner + ")";
            }
            boolean isKept = !each.equals(real) && (mode & STICKY) != 0;
            if ((mode & WRITABLE_BY_OTHERS) != 0 && !isKept) {
                return each + " may be written to by others than its owner (chmod go-w)";
            }
        }
        return null;
    }
}
