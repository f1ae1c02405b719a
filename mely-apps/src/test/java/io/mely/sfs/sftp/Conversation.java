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
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * A whole conversation with bytes that may be anything, in a root of its own.
 *
 * <p>Properties: each packet has one reply, with its number, in its order; no request fails for a bug; what the client sent is used up, but for a packet that is not whole; how
 * the bytes are cut makes no difference; nothing beside the root is touched; at the end the quota has counted what there is.
 */
final class Conversation {
    private static final long QUOTA = 1 << 20;
    private static final int SLICE = 64 << 10;

    /** A copy is done in pieces; this many are as good as all. */
    private static final int TURNS_MAX = 5000;

    private static final NativeBuffer BUFFER = NativeBuffer.allocate(Sftp.PACKET_BYTES_MAX);

    private final Path temp;
    private final FakeLine line = new FakeLine();
    private final Quota quota = new Quota(QUOTA);
    private final List<String> answers = new ArrayList<>();

    private Conversation(Path temp) {
        this.temp = temp;
    }

    /**
     * Has it.
     *
     * @param temp an empty folder
     * @param stream of packets, after INIT
     * @param splits where it is cut; null if nowhere
     * @return types and numbers of the replies, sorted
     */
    static List<String> have(Path temp, byte[] stream, SplittableRandom splits) throws IOException {
        return new Conversation(temp).run(stream, splits);
    }

    private List<String> run(byte[] stream, SplittableRandom splits) throws IOException {
        Path root = Files.createDirectory(temp.resolve("root"));
        Files.createDirectory(root.resolve("d"));
        Files.writeString(root.resolve("a"), "hello");
        Files.createSymbolicLink(root.resolve("l"), Path.of("../outside/secret"));
        Path outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "secret");
        SftpSession session = new SftpSession(
                line, rules(root), () -> open(root), new BufferPool(1), SLICE, splits != null && splits.nextBoolean());
        byte[] init =
                ByteBuffer.allocate(9).putInt(5).put((byte) Sftp.INIT).putInt(3).array();
        session.received(init, 0, init.length, BUFFER);
        settle(session);
        for (int at = 0; at < stream.length; ) {
            int n = splits == null ? stream.length : Math.min(stream.length - at, 1 + splits.nextInt(64));
            session.received(stream, at, n, BUFFER);
            at += n;
            settle(session);
        }
        session.end();
        settle(session);
        collect();
        check(root, outside, ByteBuffer.wrap(stream));
        remove(root);
        remove(outside);
        return answers.stream().sorted().toList();
    }

    private static SftpRules rules(Path root) {
        return new SftpRules(
                new User("u", root, Right.ALL, QUOTA, List.of()),
                1,
                8,
                new OpenLimit(8),
                false,
                AuditLog.none(),
                new NoTraffic(),
                () -> ".sfs-temporary\0".getBytes(StandardCharsets.US_ASCII),
                () -> 1_000_000_000_000L,
                ZoneOffset.UTC);
    }

    private Tree open(Path root) throws IOException {
        Tree tree = Tree.open(root, new FileRules(true, 0755, 0755), quota);
        tree.countForQuota();
        return tree;
    }

    private void settle(SftpSession session) {
        int resumes = -1;
        for (int i = 0; i < TURNS_MAX && (resumes != line.resumes || !line.blocked.isEmpty()); i++) {
            resumes = line.resumes;
            while (!line.blocked.isEmpty()) {
                line.blocked.remove().run();
            }
            session.resume(BUFFER);
        }
        collect();
    }

    private void collect() {
        for (ByteBuffer reply : line.replies()) {
            int type = reply.get() & 0xff;
            int id = reply.getInt();
            if (type == Sftp.STATUS) {
                int code = reply.getInt();
                assertThat(SftpHarness.text(reply)).isNotEqualTo("internal error");
                answers.add(type + " " + id + " " + code);
            } else {
                answers.add(type + " " + id);
            }
        }
    }

    private void check(Path root, Path outside, ByteBuffer packets) throws IOException {
        assertThat(answers.get(0)).isEqualTo(Sftp.VERSION + " " + Sftp.VERSION_NUMBER);
        List<String> ids = new ArrayList<>();
        int count = 1;
        int bytes = 9;
        while (packets.remaining() >= 4) {
            int length = packets.getInt();
            if (length < 1 || length > Sftp.PACKET_BYTES_MAX) {
                assertThat(line.ends).containsExactly(1);
                break;
            }
            if (length > packets.remaining()) {
                break;
            }
            if (count < answers.size()) {
                ids.add(String.valueOf(length < 5 ? 0 : packets.getInt(packets.position() + 1)));
                bytes += 4 + length;
            }
            packets.position(packets.position() + length);
            count++;
        }
        assertThat(answers.size()).as("replies").isEqualTo(count);
        assertThat(answers.stream().skip(1).map(each -> each.split(" ")[1])).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(line.usedBytes).isGreaterThanOrEqualTo(bytes);
        assertThat(outside.toFile().list()).containsExactly("secret");
        assertThat(outside.resolve("secret")).hasContent("secret");
        assertThat(temp.toFile().list()).containsExactlyInAnyOrder("root", "outside");
        assertThat(QUOTA - quota.freeBytes()).as("counted for the quota").isEqualTo(bytesBelow(root));
    }

    private static long bytesBelow(Path root) throws IOException {
        Map<Object, Long> sizes = new HashMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            all.forEach(each -> {
                try {
                    BasicFileAttributes found =
                            Files.readAttributes(each, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                    if (found.isRegularFile()) {
                        sizes.put(found.fileKey(), found.size());
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return sizes.values().stream().mapToLong(each -> each).sum();
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static final class NoTraffic implements SftpRules.Traffic {
        @Override
        public void read(int bytes) {}

        @Override
        public void written(int bytes) {}

        @Override
        public void request() {}
    }
}
