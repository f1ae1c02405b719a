// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.RegularFile;
import io.mely.sfs.files.RemotePath;
import io.mely.sfs.sftp.Handles.Open;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request is about, as its client names it: handles and paths. Two requests of one client <em>conflict</em> if the client may rely on their order:
 *
 * <ul>
 *   <li>they are about one handle;
 *   <li>they are about one path, or one path lies below the other, and one of them may change something there; a handle counts as the path that it was opened by, too;
 *   <li>both open something: handles are numbered in the order in which they are asked for;
 *   <li>one is about a handle that stands for nothing yet: until it is its turn nobody knows what it is about;
 *   <li>one closes and the other opens something, and no more may be open.
 * </ul>
 *
 * <p>All others may run side by side, and be answered in any order (draft-ietf-secsh-filexfer-02, 3 and 6). A client that reaches a file by two names, of which one is a link, has to wait for a reply where it
 * needs an order.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
final class Claim {
    /** A request that asks for nothing that could change. */
    static final Claim NOTHING = new Claim(List.of(), false, false);

    /** Conflicts with every other. */
    static final Claim ALL = new Claim(List.of(), true, false, false, null);

    /** Is about a handle that stood for nothing when the request came. It is looked at again when its turn comes; conflicts with every other. */
    static final Claim UNKNOWN = new Claim(List.of(), true, false, false, null);

    private static final long NO_HANDLE = 0;

    /**
     * One thing.
     *
     * @param handle as the client has it; {@link #NO_HANDLE} if it is named by a path
     * @param path null if no path is known
     */
    private record Touch(long handle, @Nullable RemotePath path, boolean isChange) {
        boolean isOfNobody() {
            return handle != NO_HANDLE && path == null;
        }

        boolean conflictsWith(Touch other) {
            if (handle != NO_HANDLE && handle == other.handle) {
                return true;
            }
            RemotePath mine = path;
            RemotePath its = other.path;
            return mine != null
                    && its != null
                    && (isChange || other.isChange)
                    && (mine.isAtOrBelow(its) || its.isAtOrBelow(mine));
        }
    }

    private final List<Touch> touches;
    private final boolean isOfAll;
    private final boolean opens;
    private final boolean closes;
    private final @Nullable RemotePath moved;

    private Claim(List<Touch> touches, boolean isOfAll, boolean opens, boolean closes, @Nullable RemotePath moved) {
        this.touches = touches;
        this.isOfAll = isOfAll;
        this.opens = opens;
        this.closes = closes;
        this.moved = moved;
    }

    private Claim(List<Touch> touches, boolean opens, boolean closes) {
        this(touches, false, opens, closes, null);
    }

    private static Claim of(Touch... touches) {
        return new Claim(List.of(touches), false, false);
    }

    /**
     * Looks at a request.
     *
     * @param request at its first field; its position stays
     * @param context of the client
     * @return {@link #ALL} for a request that is malformed: whatever it is about, it is answered in its turn; {@link #UNKNOWN} if a handle stands for nothing
     */
    static Claim of(ByteBuffer request, RequestContext context) {
        Claim claim = known(request, context);
        return claim.touches.stream().anyMatch(Touch::isOfNobody) ? UNKNOWN : claim;
    }

    private static Claim known(ByteBuffer request, RequestContext context) {
        try {
            Packet packet = new Packet(request.duplicate());
            return switch (packet.type()) {
                case Sftp.READ, Sftp.FSTAT, Sftp.READDIR -> of(handle(packet, context, false));
                case Sftp.WRITE, Sftp.FSETSTAT -> of(handle(packet, context, true));
                case Sftp.CLOSE -> ofClose(packet, context);
                case Sftp.OPEN -> ofOpen(packet);
                case Sftp.OPENDIR -> new Claim(List.of(path(packet, false)), true, false);
                case Sftp.LSTAT, Sftp.STAT, Sftp.READLINK -> of(path(packet, false));
                case Sftp.SETSTAT, Sftp.REMOVE, Sftp.MKDIR, Sftp.RMDIR -> of(path(packet, true));
                case Sftp.RENAME -> ofRename(packet);
                case Sftp.SYMLINK -> {
                    packet.readView();
                    yield of(path(packet, true));
                }
                case Sftp.EXTENDED -> ofExtended(packet, context);
                default -> NOTHING;
            };
        } catch (BadPacketException | FileFailure wrong) {
            return ALL;
        }
    }

    private static Claim ofExtended(Packet packet, RequestContext context) throws BadPacketException, FileFailure {
        return switch (packet.readText()) {
            case Extensions.POSIX_RENAME -> ofRename(packet);
            case Extensions.HARDLINK -> of(path(packet, true), path(packet, true));
            case Extensions.LSETSTAT -> of(path(packet, true));
            case Extensions.STATVFS -> of(path(packet, false));
            case Extensions.FSTATVFS, Extensions.FSYNC -> of(handle(packet, context, false));
            case Extensions.COPY_DATA -> {
                Touch from = handle(packet, context, false);
                packet.readLong();
                packet.readLong();
                yield of(from, handle(packet, context, true));
            }
            default -> NOTHING;
        };
    }

    private static Claim ofOpen(Packet packet) throws BadPacketException, FileFailure {
        RemotePath path = RequestContext.path(packet);
        boolean isChange = (packet.readInt() & (Sftp.OPEN_WRITE | Sftp.OPEN_APPEND)) != 0;
        return new Claim(List.of(new Touch(NO_HANDLE, path, isChange)), true, false);
    }

    /** A file that was written may get its name now. */
    private static Claim ofClose(Packet packet, RequestContext context) throws BadPacketException {
        ByteBuffer handle = packet.readView();
        Open open = context.handles.peek(handle);
        RegularFile file = open == null ? null : open.file;
        boolean isChange = file != null && file.how().isWritten();
        return new Claim(List.of(touch(handle, context, isChange)), false, true);
    }

    private static Claim ofRename(Packet packet) throws BadPacketException, FileFailure {
        RemotePath from = RequestContext.path(packet);
        Touch to = path(packet, true);
        return new Claim(List.of(new Touch(NO_HANDLE, from, true), to), false, false, false, from);
    }

    private static Touch path(Packet packet, boolean isChange) throws BadPacketException, FileFailure {
        return new Touch(NO_HANDLE, RequestContext.path(packet), isChange);
    }

    private static Touch handle(Packet packet, RequestContext context, boolean isChange) throws BadPacketException {
        return touch(packet.readView(), context, isChange);
    }

    private static Touch touch(ByteBuffer handle, RequestContext context, boolean isChange) {
        return new Touch(Handles.number(handle), context.handles.pathOf(handle), isChange);
    }

    /** Whether something is to be opened. */
    boolean opens() {
        return opens;
    }

    /** What gets another path, with all below it; null if nothing does. */
    @Nullable
    RemotePath moved() {
        return moved;
    }

    /**
     * Whether the client may rely on the order of two requests.
     *
     * @param isFull whether no more may be open
     */
    boolean conflictsWith(Claim other, boolean isFull) {
        if (isOfAll || other.isOfAll || (opens && other.opens)) {
            return true;
        }
        if (isFull && ((opens && other.closes) || (closes && other.opens))) {
            return true;
        }
        for (Touch mine : touches) {
            for (Touch its : other.touches) {
                if (mine.conflictsWith(its)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What requests have to share to go the same way: the first handle. */
    long handle() {
        return touches.isEmpty() ? NO_HANDLE : touches.get(0).handle;
    }
}
