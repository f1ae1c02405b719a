// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Errno;
import io.mely.sfs.files.FileCopy;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.NativeBuffer;
import io.mely.sfs.files.OpenHow;
import io.mely.sfs.files.RegularFile;
import io.mely.sfs.files.RemotePath;
import io.mely.sfs.sftp.Handles.Open;
import io.mely.sfs.users.Right;
import java.nio.ByteBuffer;

/**
 * Requests that open, read, write and close files.
 *
 * <p><b>Threads.</b> Whoever runs the client's request.
 */
final class FileRequests {
    /** What the calls that do not wait answer where they would have to. */
    static final int WOULD_WAIT = RegularFile.WOULD_WAIT;

    private static final int MODE_FILE = 0666;

    private final RequestContext context;

    FileRequests(RequestContext context) {
        this.context = context;
    }

    // Open and close.

    void open(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = RequestContext.path(packet);
        int flags = packet.readInt();
        int mode = AttributeFields.read(packet).permissionsOr(MODE_FILE);
        OpenHow how = how(flags);
        Open open = context.handles.addFile(path, () -> open(path, how, mode));
        context.audit("open", line -> line.with("path", path.bytes()).with("for", how.isWritten() ? "write" : "read"));
        Replies.handle(reply, packet.id(), open);
    }

    private RegularFile open(RemotePath path, OpenHow how, int mode) throws FileFailure {
        return isPublishedLater(path, how)
                ? context.tree.openUnpublished(
                        path, how, mode, context.rules.temporaryNames().get())
                : context.tree.openFile(path, how, mode);
    }

    /** What the flags of a request come to for somebody with these rights. */
    private OpenHow how(int flags) throws FileFailure {
        boolean isWritten = (flags & (Sftp.OPEN_WRITE | Sftp.OPEN_APPEND)) != 0;
        boolean isRead = (flags & Sftp.OPEN_READ) != 0 || !isWritten;
        boolean isMade = isWritten && (flags & Sftp.OPEN_CREATE) != 0;
        boolean isNew = isMade && (flags & Sftp.OPEN_EXCLUSIVE) != 0;
        if (isRead && !isWritten) {
            context.allow(Right.READ);
        } else if (isRead && !context.has(Right.READ)) {
            isRead = false; // a client that may not read may still want to write, as many ask for both
        }
        boolean mayMake = context.has(Right.CREATE);
        boolean mayChange = context.has(Right.CHANGE);
        if (isWritten && !mayChange && !(mayMake && isMade)) {
            throw RequestContext.denied();
        }
        if (isNew) {
            context.allow(Right.CREATE);
        }
        return new OpenHow(
                isRead,
                isWritten,
                (flags & Sftp.OPEN_APPEND) != 0,
                isMade && mayMake,
                isWritten && mayChange && (flags & Sftp.OPEN_TRUNCATE) != 0,
                isNew || (isWritten && !mayChange));
    }

    /** Where a client writes a file anew. One that goes on with what is there writes to that. */
    private boolean isPublishedLater(RemotePath path, OpenHow how) throws FileFailure {
        if (!context.rules.isAtomic() || !how.isMade()) {
            return false;
        }
        if (how.isNew() || how.isEmptied()) {
            return true;
        }
        try {
            context.tree.attributes(path, true);
            return false;
        } catch (FileFailure failure) {
            if (failure.errno() == Errno.ENOENT) {
                return true;
            }
            throw failure;
        }
    }

    void close(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = context.handles.find(packet.readView());
        context.handles.remove(open);
        try {
            if (open.file != null) {
                open.file.publish();
            }
        } finally {
            end(open, "close");
        }
        Replies.ok(reply, packet.id());
    }

    /** Closes what a client that is gone has open: uploads that were not closed are not published. */
    void closeAll() {
        context.handles.removeAll(open -> end(open, "cut"));
    }

    private void end(Open open, String what) {
        open.close();
        if (open.file != null) {
            context.audit(
                    what,
                    line -> line.with("path", open.path.bytes())
                            .with("read", open.readBytes)
                            .with("written", open.writtenBytes));
        }
    }

