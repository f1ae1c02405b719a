// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.NativeBuffer;
import io.mely.sfs.files.RemotePath;
import io.mely.sfs.files.Tree;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;

/**
 * Runs the requests of one client. {@link #run} does each of them, and may wait for the disk; {@link #runNow} does those that need not wait. What they do is in
 * {@link FileRequests}, {@link AttributeRequests} and {@link NameRequests}.
 *
 * <p><b>Threads.</b> {@link #run}: any, of requests that do not {@linkplain Claim conflict} several at once. The rest: the client's color, or who has a turn in the color of a {@link Subject}. <b>Errors.</b> A request that is refused or
 * malformed is answered so, and nothing else.
 */
final class Requests implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Requests.class.getName());

    private final RequestContext context;
    private final FileRequests files;
    private final AttributeRequests attributes;
    private final NameRequests names;
    private boolean isClosed;

    /**
     * Begins with nothing open but the root; may wait for the disk.
     *
     * @throws IOException if the root can't be opened, or the user has too much open
     */
    static Requests begin(SftpSession.TreeOpener opener, SftpRules rules) throws IOException {
        rules.openOfUser().take();
        boolean isOpen = false;
        try {
            Requests begun = new Requests(opener.open(), rules);
            isOpen = true;
            return begun;
        } finally {
            if (!isOpen) {
                rules.openOfUser().giveBack();
            }
        }
    }

    private Requests(Tree tree, SftpRules rules) {
        context = new RequestContext(tree, rules);
        files = new FileRequests(context);
        attributes = new AttributeRequests(context);
        names = new NameRequests(context);
    }

    /** Open files and folders. */
    int openHandles() {
        return context.handles.size();
    }

    /** What a request changes, as of {@link Subject}. */
    long subjectOf(ByteBuffer request) {
        return Subject.of(request, context);
    }

    /** What a request is about, and which others it has to wait for. */
    Claim claimOf(ByteBuffer request) {
        return Claim.of(request, context);
    }

    /** Something gets another path, soon: what a client has open there, or below, is known by two paths from now on, and counts as {@link RemotePath#ROOT}. */
    void move(RemotePath from) {
        context.handles.move(from);
    }

    /** Whether nothing more may be open once as many more are. */
    boolean isFull(int more) {
        return context.handles.isFull(more);
    }

    /** Bytes that the reply may have, about. */
    static int replyBytes(ByteBuffer request) {
        return switch (request.get(request.position()) & 0xff) {
            case Sftp.READ -> FileRequests.replyBytes(request);
            case Sftp.READDIR -> NameRequests.NAMES_BYTES;
            default -> Reply.BYTES_FIRST;
        };
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

    /** Of a reply in the buffer. In the client's color: what takes turns elsewhere has no data. */
    int dataBytes() {
        return dataBytes;
    }

    /**
     * Whether a request is about nothing that clients share, but for what the kernel keeps in order: then it may be tried by {@link #runNow} in the client's own color. A write is
     * not if there is a quota, which has to know how long the file was before.
     */
    boolean isOwn(ByteBuffer request) {
        int type = request.get(request.position()) & 0xff;
        return type != Sftp.WRITE || !context.tree.quota().isLimited();
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
                case Sftp.WRITE -> files.writeNow(packet, reply, buffer) ? Now.DONE : Now.WAITS;
                default -> runType(packet, reply, buffer) ? Now.DONE : Now.WAITS;
            };
            if (now != Now.WAITS) {
                context.rules.traffic().request();
            }
            return now;
        } catch (FileFailure failure) {
            if (Replies.codeOf(failure) == Sftp.PERMISSION_DENIED
                    && context.rules.audit().isOn()) {
                return Now.WAITS; // for the log
            }
            context.rules.traffic().request();
            refuse(reply, id, failure);
        } catch (BadPacketException bad) {
            context.rules.traffic().request();
            refuse(reply, id, bad);
        }
        return Now.DONE;
    }

    private Now readNow(Packet packet, NativeBuffer buffer) throws BadPacketException, FileFailure {
        int n = files.readNow(packet, buffer);
        dataBytes = n;
        return n == FileRequests.WOULD_WAIT ? Now.WAITS : Now.DATA;
    }

    // With waiting.

    /**
     * Does a request.
     *
     * @param request at its first field
     * @param reply gets the reply
     * @param buffer for the bytes of files, with room for a whole packet
     * @return false if a piece of it is done, and it is to be run again, when others have had their turn
     */
    boolean run(ByteBuffer request, Reply reply, NativeBuffer buffer) {
        int id = 0;
        try {
            Packet packet = new Packet(request);
            id = packet.id();
            if (!runType(packet, reply, buffer)) {
                return false;
            }
        } catch (FileFailure failure) {
            refuse(reply, id, failure);
        } catch (BadPacketException bad) {
            refuse(reply, id, bad);
        } catch (RuntimeException bug) {
            LOG.log(Level.ERROR, "a request failed; please report it", bug);
            reply.undo();
            Replies.status(reply, id, Sftp.FAILURE, "internal error");
        }
        context.rules.traffic().request();
        return true;
    }

    /** False as of {@link #run}. */
    private boolean runType(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        switch (packet.type()) {
            case Sftp.OPEN -> files.open(packet, reply);
            case Sftp.CLOSE -> files.close(packet, reply);
            case Sftp.READ -> files.read(packet, reply, buffer);
            case Sftp.WRITE -> files.write(packet, reply, buffer);
            case Sftp.LSTAT, Sftp.STAT -> attributes.stat(packet, reply);
            case Sftp.FSTAT -> attributes.statOpen(packet, reply);
            case Sftp.SETSTAT -> attributes.change(packet, reply, true);
            case Sftp.FSETSTAT -> attributes.changeOpen(packet, reply);
            case Sftp.OPENDIR -> names.openFolder(packet, reply);
            case Sftp.READDIR -> names.readFolder(packet, reply);
            case Sftp.REMOVE -> names.removeFile(packet, reply);
            case Sftp.MKDIR -> names.makeFolder(packet, reply);
            case Sftp.RMDIR -> names.removeFolder(packet, reply);
            case Sftp.REALPATH -> NameRequests.canonical(packet, reply);
            case Sftp.RENAME -> names.rename(packet, reply, false);
            case Sftp.READLINK -> names.readLink(packet, reply);
            case Sftp.SYMLINK -> names.symbolicLink(packet, reply);
            case Sftp.EXTENDED -> {
                return extended(packet, reply, buffer);
            }
            default -> Replies.status(reply, packet.id(), Sftp.OP_UNSUPPORTED, "no such request");
        }
        return true;
    }

    private boolean extended(Packet packet, Reply reply, NativeBuffer buffer) throws BadPacketException, FileFailure {
        String name = packet.readText();
        switch (name) {
            case Extensions.POSIX_RENAME -> names.rename(packet, reply, true);
            case Extensions.STATVFS -> attributes.space(packet, reply);
            case Extensions.FSTATVFS -> attributes.spaceOpen(packet, reply);
            case Extensions.HARDLINK -> names.hardLink(packet, reply);
            case Extensions.FSYNC -> files.sync(packet, reply);
            case Extensions.LSETSTAT -> attributes.change(packet, reply, false);
            case Extensions.LIMITS -> Replies.limits(reply, packet.id(), context.rules.handlesMax());
            case Extensions.COPY_DATA -> {
                return files.copy(packet, reply, buffer);
            }
            case Extensions.EXPAND_PATH -> NameRequests.expand(packet, reply);
            default -> Replies.status(reply, packet.id(), Sftp.OP_UNSUPPORTED, "no such extension");
        }
        return true;
    }

    private void refuse(Reply reply, int id, FileFailure failure) {
        int code = Replies.codeOf(failure);
        if (code == Sftp.PERMISSION_DENIED) {
            context.audit("denied", line -> line.with("why", String.valueOf(failure.getMessage())));
        }
        Replies.status(reply, id, code, String.valueOf(failure.getMessage()));
    }

    private static void refuse(Reply reply, int id, BadPacketException bad) {
        Replies.status(reply, id, Sftp.BAD_MESSAGE, String.valueOf(bad.getMessage()));
    }

    /** Closes all that is open, as of a client that is gone. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            files.closeAll();
            context.tree.close();
            context.rules.openOfUser().giveBack();
        }
    }
}
