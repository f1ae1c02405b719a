// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.FileFailure;
import io.mely.sfs.files.RegularFile;
import io.mely.sfs.sftp.Handles.Open;
import java.nio.ByteBuffer;

/**
 * What a request changes, as a number: of an open file the file itself, whoever has it open; of a name the user and the name. Requests with the same number, of
 * whatever client, run one at a time. What only looks changes {@link #NOTHING}.
 *
 * <p><b>Threads.</b> The color of the client.
 */
final class Subject {
    /** Nothing that others could see. */
    static final long NOTHING = 0;

    private Subject() {}

    /**
     * Looks at a request.
     *
     * @param request at its first field; its position stays
     * @param context of the client
     * @return {@link #NOTHING} also for a request that is malformed, or whose handle is wrong: it will be answered so
     */
    static long of(ByteBuffer request, RequestContext context) {
        try {
            Packet packet = new Packet(request.duplicate());
            return switch (packet.type()) {
                case Sftp.WRITE, Sftp.FSETSTAT, Sftp.CLOSE -> ofFile(packet, context);
                case Sftp.OPEN -> ofOpen(packet, context);
                case Sftp.SETSTAT, Sftp.REMOVE, Sftp.MKDIR, Sftp.RMDIR, Sftp.RENAME -> ofName(packet, context);
                case Sftp.SYMLINK -> {
                    packet.readView();
                    yield ofName(packet, context);
                }
                case Sftp.EXTENDED -> ofExtended(packet, context);
                default -> NOTHING;
            };
        } catch (BadPacketException | FileFailure wrong) {
            return NOTHING;
        }
    }

    private static long ofExtended(Packet packet, RequestContext context) throws BadPacketException, FileFailure {
        switch (packet.readText()) {
            case Extensions.POSIX_RENAME, Extensions.HARDLINK, Extensions.LSETSTAT -> {
                return ofName(packet, context);
            }
            case Extensions.COPY_DATA -> {
                packet.readView();
                packet.readLong();
                packet.readLong();
                return ofFile(packet, context);
            }
            default -> {
                return NOTHING;
            }
        }
    }

    private static long ofOpen(Packet packet, RequestContext context) throws BadPacketException, FileFailure {
        long name = ofName(packet, context);
        return (packet.readInt() & (Sftp.OPEN_WRITE | Sftp.OPEN_APPEND)) == 0 ? NOTHING : name;
    }

    private static long ofName(Packet packet, RequestContext context) throws BadPacketException, FileFailure {
        long user = context.rules.user().name().hashCode();
        long path = RequestContext.path(packet).hashCode();
        return mixed(Long.rotateLeft(user, Integer.SIZE) ^ path);
    }

    private static long ofFile(Packet packet, RequestContext context) throws BadPacketException, FileFailure {
        Open open = context.handles.find(packet.readView());
        RegularFile file = open.file;
        return file == null || !file.how().isWritten() ? NOTHING : mixed(file.number());
    }

    /** Spreads numbers that are near each other, as SplittableRandom does; never {@link #NOTHING}. */
    private static long mixed(long number) {
        long z = (number ^ number >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return (z ^ z >>> 31) | 1;
    }
}
