// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Errno;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.OpenFolder;
import io.mely.sfs.files.RemotePath;
import io.mely.sfs.sftp.Handles.Open;
import io.mely.sfs.users.Right;
import java.util.Arrays;

/**
 * Requests that list, make, move and remove names.
 *
 * <p><b>Threads.</b> Whoever runs the client's request.
 */
final class NameRequests {
    /** No more names in one reply once it is as long as what SSH puts in one packet. */
    static final int NAMES_BYTES = 32 << 10;

    private static final int MODE_FOLDER = 0777;

    private final RequestContext context;

    NameRequests(RequestContext context) {
        this.context = context;
    }

    // Folders.

    void openFolder(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = RequestContext.path(packet);
        context.allow(Right.LIST);
        Open open = context.handles.addFolder(path, () -> context.tree.openFolder(path));
        context.audit("list", line -> line.with("path", path.bytes()));
        Replies.handle(reply, packet.id(), open);
    }

    void readFolder(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = context.handles.find(packet.readView());
        OpenFolder folder = open.folder;
        if (folder == null) {
            throw new FileFailure(Errno.ENOTDIR, "is no folder");
        }
        long nowS = context.rules.wallClockMs().getAsLong() / 1000;
        OpenFolder.Entry entry = folder.next();
        if (entry == null) {
            throw Replies.end();
        }
        Reply names = new Reply();
        int count = 0;
        while (entry != null && (count == 0 || names.length() < NAMES_BYTES)) {
            names.putBytes(entry.name())
                    .putBytes(LongName.of(entry.name(), entry.attributes(), nowS, context.rules.zone()))
                    .putAttributes(entry.attributes());
            count++;
            entry = folder.next();
        }
        if (entry != null) {
            folder.undo(entry);
        }
        reply.begin(Sftp.NAME, packet.id()).putInt(count).putRaw(names.take()).end();
    }

    void makeFolder(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = RequestContext.path(packet);
        AttributeFields wanted = AttributeFields.read(packet);
        context.allow(Right.CREATE);
        context.tree.makeFolder(path, wanted.permissionsOr(MODE_FOLDER));
        context.audit("mkdir", line -> line.with("path", path.bytes()));
        Replies.ok(reply, packet.id());
    }

    void removeFolder(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = RequestContext.path(packet);
        context.allow(Right.DELETE);
        context.tree.removeFolder(path);
        context.audit("rmdir", line -> line.with("path", path.bytes()));
        Replies.ok(reply, packet.id());
    }

    // Names of files and folders.

    void removeFile(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = RequestContext.path(packet);
        context.allow(Right.DELETE);
        context.tree.removeFile(path);
        context.audit("remove", line -> line.with("path", path.bytes()));
        Replies.ok(reply, packet.id());
    }

    /** @param replace whether a file that has the new name may be replaced */
    void rename(Packet packet, Reply reply, boolean replace) throws BadPacketException, FileFailure {
        RemotePath from = RequestContext.path(packet);
        RemotePath to = RequestContext.path(packet);
        context.allow(Right.CHANGE);
        context.tree.rename(from, to, replace && context.has(Right.DELETE));
        context.audit("rename", line -> line.with("path", from.bytes()).with("to", to.bytes()));
        Replies.ok(reply, packet.id());
    }

    void hardLink(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath file = RequestContext.path(packet);
        RemotePath name = RequestContext.path(packet);
        context.allow(Right.CREATE);
        context.allow(Right.CHANGE);
        context.tree.link(file, name);
        context.audit("link", line -> line.with("path", file.bytes()).with("to", name.bytes()));
        Replies.ok(reply, packet.id());
    }

    /** The draft has the two paths the other way round; all clients do as OpenSSH does. */
    void symbolicLink(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        byte[] target = packet.readBytes();
        RemotePath name = RequestContext.path(packet);
        context.allow(Right.CREATE);
        context.tree.symbolicLink(target, name);
        context.audit("symlink", line -> line.with("path", name.bytes()).with("target", target));
        Replies.ok(reply, packet.id());
    }

    void readLink(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = RequestContext.path(packet);
        context.allow(Right.LIST);
        Replies.name(reply, packet.id(), context.tree.readLink(path));
    }

    // Paths as such.

    static void canonical(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Replies.name(reply, packet.id(), RequestContext.path(packet).bytes());
    }

    /** Everybody's home is the root. */
    static void expand(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        byte[] text = packet.readBytes();
        boolean isTilde = text.length > 0 && text[0] == '~';
        boolean isHome = isTilde && (text.length == 1 || text[1] == '/');
        if (isTilde && !isHome) {
            throw new FileFailure(Errno.ENOENT, "no such home");
        }
        byte[] below = isHome ? Arrays.copyOfRange(text, 1, text.length) : text;
        Replies.name(reply, packet.id(), RemotePath.of(below).bytes());
    }
}
