// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Streams of packets as clients send them, after INIT: each kind of request at least once. */
final class SftpCorpus {
    private static final int READ = Sftp.OPEN_READ;
    private static final int WRITE = Sftp.OPEN_WRITE | Sftp.OPEN_CREATE;
    private static final int ALL = READ | WRITE;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int id;

    private SftpCorpus() {}

    /** The handle that the n-th open of a conversation gets, if none was closed before. */
    private static byte[] handle(int n) {
        return ByteBuffer.allocate(8).putInt(n - 1).putInt(n).array();
    }

    private SftpCorpus ask(int type, Object... fields) {
        ByteBuffer packet = ByteBuffer.allocate(Sftp.PACKET_BYTES_MAX);
        packet.putInt(0).put((byte) type).putInt(++id);
        for (Object field : fields) {
            if (field instanceof Integer number) {
                packet.putInt(number);
            } else if (field instanceof Long number) {
                packet.putLong(number);
            } else {
                byte[] bytes = field instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : (byte[]) field;
                packet.putInt(bytes.length).put(bytes);
            }
        }
        packet.putInt(0, packet.position() - Integer.BYTES);
        out.write(packet.array(), 0, packet.position());
        return this;
    }

    private SftpCorpus extended(String name, Object... fields) {
        Object[] all = new Object[fields.length + 1];
        all[0] = name;
        System.arraycopy(fields, 0, all, 1, fields.length);
        return ask(Sftp.EXTENDED, all);
    }

    /** Each is a conversation of its own. */
    static List<byte[]> streams() {
        List<SftpCorpus> all = new ArrayList<>();
        all.add(new SftpCorpus()
                .ask(Sftp.OPEN, "/b", WRITE | Sftp.OPEN_TRUNCATE, Sftp.HAS_PERMISSIONS, 0644)
                .ask(Sftp.WRITE, handle(1), 0L, "hello")
                .ask(Sftp.WRITE, handle(1), 100L, "far")
                .ask(Sftp.FSETSTAT, handle(1), Sftp.HAS_SIZE | Sftp.HAS_TIMES, 50L, 1, 2)
                .ask(Sftp.FSTAT, (Object) handle(1))
                .ask(Sftp.CLOSE, (Object) handle(1))
                .ask(Sftp.RENAME, "/b", "/c")
                .ask(Sftp.REMOVE, "/c"));
        all.add(new SftpCorpus()
                .ask(Sftp.OPEN, "a", READ, 0)
                .ask(Sftp.READ, handle(1), 0L, 32 << 10)
                .ask(Sftp.READ, handle(1), 3L, 1)
                .ask(Sftp.READ, handle(1), 5L, 1)
                .ask(Sftp.CLOSE, (Object) handle(1))
                .ask(Sftp.CLOSE, (Object) handle(1)));
        all.add(new SftpCorpus()
                .ask(Sftp.OPENDIR, "/")
                .ask(Sftp.READDIR, (Object) handle(1))
                .ask(Sftp.READDIR, (Object) handle(1))
                .ask(Sftp.CLOSE, (Object) handle(1))
                .ask(Sftp.LSTAT, "/l")
                .ask(Sftp.STAT, "/l")
                .ask(Sftp.READLINK, "/l")
                .ask(Sftp.REALPATH, "../d/./x"));
        all.add(new SftpCorpus()
                .ask(Sftp.MKDIR, "/d/e", 0)
                .ask(Sftp.SYMLINK, "../../outside", "/d/e/out")
                .ask(Sftp.OPEN, "/d/e/out/new", ALL, 0)
                .ask(Sftp.OPEN, "/d/e/out", WRITE | Sftp.OPEN_EXCLUSIVE, 0)
                .ask(Sftp.SETSTAT, "/d/e", Sftp.HAS_PERMISSIONS | Sftp.HAS_OWNER, 0, 0, 0755)
                .ask(Sftp.RMDIR, "/d/e")
                .ask(Sftp.REMOVE, "/d/e/out")
                .ask(Sftp.RMDIR, "/d/e"));
        all.add(new SftpCorpus()
                .ask(Sftp.OPEN, "a", ALL, 0)
                .ask(Sftp.OPEN, "b", ALL | Sftp.OPEN_APPEND, 0)
                .extended(Extensions.COPY_DATA, handle(1), 0L, 0L, handle(2), 0L)
                .extended(Extensions.COPY_DATA, handle(1), 1L, 3L, handle(1), 10L)
                .extended(Extensions.FSYNC, (Object) handle(2))
                .extended(Extensions.FSTATVFS, (Object) handle(2))
                .ask(Sftp.REMOVE, "a")
                .ask(Sftp.WRITE, handle(1), 1000L, "gone"));
        all.add(new SftpCorpus()
                .extended(Extensions.HARDLINK, "a", "second")
                .extended(Extensions.POSIX_RENAME, "a", "second")
                .extended(Extensions.LSETSTAT, "l", Sftp.HAS_TIMES, 5, 6)
                .extended(Extensions.STATVFS, "/")
                .extended(Extensions.LIMITS)
                .extended(Extensions.EXPAND_PATH, "~/x")
                .extended("vendor-id", "x")
                .ask(99, "x"));
        all.add(new SftpCorpus()
                .ask(Sftp.OPEN, "big", WRITE, 0)
                .ask(Sftp.WRITE, handle(1), 1L << 40, "beyond the quota")
                .ask(Sftp.FSETSTAT, handle(1), Sftp.HAS_SIZE, (1L << 20) - 5)
                .ask(Sftp.WRITE, handle(1), (1L << 20) - 6, "x")
                .ask(Sftp.WRITE, handle(1), Long.MAX_VALUE, "x")
                .ask(Sftp.SETSTAT, "big", Sftp.HAS_SIZE, Long.MAX_VALUE)
                .ask(Sftp.OPEN, "big", WRITE | Sftp.OPEN_TRUNCATE, 0));
        return all.stream().map(each -> each.out.toByteArray()).toList();
    }
}
