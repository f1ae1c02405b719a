// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Attributes;
import io.mely.sfs.files.Errno;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.Space;
import java.nio.charset.StandardCharsets;

/** The replies that several requests have in common. */
final class Replies {
    private Replies() {}

    static void ok(Reply reply, int id) {
        status(reply, id, Sftp.OK, "");
    }

    static void status(Reply reply, int id, int code, String message) {
        reply.begin(Sftp.STATUS, id)
                .putInt(code)
                .putBytes(message.getBytes(StandardCharsets.UTF_8))
                .putText("en")
                .end();
    }

    static int codeOf(FileFailure failure) {
        return switch (failure.errno()) {
            case 0 -> Sftp.END_OF_FILE;
            case Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.EBADF -> Sftp.NO_SUCH_FILE;
            case Errno.EACCES, Errno.EPERM, Errno.EROFS -> Sftp.PERMISSION_DENIED;
            case Errno.ENOSYS, Errno.EOPNOTSUPP -> Sftp.OP_UNSUPPORTED;
            default -> Sftp.FAILURE;
        };
    }

    /** No error of the kernel's has the number 0. */
    static FileFailure end() {
        return new FileFailure(0, "end of file");
    }

    static void handle(Reply reply, int id, Handles.Open open) {
        reply.begin(Sftp.HANDLE, id).putBytes(open.handle()).end();
    }

    static void attributes(Reply reply, int id, Attributes attributes) {
        reply.begin(Sftp.ATTRS, id).putAttributes(attributes).end();
    }

    /** A name without attributes. */
    static void name(Reply reply, int id, byte[] name) {
        reply.begin(Sftp.NAME, id)
                .putInt(1)
                .putBytes(name)
                .putBytes(name)
                .putInt(0)
                .end();
    }

    static void space(Reply reply, int id, Space space) {
        reply.begin(Sftp.EXTENDED_REPLY, id)
                .putLong(space.blockBytes())
                .putLong(space.unitBytes())
                .putLong(space.blocks())
                .putLong(space.freeBlocks())
                .putLong(space.availableBlocks())
                .putLong(space.files())
                .putLong(space.freeFiles())
                .putLong(space.availableFiles())
                .putLong(space.id())
                .putLong(space.flags() & 3)
                .putLong(space.nameBytesMax())
                .end();
    }

    static void limits(Reply reply, int id, int handlesMax) {
        reply.begin(Sftp.EXTENDED_REPLY, id)
                .putLong(Sftp.PACKET_BYTES_MAX)
                .putLong(Sftp.DATA_BYTES_MAX)
                .putLong(Sftp.DATA_BYTES_MAX)
                .putLong(handlesMax)
                .end();
    }

    /** The first reply. */
    static void version(Reply reply) {
        reply.begin(Sftp.VERSION, Sftp.VERSION_NUMBER);
        for (String[] each : Extensions.ALL) {
            reply.putText(each[0]).putText(each[1]);
        }
        reply.end();
    }
}
