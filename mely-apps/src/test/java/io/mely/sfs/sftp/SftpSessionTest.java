// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sfs.users.Right;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SftpSessionTest extends SftpHarness {
    private static final int READ = Sftp.OPEN_READ;
    private static final int WRITE = Sftp.OPEN_WRITE | Sftp.OPEN_CREATE;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void put(String path, String text) {
        byte[] handle = open(path, WRITE | Sftp.OPEN_TRUNCATE);
        assertThat(status(Sftp.WRITE, handle, 0L, text)).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.CLOSE, (Object) handle)).isEqualTo(Sftp.OK);
    }

    @Test
    void file_writtenAndRead_isTheSame() throws IOException {
        begin(Right.ALL);
        put("/a", "hello");
        assertThat(root.resolve("a")).hasContent("hello");
        byte[] handle = open("a", READ);
        assertThat(text(ask(Sftp.DATA, Sftp.READ, handle, 1L, 100))).isEqualTo("ello");
        assertThat(status(Sftp.READ, handle, 5L, 100)).isEqualTo(Sftp.END_OF_FILE);
        assertThat(status(Sftp.READ, handle, 0L, 0)).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.CLOSE, (Object) handle)).isEqualTo(Sftp.OK);
        assertThat(readBytes).isEqualTo(4);
        assertThat(writtenBytes).isEqualTo(5);
    }

    // A handle that was closed stays wrong, also when its place is used again.
    @Test
    void handle_closedOrInvented_isRefused() {
        begin(Right.ALL);
        put("a", "hello");
        byte[] first = open("a", READ);
        assertThat(status(Sftp.CLOSE, (Object) first)).isEqualTo(Sftp.OK);
        byte[] second = open("a", READ);
        assertThat(second).isNotEqualTo(first);
        for (byte[] wrong : List.of(first, new byte[0], new byte[8], new byte[9], ascii("abcdefgh"))) {
            assertThat(status(Sftp.READ, wrong, 0L, 1)).isEqualTo(Sftp.NO_SUCH_FILE);
            assertThat(status(Sftp.CLOSE, (Object) wrong)).isEqualTo(Sftp.NO_SUCH_FILE);
        }
        assertThat(text(ask(Sftp.DATA, Sftp.READ, second, 0L, 9))).isEqualTo("hello");
    }

    @Test
    void handles_tooMany_areRefused() {
        begin(Right.ALL, 2, false, false);
        put("a", "");
        byte[] first = open("a", READ);
        open("a", READ);
        assertThat(status(Sftp.OPEN, "a", READ, 0)).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.OPENDIR, "/")).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.CLOSE, (Object) first)).isEqualTo(Sftp.OK);
        open("a", READ);
    }

    // What a user has open counts together, whatever the conversation; what could not be opened does not count.
    @Test
    void handles_tooManyOfTheUser_areRefused() throws Exception {
        begin(Right.ALL);
        put("a", "");
        assertThat(ofUser.size()).as("the root").isEqualTo(1);
        for (int i = ofUser.size(); i < OPEN_MAX - 1; i++) {
            ofUser.take(); // by another conversation
        }
        assertThat(status(Sftp.OPEN, "none", READ, 0)).isEqualTo(Sftp.NO_SUCH_FILE);
        byte[] last = open("a", READ);
        assertThat(status(Sftp.OPEN, "a", READ, 0)).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.OPENDIR, "/")).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.CLOSE, (Object) last)).isEqualTo(Sftp.OK);
        open("a", READ);
        session.end();
        runBlocked();
        assertThat(ofUser.size()).as("those of the other").isEqualTo(OPEN_MAX - 2);
    }

    @Test
    void conversation_ofAUserWithTooMuchOpen_isEnded() throws Exception {
        for (int i = 0; i < OPEN_MAX; i++) {
            ofUser.take();
        }
        session = converse(Right.ALL, 8, false, false);
        sendInit();
        runBlocked();
        assertThat(line.ends).containsExactly(1);
        assertThat(line.replies()).isEmpty();
        assertThat(ofUser.size()).isEqualTo(OPEN_MAX);
    }

    @Test
    void folder_listed_hasEachNameOnce() throws IOException {
        begin(Right.READ_ONLY);
        Set<String> expected = new TreeSet<>();
        for (int i = 0; i < 1500; i++) {
            expected.add("name-" + i);
            Files.createFile(root.resolve("name-" + i));
        }
        byte[] handle = bytes(ask(Sftp.HANDLE, Sftp.OPENDIR, "/"));
        List<String> names = new ArrayList<>();
        boolean isMore = true;
        while (isMore) {
            send(packet(Sftp.READDIR, (Object) handle));
            runBlocked();
            ByteBuffer reply = line.replies().get(0);
            isMore = reply.get() == Sftp.NAME;
            reply.getInt();
            if (isMore) {
                assertThat(reply.remaining()).isLessThan(64 << 10);
                for (int n = reply.getInt(); n > 0; n--) {
                    String name = text(reply);
                    names.add(name);
                    assertThat(text(reply)).matches("-rw.r..r..   1 .* 0 [A-Z][a-z]{2} [ 0-9]{2}  \\d{4} " + name);
                    assertThat(reply.getInt()).isEqualTo(15);
                    reply.position(reply.position() + 8 + 4 * 5);
                }
                assertThat(reply.hasRemaining()).isFalse();
            } else {
                assertThat(reply.getInt()).isEqualTo(Sftp.END_OF_FILE);
            }
        }
        assertThat(names).hasSameSizeAs(expected).containsAll(expected);
        assertThat(status(Sftp.READ, handle, 0L, 1)).isEqualTo(Sftp.FAILURE);
        byte[] file = open("name-1", READ);
        assertThat(status(Sftp.READDIR, (Object) file)).isEqualTo(Sftp.NO_SUCH_FILE);
    }

    @Test
    void attributes_ofAFile_areTold() {
        begin(Right.ALL);
        put("a", "hello");
        assertThat(status(Sftp.SETSTAT, "a", Sftp.HAS_PERMISSIONS | Sftp.HAS_TIMES, 0600, 5, 6))
                .isEqualTo(Sftp.OK);
        ByteBuffer reply = ask(Sftp.ATTRS, Sftp.STAT, "a");
        assertThat(reply.getInt()).isEqualTo(15);
        assertThat(reply.getLong()).isEqualTo(5);
        int uid = reply.getInt();
        int gid = reply.getInt();
        assertThat(reply.getInt()).isEqualTo(0100600);
        assertThat(reply.getInt()).isEqualTo(5);
        assertThat(reply.getInt()).isEqualTo(6);
        // Owners stay; to ask for what is so already is no error, as clients that copy everything do.
        assertThat(status(Sftp.SETSTAT, "a", Sftp.HAS_OWNER, uid, gid)).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.SETSTAT, "a", Sftp.HAS_OWNER, uid + 1, gid)).isEqualTo(Sftp.PERMISSION_DENIED);
        byte[] handle = open("a", WRITE);
        assertThat(status(Sftp.FSETSTAT, handle, Sftp.HAS_SIZE, 2L)).isEqualTo(Sftp.OK);
        reply = ask(Sftp.ATTRS, Sftp.FSTAT, (Object) handle);
        reply.getInt();
        assertThat(reply.getLong()).isEqualTo(2);
    }

    @Test
    void names_changed_asAsked() throws IOException {
        begin(Right.ALL);
        put("a", "a");
        put("b", "b");
        assertThat(status(Sftp.RENAME, "a", "b")).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.EXTENDED, Extensions.POSIX_RENAME, "a", "b")).isEqualTo(Sftp.OK);
        assertThat(root.resolve("b")).hasContent("a");
        assertThat(status(Sftp.EXTENDED, Extensions.HARDLINK, "b", "c")).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.SYMLINK, "b", "l")).isEqualTo(Sftp.OK);
        assertThat(Files.readSymbolicLink(root.resolve("l"))).hasToString("b");
        ByteBuffer link = ask(Sftp.NAME, Sftp.READLINK, "l");
        assertThat(link.getInt()).isEqualTo(1);
        assertThat(text(link)).isEqualTo("b");
        assertThat(status(Sftp.MKDIR, "d", 0)).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.RMDIR, "d")).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.REMOVE, "c")).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.REMOVE, "c")).isEqualTo(Sftp.NO_SUCH_FILE);
        assertThat(status(Sftp.EXTENDED, Extensions.LSETSTAT, "l", Sftp.HAS_TIMES, 1, 2))
                .isEqualTo(Sftp.OK);
    }

    @Test
    void paths_made_canonical() {
        begin(Right.ALL);
        ByteBuffer reply = ask(Sftp.NAME, Sftp.REALPATH, "../a/./b/../c");
        assertThat(reply.getInt()).isEqualTo(1);
        assertThat(text(reply)).isEqualTo("/a/c");
        reply = ask(Sftp.NAME, Sftp.EXTENDED, Extensions.EXPAND_PATH, "~/x");
        assertThat(reply.getInt()).isEqualTo(1);
        assertThat(text(reply)).isEqualTo("/x");
        assertThat(status(Sftp.EXTENDED, Extensions.EXPAND_PATH, "~root/x")).isEqualTo(Sftp.NO_SUCH_FILE);
        assertThat(status(Sftp.STAT, "a\0b")).isEqualTo(Sftp.FAILURE);
    }

    @Test
    void extensions_answered() {
        begin(Right.ALL);
        put("a", "0123456789");
        ByteBuffer limits = ask(Sftp.EXTENDED_REPLY, Sftp.EXTENDED, Extensions.LIMITS);
        assertThat(limits.getLong()).isEqualTo(Sftp.PACKET_BYTES_MAX);
        assertThat(limits.getLong()).isEqualTo(Sftp.DATA_BYTES_MAX);
        assertThat(limits.getLong()).isEqualTo(Sftp.DATA_BYTES_MAX);
        assertThat(limits.getLong()).isEqualTo(8);
        assertThat(ask(Sftp.EXTENDED_REPLY, Sftp.EXTENDED, Extensions.STATVFS, "/")
                        .remaining())
                .isEqualTo(88);
        byte[] from = open("a", READ);
        byte[] to = open("b", WRITE);
        assertThat(ask(Sftp.EXTENDED_REPLY, Sftp.EXTENDED, Extensions.FSTATVFS, from)
                        .remaining())
                .isEqualTo(88);
        assertThat(status(Sftp.EXTENDED, Extensions.FSYNC, to)).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.EXTENDED, Extensions.COPY_DATA, from, 3L, 4L, to, 0L))
                .isEqualTo(Sftp.OK);
        assertThat(root.resolve("b")).hasContent("3456");
        assertThat(status(Sftp.EXTENDED, "no-such@example.org", "x")).isEqualTo(Sftp.OP_UNSUPPORTED);
        assertThat(status(99, "x")).isEqualTo(Sftp.OP_UNSUPPORTED);
    }

    // A large copy is done in pieces: others have their turn between them, and nobody copies on for a client that is
    // gone.
    @Test
    void copy_ofALargeFile_takesTurns() throws IOException {
        begin(Right.ALL);
        byte[] large = new byte[(3 << 20) + 5];
        new Random(54).nextBytes(large);
        Files.write(root.resolve("a"), large);
        byte[] from = open("a", READ);
        byte[] whole = open("b", WRITE);
        send(packet(Sftp.EXTENDED, Extensions.COPY_DATA, from, 0L, 0L, whole, 0L));
        int turns = 0;
        while (!line.blocked.isEmpty()) {
            assertThat(session.isAnswering()).isTrue();
            line.blocked.remove().run();
            session.resume(buffer);
            turns++;
        }
        assertThat(turns).isEqualTo(4);
        assertThat(session.isAnswering()).isFalse();
        assertThat(line.replies()).hasSize(1);
        assertThat(root.resolve("b")).hasBinaryContent(large);
        assertThat(status(Sftp.CLOSE, (Object) whole)).isEqualTo(Sftp.OK);
        byte[] part = open("c", WRITE);
        send(packet(Sftp.EXTENDED, Extensions.COPY_DATA, from, 0L, 0L, part, 0L));
        line.blocked.remove().run();
        session.resume(buffer);
        session.end();
        runBlocked();
        assertThat(root.resolve("c")).hasSize(2 << 20);
        assertThat(line.blocked).isEmpty();
    }

    // What is cut off or too long is answered, and the next request is read as if nothing had been.
    @Test
    void request_malformed_isAnsweredSo() {
        begin(Right.ALL);
        put("a", "hello");
        byte[] handle = open("a", WRITE | READ);
        Random random = new Random(20261129);
        Object[][] requests = {
            {Sftp.OPEN, "x", WRITE, Sftp.HAS_PERMISSIONS, 0644},
            {Sftp.READ, handle, 0L, 10},
            {Sftp.WRITE, handle, 0L, "abc"},
            {Sftp.SETSTAT, "a", Sftp.HAS_TIMES, 1, 2},
            {Sftp.RENAME, "p", "q"},
            {Sftp.EXTENDED, Extensions.COPY_DATA, handle, 0L, 1L, handle, 5L},
        };
        for (Object[] each : requests) {
            byte[] whole = packet((Integer) each[0], Arrays.copyOfRange(each, 1, each.length));
            for (int cut = 5; cut < whole.length; cut++) {
                send(Arrays.copyOf(whole, cut));
                runBlocked();
                ByteBuffer reply = line.replies().get(0);
                assertThat(reply.get())
                        .as(Arrays.toString(each) + " cut at " + cut)
                        .isEqualTo((byte) Sftp.STATUS);
                reply.getInt();
                assertThat(reply.getInt()).isEqualTo(Sftp.BAD_MESSAGE);
            }
            for (int i = 0; i < 300; i++) {
                byte[] broken = whole.clone();
                broken[5 + random.nextInt(broken.length - 5)] = (byte) random.nextInt();
                send(broken);
                runBlocked();
                assertThat(line.replies()).hasSize(1);
            }
        }
        assertThat(line.ends).isEmpty();
        assertThat(ask(Sftp.NAME, Sftp.REALPATH, "x").getInt()).isEqualTo(1);
    }

    @Test
    void packet_beyondTheLimit_endsTheConversation() {
        begin(Right.ALL);
        byte[] length = ByteBuffer.allocate(4).putInt(Sftp.PACKET_BYTES_MAX + 1).array();
        session.received(length, 0, 4, buffer);
        assertThat(line.ends).containsExactly(1);
    }

    // What came before it is answered, also where that has to wait for the disk.
    @Test
    void packet_beyondTheLimit_leavesThoseBeforeIt() {
        begin(Right.ALL);
        byte[] request = packet(Sftp.STAT, "/");
        byte[] bytes = ByteBuffer.allocate(8 + request.length)
                .putInt(request.length)
                .put(request)
                .putInt(Sftp.PACKET_BYTES_MAX + 1)
                .array();
        session.received(bytes, 0, bytes.length, buffer);
        runBlocked();
        assertThat(line.replies()).hasSize(1);
        assertThat(line.ends).containsExactly(1);
    }

    @Test
    void start_withoutInit_endsTheConversation() {
        begin(Right.ALL);
        session.end();
        runBlocked();
        session = new SftpSession(line, null, null, null, SLICE, false);
        send(packet(Sftp.STAT, "/"));
        assertThat(line.ends).containsExactly(1);
    }

    // Answers about one thing come in the order of the requests; who asks about another thing does not wait.
    @Test
    void replies_aboutOneThing_keepTheirOrder() {
        begin(Right.ALL);
        put("a", "hello");
        byte[] handle = open("a", READ);
        List<Integer> looks = new ArrayList<>();
        List<Integer> reads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            byte[] packet = i % 3 == 0 ? packet(Sftp.STAT, "a") : packet(Sftp.READ, handle, 0L, 5);
            (i % 3 == 0 ? looks : reads).add(ByteBuffer.wrap(packet).getInt(1));
            send(packet);
        }
        runBlocked();
        List<ByteBuffer> replies = line.replies();
        assertThat(replies).hasSize(20);
        assertThat(replies.stream().filter(each -> each.get(0) == Sftp.ATTRS).map(each -> each.getInt(1)))
                .isEqualTo(looks);
        assertThat(replies.stream().filter(each -> each.get(0) == Sftp.DATA).map(each -> each.getInt(1)))
                .isEqualTo(reads);
    }

    // A client that does not read holds up itself: nothing is answered until what was said has gone.
    @Test
    void line_full_holdsRequests() {
        begin(Right.ALL);
        put("a", "hello");
        byte[] handle = open("a", READ);
        line.isFull = true;
        int usedBefore = line.usedBytes;
        send(packet(Sftp.FSTAT, (Object) handle));
        runBlocked();
        assertThat(line.replies()).isEmpty();
        assertThat(line.usedBytes).isEqualTo(usedBefore);
        line.isFull = false;
        session.resume(buffer);
        assertThat(line.replies()).hasSize(1);
        assertThat(line.usedBytes).isGreaterThan(usedBefore);
    }

    // After a slice of replies others have their turn.
    @Test
    void replies_moreThanASlice_takeTurns() throws IOException {
        begin(Right.ALL);
        Files.write(root.resolve("big"), new byte[1 << 20]);
        byte[] handle = open("big", READ);
        line.isFull = true;
        for (int i = 0; i < 10; i++) {
            send(packet(Sftp.READ, handle, 0L, 32 << 10));
        }
        line.isFull = false;
        int resumes = line.resumes;
        session.resume(buffer);
        runBlocked();
        assertThat(line.resumes).isGreaterThan(resumes);
        int turns = 0;
        int replies = line.replies().size();
        while (replies < 10) {
            session.resume(buffer);
            runBlocked();
            replies += line.replies().size();
            turns++;
        }
        assertThat(turns).isPositive();
    }

    // Where all blocking threads are taken, the request is tried again.
    @Test
    void blocking_refused_isTriedAgain() {
        begin(Right.ALL);
        line.isBusy = true;
        send(packet(Sftp.STAT, "/"));
        assertThat(line.retries).isEqualTo(1);
        assertThat(line.ends).isEmpty();
        line.isBusy = false;
        session.resume(buffer);
        runBlocked();
        assertThat(line.replies()).hasSize(1);
    }

    @Test
    void requests_inTheDefaultColor_areAnswered() {
        begin(Right.ALL, 8, false, true);
        put("a", "hello");
        byte[] handle = open("a", READ);
        assertThat(text(ask(Sftp.DATA, Sftp.READ, handle, 0L, 9))).isEqualTo("hello");
        assertThat(line.shares).isEqualTo(6 - 1);
    }

    // The client has gone: what it had open is closed, when its last request is through.
    @Test
    void end_duringARequest_closesAfterIt() throws IOException {
        begin(Right.ALL);
        byte[] handle = open("a", WRITE);
        send(packet(Sftp.EXTENDED, Extensions.FSYNC, handle));
        assertThat(session.isIdle()).isFalse();
        session.end();
        assertThat(auditLines()).noneMatch(text -> text.contains(" cut "));
        runBlocked();
        runBlocked();
        assertThat(auditLines()).last().asString().contains(" cut ").contains("path=\"/a\"");
    }

    @Test
    void input_over_isAnsweredBeforeTheEnd() {
        begin(Right.ALL);
        send(packet(Sftp.STAT, "/"));
        session.inputOver(buffer);
        assertThat(line.ends).isEmpty();
        runBlocked();
        assertThat(line.replies()).hasSize(1);
        assertThat(line.ends).containsExactly(0);
    }

    // Rights: each refuses what it is for, and nothing else.

    @Test
    void readOnly_user_changesNothing() throws IOException {
        Files.writeString(root.resolve("a"), "hello");
        begin(Right.READ_ONLY);
        byte[] handle = open("a", READ);
        for (Object[] each : new Object[][] {
            {Sftp.OPEN, "b", WRITE, 0},
            {Sftp.OPEN, "a", Sftp.OPEN_WRITE, 0},
            {Sftp.OPEN, "a", Sftp.OPEN_APPEND, 0},
            {Sftp.OPEN, "a", READ | WRITE | Sftp.OPEN_TRUNCATE, 0},
            {Sftp.SETSTAT, "a", Sftp.HAS_SIZE, 0L},
            {Sftp.FSETSTAT, handle, Sftp.HAS_SIZE, 0L},
            {Sftp.MKDIR, "d", 0},
            {Sftp.REMOVE, "a"},
            {Sftp.RMDIR, "/"},
            {Sftp.RENAME, "a", "b"},
            {Sftp.SYMLINK, "a", "b"},
            {Sftp.EXTENDED, Extensions.POSIX_RENAME, "a", "b"},
            {Sftp.EXTENDED, Extensions.HARDLINK, "a", "b"},
            {Sftp.EXTENDED, Extensions.LSETSTAT, "a", Sftp.HAS_TIMES, 1, 1},
            {Sftp.EXTENDED, Extensions.COPY_DATA, handle, 0L, 1L, handle, 8L},
            {Sftp.WRITE, handle, 0L, "x"},
        }) {
            assertThat(status((Integer) each[0], Arrays.copyOfRange(each, 1, each.length)))
                    .as(Arrays.toString(each))
                    .isEqualTo(Sftp.PERMISSION_DENIED);
        }
        assertThat(root.toFile().list()).containsExactly("a");
        assertThat(root.resolve("a")).hasContent("hello");
        assertThat(auditLines()).filteredOn(text -> text.contains(" denied ")).hasSizeGreaterThan(10);
    }

    // A box to drop files in: what is there is neither seen nor changed.
    @Test
    void createOnly_user_makesNewFilesAlone() throws IOException {
        Files.writeString(root.resolve("a"), "hello");
        begin(Set.of(Right.CREATE));
        byte[] handle = open("b", WRITE | Sftp.OPEN_TRUNCATE);
        assertThat(status(Sftp.WRITE, handle, 0L, "mine")).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.FSETSTAT, handle, Sftp.HAS_PERMISSIONS, 0600)).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.CLOSE, (Object) handle)).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.OPEN, "a", WRITE | Sftp.OPEN_TRUNCATE, 0)).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.OPEN, "b", WRITE, 0)).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.OPEN, "b", READ, 0)).isEqualTo(Sftp.PERMISSION_DENIED);
        assertThat(status(Sftp.OPENDIR, "/")).isEqualTo(Sftp.PERMISSION_DENIED);
        assertThat(status(Sftp.STAT, "a")).isEqualTo(Sftp.PERMISSION_DENIED);
        assertThat(status(Sftp.REMOVE, "b")).isEqualTo(Sftp.PERMISSION_DENIED);
        assertThat(root.resolve("a")).hasContent("hello");
        assertThat(root.resolve("b")).hasContent("mine");
    }

    @Test
    void rename_withoutDelete_replacesNothing() {
        begin(without(Right.DELETE));
        put("a", "a");
        put("b", "b");
        assertThat(status(Sftp.EXTENDED, Extensions.POSIX_RENAME, "a", "b")).isEqualTo(Sftp.FAILURE);
        assertThat(status(Sftp.EXTENDED, Extensions.POSIX_RENAME, "a", "c")).isEqualTo(Sftp.OK);
        assertThat(root.resolve("b")).hasContent("b");
    }

    @Test
    void change_withoutCreate_makesNoFile() {
        begin(without(Right.CREATE));
        assertThat(status(Sftp.OPEN, "a", WRITE, 0)).isEqualTo(Sftp.NO_SUCH_FILE);
        assertThat(status(Sftp.OPEN, "a", WRITE | Sftp.OPEN_EXCLUSIVE, 0)).isEqualTo(Sftp.PERMISSION_DENIED);
        assertThat(root.toFile().list()).isEmpty();
    }

    // Atomic uploads.

    @Test
    void atomic_upload_appearsWhenClosed() throws IOException {
        Files.writeString(root.resolve("a"), "old");
        begin(Right.ALL, 8, true, false);
        byte[] handle = open("a", WRITE | Sftp.OPEN_TRUNCATE);
        byte[] fresh = open("b", WRITE);
        assertThat(status(Sftp.WRITE, handle, 0L, "new")).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.WRITE, fresh, 0L, "fresh")).isEqualTo(Sftp.OK);
        assertThat(root.resolve("a")).hasContent("old");
        assertThat(root.resolve("b")).doesNotExist();
        assertThat(status(Sftp.CLOSE, (Object) handle)).isEqualTo(Sftp.OK);
        assertThat(status(Sftp.CLOSE, (Object) fresh)).isEqualTo(Sftp.OK);
        assertThat(root.resolve("a")).hasContent("new");
        assertThat(root.resolve("b")).hasContent("fresh");
    }

    @Test
    void atomic_uploadCutOff_isGone() throws IOException {
        Files.writeString(root.resolve("a"), "old");
        begin(Right.ALL, 8, true, false);
        byte[] handle = open("a", WRITE | Sftp.OPEN_TRUNCATE);
        assertThat(status(Sftp.WRITE, handle, 0L, "new")).isEqualTo(Sftp.OK);
        session.end();
        runBlocked();
        assertThat(root.resolve("a")).hasContent("old");
        assertThat(root.toFile().list()).containsExactly("a");
    }

    // Who goes on with what is there writes to that.
    @Test
    void atomic_append_writesInPlace() throws IOException {
        Files.writeString(root.resolve("a"), "old");
        begin(Right.ALL, 8, true, false);
        byte[] handle = open("a", Sftp.OPEN_WRITE | Sftp.OPEN_CREATE | Sftp.OPEN_APPEND);
        assertThat(status(Sftp.WRITE, handle, 0L, "er")).isEqualTo(Sftp.OK);
        assertThat(root.resolve("a")).hasContent("older");
    }

    // Somebody's odd name can't make a line of its own in the log.
    @Test
    void audit_ofAnOddName_isOneLine() throws IOException {
        begin(Right.ALL);
        put("x\" user=\"root\n2026 login", "x");
        assertThat(auditLines())
                .hasSize(2)
                .allMatch(text -> text.contains("user=\"u\" path=\"/x\\\" user=\\\"root\\u{a}2026 login\""));
        assertThat(auditLines().get(1)).endsWith("read=0 written=1").contains(" close session=7 ");
    }
}
