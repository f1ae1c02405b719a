// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Attributes;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.OpenFolder;
import io.mely.sfs.files.RegularFile;
import io.mely.sfs.files.RemotePath;
import io.mely.sfs.files.Tree;
import io.mely.sfs.sftp.Handles.Open;
import io.mely.sfs.users.Right;

/**
 * Requests about what a file is, and about the room on its disk.
 *
 * <p><b>Threads.</b> Whoever runs the client's request.
 */
final class AttributeRequests {
    private final RequestContext context;

    AttributeRequests(RequestContext context) {
        this.context = context;
    }

    void stat(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        context.allow(Right.LIST);
        RemotePath path = RequestContext.path(packet);
        Replies.attributes(reply, packet.id(), context.tree.attributes(path, packet.type() == Sftp.STAT));
    }

    void statOpen(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = context.handles.find(packet.readView());
        OpenFolder folder = open.folder;
        Replies.attributes(
                reply,
                packet.id(),
                folder != null ? folder.attributes() : open.regular().attributes());
    }

    /** @param follow whether a link at the end of the path leads on */
    void change(Packet packet, Reply reply, boolean follow) throws BadPacketException, FileFailure {
        RemotePath path = RequestContext.path(packet);
        AttributeFields wanted = AttributeFields.read(packet);
        context.allow(Right.CHANGE);
        if (wanted.hasOwner()) {
            wanted.checkOwner(context.tree.attributes(path, follow));
        }
        context.tree.change(path, wanted.change(), follow);
        audit(path, wanted.change());
        Replies.ok(reply, packet.id());
    }

    void changeOpen(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = context.handles.find(packet.readView());
        AttributeFields wanted = AttributeFields.read(packet);
        RegularFile file = open.regular();
        if (!file.how().isWritten()) {
            context.allow(Right.CHANGE);
        }
        if (wanted.hasOwner()) {
            wanted.checkOwner(file.attributes());
        }
        file.change(wanted.change());
        audit(open.path, wanted.change());
        Replies.ok(reply, packet.id());
    }

    private void audit(RemotePath path, Tree.Change change) {
        context.audit("change", line -> {
            line.with("path", path.bytes());
            if (change.size() >= 0) {
                line.with("size", change.size());
            }
            if (change.permissions() >= 0) {
                line.with("permissions", Integer.toOctalString(change.permissions() & Attributes.PERMISSIONS));
            }
            if (change.hasTimes()) {
                line.with("modified", change.modifiedS());
            }
        });
    }

    void space(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        context.allow(Right.LIST);
        Replies.space(reply, packet.id(), context.tree.space(RequestContext.path(packet)));
    }

    void spaceOpen(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = context.handles.find(packet.readView());
        OpenFolder folder = open.folder;
        Replies.space(
                reply,
                packet.id(),
                folder != null
                        ? folder.space(context.tree.quota())
                        : open.regular().space());
    }
}
