// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sfs.audit.AuditLog;
import io.mely.sfs.files.FileRules;
import io.mely.sfs.files.NativeBuffer;
import io.mely.sfs.files.Quota;
import io.mely.sfs.files.Tree;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.User;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A conversation with packets made by hand. */
@Timeout(60)
abstract class SftpHarness {
    static final int SLICE = 64 << 10;
    static final int OPEN_MAX = 12;

    @TempDir
    Path temp;

    Path root;
    Path auditFile;
    final FakeLine line = new FakeLine();
    final NativeBuffer buffer = NativeBuffer.allocate(Sftp.PACKET_BYTES_MAX);
    final OpenLimit ofUser = new OpenLimit(OPEN_MAX);
    AuditLog audit;
    SftpSession session;
    long quotaBytes;
    long readBytes;
    long writtenBytes;
    private int id;

    @BeforeEach
    void makeRoot() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
        auditFile = temp.resolve("audit.log");
        audit = AuditLog.open(auditFile, 0, Duration.ZERO, 0, () -> 0);
    }

    @AfterEach
    void end() {
        session.end();
        runBlocked();
        audit.close();
    }

    void begin(Set<Right> rights) {
        begin(rights, 8, false, false);
    }

    void begin(Set<Right> rights, int handlesMax, boolean isAtomic, boolean isShared) {
        session = converse(rights, handlesMax, isAtomic, isShared);
        sendInit();
        runBlocked();
        ByteBuffer version = line.replies().get(0);
        assertThat(version.get()).isEqualTo((byte) Sftp.VERSION);
        assertThat(version.getInt()).isEqualTo(3);
        session.resume(buffer);
    }

    void sendInit() {
        send(ByteBuffer.allocate(5).put((byte) Sftp.INIT).putInt(3).array());
    }

    SftpSession converse(Set<Right> rights, int handlesMax, boolean isAtomic, boolean isShared) {
        SftpRules.Traffic traffic = new SftpRules.Traffic() {
            @Override
            public void read(int bytes) {
                readBytes += bytes;
            }

            @Override
            public void written(int bytes) {
                writtenBytes += bytes;
            }

            @Override
            public void request() {}
        };
        SftpRules rules = new SftpRules(
                new User("u", root, rights, 0, List.of()),
                7,
                handlesMax,
                ofUser,
                isAtomic,
                audit,
                traffic,
                () -> ".sfs-temporary\0".getBytes(StandardCharsets.US_ASCII),
                () -> 1_000_000_000_000L,
                ZoneOffset.UTC);
        return new SftpSession(line, rules, this::openTree, new BufferPool(1), SLICE, isShared);
    }

    private Tree openTree() throws IOException {
        Tree tree = Tree.open(root, new FileRules(true, 0755, 0755), new Quota(quotaBytes));
        tree.countForQuota();
        return tree;
    }

    static Set<Right> without(Right... rights) {
        EnumSet<Right> set = EnumSet.allOf(Right.class);
        set.removeAll(List.of(rights));
        return set;
    }

    /** Of a packet without its length. */
    void send(byte[] packet) {
        byte[] bytes = ByteBuffer.allocate(4 + packet.length)
                .putInt(packet.length)
                .put(packet)
                .array();
        session.received(bytes, 0, bytes.length, buffer);
    }

    void runBlocked() {
        while (!line.blocked.isEmpty()) {
            line.blocked.remove().run();
            session.resume(buffer);
        }
    }

    /** Fields of a request: an Integer has 32 bits, a Long 64, text and bytes have their length before them. */
    byte[] packet(int type, Object... fields) {
        ByteBuffer packet = ByteBuffer.allocate(Sftp.PACKET_BYTES_MAX);
        packet.put((byte) type).putInt(++id);
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
        byte[] bytes = new byte[packet.position()];
        packet.flip().get(bytes);
        return bytes;
    }

    /** Asks, and waits for the reply; behind its type and number. */
    ByteBuffer ask(int expectedType, int type, Object... fields) {
        send(packet(type, fields));
        runBlocked();
        List<ByteBuffer> replies = line.replies();
        assertThat(replies).hasSize(1);
        ByteBuffer reply = replies.get(0);
        assertThat(reply.get()).isEqualTo((byte) expectedType);
        assertThat(reply.getInt()).isEqualTo(id);
        return reply;
    }

    /** The code of a status. */
    int status(int type, Object... fields) {
        return ask(Sftp.STATUS, type, fields).getInt();
    }

    byte[] open(String path, int flags) {
        return bytes(ask(Sftp.HANDLE, Sftp.OPEN, path, flags, 0));
    }

    static byte[] bytes(ByteBuffer reply) {
        byte[] bytes = new byte[reply.getInt()];
        reply.get(bytes);
        return bytes;
    }

    static String text(ByteBuffer reply) {
        return new String(bytes(reply), StandardCharsets.UTF_8);
    }

    List<String> auditLines() throws IOException {
        return new ArrayList<>(Files.readAllLines(auditFile));
    }
}