    void sync(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        context.handles.find(packet.readView()).regular().sync();
        Replies.ok(reply, packet.id());
    }

    // Read.

    private Open readable(Packet packet) throws BadPacketException, FileFailure {
        Open open = context.handles.find(packet.readView());
        if (!open.regular().how().isRead()) {
            throw new FileFailure(Errno.EACCES, "not open for reading");
        }
        return open;
    }

    /** Bytes that are in the buffer now; {@link #WOULD_WAIT} if the disk has to be waited for. */
    int readNow(Packet packet, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open open = readable(packet);
        long offset = packet.readLong();
        int n = open.regular().readNow(buffer, count(packet), offset);
        if (n != WOULD_WAIT) {
            hasRead(open, n);
        }
        return n;
    }

    void read(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open open = readable(packet);
        long offset = packet.readLong();
        int n = open.regular().read(buffer, count(packet), offset);
        hasRead(open, n);
        reply.begin(Sftp.DATA, packet.id())
                .putData(buffer.bytes().clear().limit(n))
                .end();
    }

    /** Bytes that the reply to a read may have. */
    static int replyBytes(ByteBuffer request) {
        try {
            Packet packet = new Packet(request.duplicate());
            packet.readView();
            packet.readLong();
            return Sftp.DATA_HEAD_BYTES + count(packet);
        } catch (BadPacketException | FileFailure refused) {
            return Reply.BYTES_FIRST;
        }
    }

    private static int count(Packet packet) throws BadPacketException, FileFailure {
        int count = packet.readInt();
        if (count == 0) {
            throw new FileFailure(Errno.EINVAL, "a read of nothing");
        }
        return count < 0 ? Sftp.DATA_BYTES_MAX : Math.min(count, Sftp.DATA_BYTES_MAX);
    }

    private void hasRead(Open open, int n) throws FileFailure {
        if (n == 0) {
            throw Replies.end();
        }
        open.readBytes += n;
        context.rules.traffic().read(n);
    }

    // Write.

    private Open writable(Packet packet) throws BadPacketException, FileFailure {
        Open open = context.handles.find(packet.readView());
        if (!open.regular().how().isWritten()) {
            throw new FileFailure(Errno.EACCES, "not open for writing");
        }
        return open;
    }

    /** Whether it is written; false if the disk has to be waited for. */
    boolean writeNow(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open open = writable(packet);
        long offset = packet.readLong();
        int count = fill(buffer, packet.readView());
        if (count > 0 && open.regular().writeNow(buffer, count, offset) == WOULD_WAIT) {
            return false;
        }
        hasWritten(open, count);
        Replies.ok(reply, packet.id());
        return true;
    }

    void write(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open open = writable(packet);
        long offset = packet.readLong();
        int count = fill(buffer, packet.readView());
        if (count > 0) {
            open.regular().write(buffer, count, offset);
        }
        hasWritten(open, count);
        Replies.ok(reply, packet.id());
    }

    private static int fill(NativeBuffer buffer, ByteBuffer data) {
        int count = data.remaining();
        buffer.bytes().clear().put(data);
        return count;
    }

    private void hasWritten(Open open, int count) {
        open.writtenBytes += count;
        context.rules.traffic().written(count);
    }

    // Copy.

    /** Whether it is done; else a piece of it is, and the request is to be run again. */
    boolean copy(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open from = readable(packet);
        long fromOffset = packet.readLong();
        long count = packet.readLong();
        Open to = writable(packet);
        long offset = packet.readLong();
        FileCopy copy = to.copying;
        to.copying = null;
        if (copy == null) {
            copy = FileCopy.begin(from.regular(), fromOffset, count, to.regular(), offset);
        }
        if (!copy.step(buffer)) {
            to.copying = copy;
            return false;
        }
        context.audit("copy", line -> line.with("path", from.path.bytes()).with("to", to.path.bytes()));
        Replies.ok(reply, packet.id());
        return true;
    }
}
