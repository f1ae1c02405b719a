// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The room on a disk, as of {@code statvfs}; a quota makes it smaller.
 *
 * @param blockBytes preferred size of reads and writes
 * @param unitBytes what blocks are counted in
 * @param blocks all
 * @param freeBlocks free
 * @param availableBlocks free for whoever is not root
 * @param files all
 * @param freeFiles free
 * @param availableFiles free for whoever is not root
 * @param id of the file system
 * @param flags 1 for read-only, 2 for no set-user-id
 * @param nameBytesMax longest name
 */
public record Space(
        long blockBytes,
        long unitBytes,
        long blocks,
        long freeBlocks,
        long availableBlocks,
        long files,
        long freeFiles,
        long availableFiles,
        long id,
        long flags,
        long nameBytesMax) {
    /** More than any C library's struct statvfs. */
    private static final int STATVFS_BYTES = 256;

    static Space of(int fd, Quota quota) throws FileFailure {
        byte[] bytes = new byte[STATVFS_BYTES];
        Tree.check(Kernel.fstatvfs(fd, bytes));
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        long unit = Math.max(1, in.getLong(8));
        long blocks = in.getLong(16);
        long free = in.getLong(24);
        long available = in.getLong(32);
        if (quota.isLimited()) {
            blocks = Math.min(blocks, quota.limitBytes() / unit);
            free = Math.min(free, quota.freeBytes() / unit);
            available = Math.min(available, free);
        }
        return new Space(
                in.getLong(0),
                unit,
                blocks,
                free,
                available,
                in.getLong(40),
                in.getLong(48),
                in.getLong(56),
                in.getLong(64),
                in.getLong(72),
                in.getLong(80));
    }
}
