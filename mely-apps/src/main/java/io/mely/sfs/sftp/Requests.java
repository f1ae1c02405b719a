// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.audit.AuditLine;
import io.mely.sfs.files.Attributes;
import io.mely.sfs.files.Errno;
import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.NativeBuffer;
import io.mely.sfs.files.OpenFolder;
import io.mely.sfs.files.OpenHow;
import io.mely.sfs.files.RegularFile;
import io.mely.sfs.files.RemotePath;
import io.mely.sfs.files.Space;
import io.mely.sfs.files.Tree;
import io.mely.sfs.sftp.Handles.Open;
import io.mely.sfs.users.Right;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What the requests of one client do. {@link #run} does each of them, and may wait for the disk; {@link #runNow} does those that need not wait.
 *
 * <p><b>Threads.</b> One at a time: the client's color, or a blocking thread that it waits for. <b>Errors.</b> A request that is refused or
 * malformed is answered so, and nothing else.
 */
final class Requests implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Requests.class.getName());

    /** No more names in one reply once it is as long as what SSH puts in one packet. */
    private static final int NAMES_BYTES = 32 << 10;

    private static final int MODE_FILE = 0666;
    private static final int MODE_FOLDER = 0777;

    private static final byte[] HOME = RemotePath.ROOT.bytes();

    private final Tree tree;
    private final SftpRules rules;
    private final Handles handles;
    private boolean isClosed;

    Requests(Tree tree, SftpRules rules) {
        this.tree = tree;
        this.rules = rules;
        handles = new Handles(rules.handlesMax());
    }

    /** Open files and folders. */
    int openHandles() {
        return handles.size();
    }

    // Without waiting.

    /** What {@link #runNow} says. */
    enum Now {
        /** The reply is there. */
        DONE,
        /** The reply is the first bytes of the buffer, as many as {@link #dataBytes} says. */
        DATA,
        /** It has to wait for the disk: {@link #run}. */
        WAITS
    }

    private int dataBytes;

    /** Of a reply in the buffer. */
    int dataBytes() {
        return dataBytes;
    }

    /**
     * Does a request if it need not wait.
     *
     * @param request at its first field; read again by {@link #run} if it has to wait
     * @param reply gets the reply
     * @param buffer for the bytes of files, with room for a whole packet
     */
    Now runNow(ByteBuffer request, Reply reply, NativeBuffer buffer) {
        int type = request.get(request.position()) & 0xff;
        switch (type) {
            case Sftp.READ, Sftp.WRITE, Sftp.FSTAT, Sftp.REALPATH -> {}
            default -> {
                return Now.WAITS;
            }
        }
        int id = 0;
        try {
            Packet packet = new Packet(request);
            id = packet.id();
            Now now = switch (type) {
                case Sftp.READ -> readNow(packet, buffer);
                case Sftp.WRITE -> writeNow(packet, reply, buffer);
                default -> {
                    runType(packet, reply, buffer);
                    yield Now.DONE;
                }
            };
            if (now != Now.WAITS) {
                rules.traffic().request();
            }
            return now;
        } catch (FileFailure failure) {
            if (codeOf(failure) == Sftp.PERMISSION_DENIED && rules.audit().isOn()) {
                return Now.WAITS; // for the log
            }
            rules.traffic().request();
            refuse(reply, id, failure);
        } catch (BadPacketException bad) {
            rules.traffic().request();
            status(reply, id, Sftp.BAD_MESSAGE, String.valueOf(bad.getMessage()));
        }
        return Now.DONE;
    }

    private Now readNow(Packet packet, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open open = readable(packet);
        long offset = packet.readLong();
        int count = count(packet);
        int n = open.regular().readNow(buffer, count, offset);
        if (n == RegularFile.WOULD_WAIT) {
            return Now.WAITS;
        }
        if (n == 0) {
            throw end();
        }
        open.readBytes += n;
        rules.traffic().read(n);
        dataBytes = n;
        return Now.DATA;
    }

    /** No error of the kernel's has the number 0. */
    private static FileFailure end() {
        return new FileFailure(0, "end of file");
    }

    private Now writeNow(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open open = writable(packet);
        long offset = packet.readLong();
        ByteBuffer data = packet.readView();
        int count = data.remaining();
        if (count == 0) {
            ok(reply, packet.id());
            return Now.DONE;
        }
        fill(buffer, data);
        if (open.regular().writeNow(buffer, count, offset) == RegularFile.WOULD_WAIT) {
            return Now.WAITS;
        }
        wrote(open, count);
        ok(reply, packet.id());
        return Now.DONE;
    }

    private static void fill(NativeBuffer buffer, ByteBuffer data) {
        buffer.bytes().clear().put(data);
    }

    private void wrote(Open open, int count) {
        open.writtenBytes += count;
        rules.traffic().written(count);
    }

    private static int count(Packet packet) throws BadPacketException, FileFailure {
        int count = packet.readInt();
        if (count == 0) {
            throw new FileFailure(Errno.EINVAL, "a read of nothing");
        }
        return count < 0 ? Sftp.DATA_BYTES_MAX : Math.min(count, Sftp.DATA_BYTES_MAX);
    }

    // With waiting.

    /**
     * Does a request.
     *
     * @param request at its first field
     * @param reply gets the reply
     * @param buffer for the bytes of files, with room for a whole packet
     */
    void run(ByteBuffer request, Reply reply, NativeBuffer buffer) {
        rules.traffic().request();
        int id = 0;
        try {
            Packet packet = new Packet(request);
            id = packet.id();
            runType(packet, reply, buffer);
        } catch (FileFailure failure) {
            refuse(reply, id, failure);
        } catch (BadPacketException bad) {
            status(reply, id, Sftp.BAD_MESSAGE, String.valueOf(bad.getMessage()));
        } catch (RuntimeException bug) {
            LOG.log(Level.ERROR, "a request failed; please report it", bug);
            reply.undo();
            status(reply, id, Sftp.FAILURE, "internal error");
        }
    }

    private void runType(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        switch (packet.type()) {
            case Sftp.OPEN -> open(packet, reply);
            case Sftp.CLOSE -> close(packet, reply);
            case Sftp.READ -> read(packet, reply, buffer);
            case Sftp.WRITE -> write(packet, reply, buffer);
            case Sftp.LSTAT, Sftp.STAT -> stat(packet, reply);
            case Sftp.FSTAT -> statOpen(packet, reply);
            case Sftp.SETSTAT -> change(packet, reply, true);
            case Sftp.FSETSTAT -> changeOpen(packet, reply);
            case Sftp.OPENDIR -> openFolder(packet, reply);
            case Sftp.READDIR -> readFolder(packet, reply);
            case Sftp.REMOVE -> removeFile(packet, reply);
            case Sftp.MKDIR -> makeFolder(packet, reply);
            case Sftp.RMDIR -> removeFolder(packet, reply);
            case Sftp.REALPATH -> canonical(reply, packet.id(), path(packet).bytes());
            case Sftp.RENAME -> rename(packet, reply, false);
            case Sftp.READLINK -> readLink(packet, reply);
            case Sftp.SYMLINK -> symbolicLink(packet, reply);
            case Sftp.EXTENDED -> extended(packet, reply, buffer);
            default -> status(reply, packet.id(), Sftp.OP_UNSUPPORTED, "no such request");
        }
    }

    private void extended(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        String name = packet.readText();
        switch (name) {
            case Extensions.POSIX_RENAME -> rename(packet, reply, true);
            case Extensions.STATVFS -> {
                allow(Right.LIST);
                space(reply, packet.id(), tree.space(path(packet)));
            }
            case Extensions.FSTATVFS -> spaceOpen(packet, reply);
            case Extensions.HARDLINK -> hardLink(packet, reply);
            case Extensions.FSYNC -> {
                handles.find(packet.readView()).regular().sync();
                ok(reply, packet.id());
            }
            case Extensions.LSETSTAT -> change(packet, reply, false);
            case Extensions.LIMITS ->
                reply.begin(Sftp.EXTENDED_REPLY, packet.id())
                        .putLong(Sftp.PACKET_BYTES_MAX)
                        .putLong(Sftp.DATA_BYTES_MAX)
                        .putLong(Sftp.DATA_BYTES_MAX)
                        .putLong(rules.handlesMax())
                        .end();
            case Extensions.COPY_DATA -> copy(packet, reply);
            case Extensions.EXPAND_PATH -> canonical(reply, packet.id(), expand(packet.readBytes()));
            default -> status(reply, packet.id(), Sftp.OP_UNSUPPORTED, "no such extension");
        }
    }

    // Files.

    private void open(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = path(packet);
        int flags = packet.readInt();
        Tree.Change wanted = readChange(packet);
        boolean isWritten = (flags & (Sftp.OPEN_WRITE | Sftp.OPEN_APPEND)) != 0;
        boolean isRead = (flags & Sftp.OPEN_READ) != 0 || !isWritten;
        boolean isMade = isWritten && (flags & Sftp.OPEN_CREATE) != 0;
        boolean isNew = isMade && (flags & Sftp.OPEN_EXCLUSIVE) != 0;
        if (isRead && !isWritten) {
            allow(Right.READ);
        } else if (isRead && !has(Right.READ)) {
            isRead = false; // a client that may not read may still want to write, as many ask for both
        }
        boolean mayMake = has(Right.CREATE);
        boolean mayChange = has(Right.CHANGE);
        if (isWritten && !mayChange && !(mayMake && isMade)) {
            throw denied();
        }
        if (isNew) {
            allow(Right.CREATE);
        }
        handles.checkRoom();
        OpenHow how = new OpenHow(
                isRead,
                isWritten,
                (flags & Sftp.OPEN_APPEND) != 0,
                isMade && mayMake,
                isWritten && mayChange && (flags & Sftp.OPEN_TRUNCATE) != 0,
                isNew || (isWritten && !mayChange));
        int mode = wanted.permissions() < 0 ? MODE_FILE : wanted.permissions();
        RegularFile file = isPublishedLater(path, how)
                ? tree.openUnpublished(path, how, mode, rules.temporaryNames().get())
                : tree.openFile(path, how, mode);
        Open open = handles.add(path, file, null);
        audit("open", line -> line.with("path", path.bytes()).with("for", isWritten ? "write" : "read"));
        reply.begin(Sftp.HANDLE, packet.id()).putBytes(open.handle()).end();
    }

    /** Where a client writes a file anew. One that goes on with what is there writes to that. */
    private boolean isPublishedLater(RemotePath path, OpenHow how) throws FileFailure {
        if (!rules.isAtomic() || !how.isMade()) {
            return false;
        }
        if (how.isNew() || how.isEmptied()) {
            return true;
        }
        try {
            tree.attributes(path, true);
            return false;
        } catch (FileFailure failure) {
            if (failure.errno() == Errno.ENOENT) {
                return true;
            }
            throw failure;
        }
    }

    private void close(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = handles.find(packet.readView());
        handles.remove(open);
        try {
            if (open.file != null) {
                open.file.publish();
            }
        } finally {
            end(open, true);
        }
        ok(reply, packet.id());
    }

    private void end(Open open, boolean isAsked) {
        open.close();
        if (open.file != null) {
            audit(
                    isAsked ? "close" : "cut",
                    line -> line.with("path", open.path.bytes())
                            .with("read", open.readBytes)
                            .with("written", open.writtenBytes));
        }
    }

    private void read(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open open = readable(packet);
        long offset = packet.readLong();
        int n = open.regular().read(buffer, count(packet), offset);
        if (n == 0) {
            throw end();
        }
        open.readBytes += n;
        rules.traffic().read(n);
        reply.begin(Sftp.DATA, packet.id())
                .putData(buffer.bytes().clear().limit(n))
                .end();
    }

    private void write(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        Open open = writable(packet);
        long offset = packet.readLong();
        ByteBuffer data = packet.readView();
        int count = data.remaining();
        if (count == 0) {
            ok(reply, packet.id());
            return;
        }
        fill(buffer, data);
        open.regular().write(buffer, count, offset);
        wrote(open, count);
        ok(reply, packet.id());
    }

    private Open readable(Packet packet) throws BadPacketException, FileFailure {
        Open open = handles.find(packet.readView());
        if (!open.regular().how().isRead()) {
            throw new FileFailure(Errno.EACCES, "not open for reading");
        }
        return open;
    }

    private Open writable(Packet packet) throws BadPacketException, FileFailure {
        Open open = handles.find(packet.readView());
        if (!open.regular().how().isWritten()) {
            throw new FileFailure(Errno.EACCES, "not open for writing");
        }
        return open;
    }

    private void copy(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open from = readable(packet);
        long fromOffset = packet.readLong();
        long count = packet.readLong();
        Open to = writable(packet);
        long offset = packet.readLong();
        to.regular().copyFrom(from.regular(), fromOffset, count, offset);
        audit("copy", line -> line.with("path", from.path.bytes()).with("to", to.path.bytes()));
        ok(reply, packet.id());
    }

    // Attributes.

    private void stat(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        allow(Right.LIST);
        attributes(reply, packet.id(), tree.attributes(path(packet), packet.type() == Sftp.STAT));
    }

    private void statOpen(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = handles.find(packet.readView());
        OpenFolder folder = open.folder;
        attributes(
                reply,
                packet.id(),
                folder != null ? folder.attributes() : open.regular().attributes());
    }

    private static void attributes(Reply reply, int id, Attributes attributes) {
        reply.begin(Sftp.ATTRS, id).putAttributes(attributes).end();
    }

    private void change(Packet packet, Reply reply, boolean follow) throws BadPacketException, FileFailure {
        RemotePath path = path(packet);
        OwnedChange wanted = readOwnedChange(packet);
        allow(Right.CHANGE);
        if (wanted.hasOwner) {
            checkOwner(wanted, tree.attributes(path, follow));
        }
        tree.change(path, wanted.change, follow);
        auditChange(path, wanted.change);
        ok(reply, packet.id());
    }

    private void changeOpen(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = handles.find(packet.readView());
        OwnedChange wanted = readOwnedChange(packet);
        RegularFile file = open.regular();
        if (!file.how().isWritten()) {
            allow(Right.CHANGE);
        }
        if (wanted.hasOwner) {
            checkOwner(wanted, file.attributes());
        }
        file.change(wanted.change);
        auditChange(open.path, wanted.change);
        ok(reply, packet.id());
    }

    private void auditChange(RemotePath path, Tree.Change change) {
        audit("change", line -> {
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

    private record OwnedChange(Tree.Change change, boolean hasOwner, int uid, int gid) {}

    /** Files are the server's; an owner that is asked for is fine if it is the owner already. */
    private static void checkOwner(OwnedChange wanted, Attributes found) throws FileFailure {
        if (wanted.uid != found.uid() || wanted.gid != found.gid()) {
            throw new FileFailure(Errno.EPERM, "owners can't be changed");
        }
    }

    private static Tree.Change readChange(Packet packet) throws BadPacketException {
        return readOwnedChange(packet).change;
    }

    private static OwnedChange readOwnedChange(Packet packet) throws BadPacketException {
        int flags = packet.readInt();
        long size = (flags & Sftp.HAS_SIZE) != 0 ? packet.readLong() : -1;
        boolean hasOwner = (flags & Sftp.HAS_OWNER) != 0;
        int uid = hasOwner ? packet.readInt() : 0;
        int gid = hasOwner ? packet.readInt() : 0;
        int permissions = (flags & Sftp.HAS_PERMISSIONS) != 0 ? packet.readInt() & 07777 : -1;
        boolean hasTimes = (flags & Sftp.HAS_TIMES) != 0;
        long accessedS = hasTimes ? Integer.toUnsignedLong(packet.readInt()) : 0;
        long modifiedS = hasTimes ? Integer.toUnsignedLong(packet.readInt()) : 0;
        return new OwnedChange(new Tree.Change(size, permissions, accessedS, modifiedS, hasTimes), hasOwner, uid, gid);
    }

    // Folders.

    private void openFolder(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = path(packet);
        allow(Right.LIST);
        handles.checkRoom();
        Open open = handles.add(path, null, tree.openFolder(path));
        audit("list", line -> line.with("path", path.bytes()));
        reply.begin(Sftp.HANDLE, packet.id()).putBytes(open.handle()).end();
    }

    private void readFolder(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = handles.find(packet.readView());
        OpenFolder folder = open.folder;
        if (folder == null) {
            throw new FileFailure(Errno.ENOTDIR, "is no folder");
        }
        long nowS = rules.wallClockMs().getAsLong() / 1000;
        OpenFolder.Entry entry = folder.next();
        if (entry == null) {
            throw end();
        }
        Reply names = new Reply();
        int count = 0;
        while (entry != null && (count == 0 || names.length() < NAMES_BYTES)) {
            names.putBytes(entry.name())
                    .putBytes(LongName.of(entry.name(), entry.attributes(), nowS, rules.zone()))
                    .putAttributes(entry.attributes());
            count++;
            entry = folder.next();
        }
        if (entry != null) {
            folder.undo(entry);
        }
        reply.begin(Sftp.NAME, packet.id()).putInt(count).putRaw(names.take()).end();
    }

    private void makeFolder(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = path(packet);
        Tree.Change wanted = readChange(packet);
        allow(Right.CREATE);
        tree.makeFolder(path, wanted.permissions() < 0 ? MODE_FOLDER : wanted.permissions());
        audit("mkdir", line -> line.with("path", path.bytes()));
        ok(reply, packet.id());
    }

    private void removeFolder(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = path(packet);
        allow(Right.DELETE);
        tree.removeFolder(path);
        audit("rmdir", line -> line.with("path", path.bytes()));
        ok(reply, packet.id());
    }

    // Names.

    private void removeFile(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = path(packet);
        allow(Right.DELETE);
        tree.removeFile(path);
        audit("remove", line -> line.with("path", path.bytes()));
        ok(reply, packet.id());
    }

    private void rename(Packet packet, Reply reply, boolean replace) throws BadPacketException, FileFailure {
        RemotePath from = path(packet);
        RemotePath to = path(packet);
        allow(Right.CHANGE);
        tree.rename(from, to, replace && has(Right.DELETE));
        audit("rename", line -> line.with("path", from.bytes()).with("to", to.bytes()));
        ok(reply, packet.id());
    }

    private void hardLink(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath file = path(packet);
        RemotePath name = path(packet);
        allow(Right.CREATE);
        allow(Right.CHANGE);
        tree.link(file, name);
        audit("link", line -> line.with("path", file.bytes()).with("to", name.bytes()));
        ok(reply, packet.id());
    }

    /** The draft has the two paths the other way round; all clients do as OpenSSH does. */
    private void symbolicLink(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        byte[] target = packet.readBytes();
        RemotePath name = path(packet);
        allow(Right.CREATE);
        tree.symbolicLink(target, name);
        audit("symlink", line -> line.with("path", name.bytes()).with("target", target));
        ok(reply, packet.id());
    }

    private void readLink(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        RemotePath path = path(packet);
        allow(Right.LIST);
        canonical(reply, packet.id(), tree.readLink(path));
    }

    /** A name without attributes. */
    private static void canonical(Reply reply, int id, byte[] name) {
        reply.begin(Sftp.NAME, id)
                .putInt(1)
                .putBytes(name)
                .putBytes(name)
                .putInt(0)
                .end();
    }

    /** Everybody's home is the root. */
    private static byte[] expand(byte[] text) throws FileFailure {
        boolean isHome = text.length > 0 && text[0] == '~' && (text.length == 1 || text[1] == '/');
        if (isHome) {
            return RemotePath.of(java.util.Arrays.copyOfRange(text, 1, text.length))
                    .bytes();
        }
        if (text.length > 0 && text[0] == '~') {
            throw new FileFailure(Errno.ENOENT, "no such home");
        }
        return text.length == 0 ? HOME.clone() : RemotePath.of(text).bytes();
    }

    // Disks.

    private void spaceOpen(Packet packet, Reply reply) throws BadPacketException, FileFailure {
        Open open = handles.find(packet.readView());
        OpenFolder folder = open.folder;
        space(
                reply,
                packet.id(),
                folder != null ? folder.space(tree.quota()) : open.regular().space());
    }

    private static void space(Reply reply, int id, Space space) {
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

    // What all have in common.

    private static RemotePath path(Packet packet) throws BadPacketException, FileFailure {
        return RemotePath.of(packet.readBytes());
    }

    private boolean has(Right right) {
        return rules.user().rights().contains(right);
    }

    private void allow(Right right) throws FileFailure {
        if (!has(right)) {
            throw denied();
        }
    }

    private static FileFailure denied() {
        return new FileFailure(Errno.EACCES, "not allowed");
    }

    @FunctionalInterface
    private interface Fields {
        void addTo(AuditLine line);
    }

    private void audit(String what, Fields fields) {
        if (rules.audit().isOn()) {
            AuditLine line = rules.audit()
                    .line(what)
                    .with("session", rules.session())
                    .with("user", rules.user().name());
            fields.addTo(line);
            rules.audit().write(line);
        }
    }

    private static void ok(Reply reply, int id) {
        status(reply, id, Sftp.OK, "");
    }

    private void refuse(Reply reply, int id, FileFailure failure) {
        int code = codeOf(failure);
        if (code == Sftp.PERMISSION_DENIED) {
            audit("denied", line -> line.with("why", String.valueOf(failure.getMessage())));
        }
        status(reply, id, code, String.valueOf(failure.getMessage()));
    }

    private static int codeOf(FileFailure failure) {
        return switch (failure.errno()) {
            case 0 -> Sftp.END_OF_FILE;
            case Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.EBADF -> Sftp.NO_SUCH_FILE;
            case Errno.EACCES, Errno.EPERM, Errno.EROFS -> Sftp.PERMISSION_DENIED;
            case Errno.ENOSYS, Errno.EOPNOTSUPP -> Sftp.OP_UNSUPPORTED;
            default -> Sftp.FAILURE;
        };
    }

    private static void status(Reply reply, int id, int code, String message) {
        reply.begin(Sftp.STATUS, id)
                .putInt(code)
                .putBytes(message.getBytes(StandardCharsets.UTF_8))
                .putText("en")
                .end();
    }

    /** Closes all that is open, as of a client that is gone: uploads that were not closed are not published. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            handles.removeAll(open -> end(open, false));
            tree.close();
        }
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
