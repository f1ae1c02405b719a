// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the kernel knows of a file.
 *
 * @param mode type and permissions
 * @param size bytes
 * @param uid of the owner
 * @param gid of the group
 * @param links names of the file
 * @param inode its number on its disk
 * @param device number of the disk
 * @param accessedS last access, seconds since 1970
 * @param modifiedS last change of the contents, seconds since 1970
 */
public record Attributes(
        int mode, long size, int uid, int gid, int links, long inode, long device, long accessedS, long modifiedS) {
    static final int STATX_BYTES = 256;
    static final int STATX_BASIC = 0x7ff;

    public static final int TYPE_MASK = 0170000;
    public static final int REGULAR = 0100000;
    public static final int FOLDER = 0040000;
    public static final int LINK = 0120000;
    public static final int PERMISSIONS = 0777;

    /** Reads a {@code struct statx}, the same on all architectures. */
    static Attributes of(byte[] statx) {
        ByteBuffer in = ByteBuffer.wrap(statx).order(ByteOrder.nativeOrder());
        return new Attributes(
                in.getShort(28) & 0xffff,
                in.getLong(40),
                in.getInt(20),
                in.getInt(24),
                in.getInt(16),
                in.getLong(32),
                Integer.toUnsignedLong(in.getInt(136)) << 32 | Integer.toUnsignedLong(in.getInt(140)),
                in.getLong(64),
                in.getLong(112));
    }

    /** What tells it from all other files. */
    record Id(long device, long inode) {}

    Id id() {
        return new Id(device, inode);
    }

    /**
     * Its type.
     *
     * @return {@link #REGULAR}, {@link #FOLDER}, {@link #LINK}, or another of the kernel's
     */
    public int type() {
        return mode & TYPE_MASK;
    }

    /** Whether it has contents to read and write. */
    public boolean isRegular() {
        return type() == REGULAR;
    }

    /** Whether it is a folder. */
    public boolean isFolder() {
        return type() == FOLDER;
    }

    /** Whether it is a symbolic link. */
    public boolean isLink() {
        return type() == LINK;
    }
}
