// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Attributes;
import io.mely.sfs.files.Errno;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.Tree;

/**
 * The attributes in a request.
 *
 * @param change what is to change
 * @param hasOwner whether an owner is asked for
 * @param uid the owner
 * @param gid the group
 */
record AttributeFields(Tree.Change change, boolean hasOwner, int uid, int gid) {
    static AttributeFields read(Packet packet) throws BadPacketException {
        int flags = packet.readInt();
        long size = (flags & Sftp.HAS_SIZE) != 0 ? packet.readLong() : -1;
        boolean hasOwner = (flags & Sftp.HAS_OWNER) != 0;
        int uid = hasOwner ? packet.readInt() : 0;
        int gid = hasOwner ? packet.readInt() : 0;
        int permissions = (flags & Sftp.HAS_PERMISSIONS) != 0 ? packet.readInt() & 07777 : -1;
        boolean hasTimes = (flags & Sftp.HAS_TIMES) != 0;
        long accessedS = hasTimes ? Integer.toUnsignedLong(packet.readInt()) : 0;
        long modifiedS = hasTimes ? Integer.toUnsignedLong(packet.readInt()) : 0;
        return new AttributeFields(
                new Tree.Change(size, permissions, accessedS, modifiedS, hasTimes), hasOwner, uid, gid);
    }

    /** The permissions that are asked for, or others if none are. */
    int permissionsOr(int others) {
        return change.permissions() < 0 ? others : change.permissions();
    }

    /** Files are the server's; an owner that is asked for is fine if it is the owner already. */
    void checkOwner(Attributes found) throws FileFailure {
        if (uid != found.uid() || gid != found.gid()) {
            throw new FileFailure(Errno.EPERM, "owners can't be changed");
        }
    }
}
