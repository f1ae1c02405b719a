// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sfs.users.Right;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which requests take turns with which. */
class SubjectTest extends SftpHarness {
    private static final int WRITE = Sftp.OPEN_WRITE | Sftp.OPEN_CREATE;

    private List<Long> subjectsOf(int type, Object... fields) {
        line.subjects.clear();
        send(packet(type, fields));
        runBlocked();
        assertThat(line.replies()).hasSize(1);
        return List.copyOf(line.subjects);
    }

    // Two handles of one file are one thing, whatever the name it was opened by.
    @Test
    void changes_ofOneFile_areAboutTheSame() {
        quotaBytes = 1000;
        begin(Right.ALL);
        byte[] first = open("a", WRITE);
        assertThat(status(Sftp.EXTENDED, Extensions.HARDLINK, "a", "b")).isEqualTo(Sftp.OK);
        byte[] second = open("b", WRITE);
        byte[] other = open("c", WRITE);
        List<Long> file = subjectsOf(Sftp.WRITE, first, 0L, "x");
        assertThat(file).hasSize(1).doesNotContain(Subject.NOTHING);
        assertThat(subjectsOf(Sftp.WRITE, second, 0L, "x")).isEqualTo(file);
        assertThat(subjectsOf(Sftp.FSETSTAT, second, Sftp.HAS_SIZE, 5L)).isEqualTo(file);
        assertThat(subjectsOf(Sftp.EXTENDED, Extensions.COPY_DATA, other, 0L, 0L, first, 0L))
                .as("refused, as it is not open for reading")
                .isEqualTo(file);
        assertThat(subjectsOf(Sftp.WRITE, other, 0L, "x")).hasSize(1).isNotEqualTo(file);
        assertThat(subjectsOf(Sftp.CLOSE, (Object) first)).isEqualTo(file);
    }

    @Test
    void changes_ofOneName_areAboutTheSame() {
        begin(Right.ALL);
        List<Long> name = subjectsOf(Sftp.OPEN, "/d/../a", WRITE, 0);
        assertThat(name).hasSize(1).doesNotContain(Subject.NOTHING);
        assertThat(subjectsOf(Sftp.SETSTAT, "a", Sftp.HAS_SIZE, 5L)).isEqualTo(name);
        assertThat(subjectsOf(Sftp.RENAME, "a", "b")).isEqualTo(name);
        assertThat(subjectsOf(Sftp.SYMLINK, "x", "a")).isEqualTo(name);
        assertThat(subjectsOf(Sftp.EXTENDED, Extensions.LSETSTAT, "a", Sftp.HAS_TIMES, 1, 1))
                .isEqualTo(name);
        assertThat(subjectsOf(Sftp.REMOVE, "a")).isEqualTo(name);
        assertThat(subjectsOf(Sftp.REMOVE, "b")).hasSize(1).isNotEqualTo(name);
    }

    // Who only looks waits for nobody.
    @Test
    void looks_areAboutNothing() {
        begin(Right.ALL);
        byte[] handle = open("a", WRITE | Sftp.OPEN_READ);
        assertThat(subjectsOf(Sftp.STAT, "a")).isEmpty();
        assertThat(subjectsOf(Sftp.OPEN, "a", Sftp.OPEN_READ, 0)).isEmpty();
        assertThat(subjectsOf(Sftp.OPENDIR, "/")).isEmpty();
        assertThat(subjectsOf(Sftp.READ, handle, 0L, 5)).isEmpty();
        assertThat(subjectsOf(Sftp.REALPATH, "a")).isEmpty();
        assertThat(subjectsOf(Sftp.REMOVE, "a\0b")).as("malformed").isEmpty();
        assertThat(subjectsOf(Sftp.WRITE, new byte[8], 0L, "x"))
                .as("no such handle")
                .isEmpty();
    }

    // Without a quota nothing but the file itself is shared, and the kernel keeps that in order.
    @Test
    void writes_withoutAQuota_stayInTheClientsColor() {
        begin(Right.ALL);
        byte[] handle = open("a", WRITE);
        line.subjects.clear();
        byte[] write = packet(Sftp.WRITE, handle, 0L, "x");
        send(write);
        boolean mayWriteNow = line.blocked.isEmpty(); // where the kernel can say that it need not wait
        runBlocked();
        assertThat(line.replies()).hasSize(1);
        assertThat(line.subjects).hasSize(mayWriteNow ? 0 : 1);
    }

    // A client may send what is about a handle before it has the handle: they are numbered in order.
    @Test
    void changes_byAHandleThatIsNotOpenYet_takeTheirTurnForTheFile() {
        quotaBytes = 1000;
        begin(Right.ALL);
        byte[] first = ByteBuffer.allocate(8).putInt(0).putInt(1).array();
        send(packet(Sftp.OPEN, "a", WRITE, 0));
        send(packet(Sftp.WRITE, first, 0L, "x"));
        send(packet(Sftp.EXTENDED, Extensions.FSYNC, first));
        send(packet(Sftp.FSETSTAT, first, Sftp.HAS_SIZE, 5L));
        line.subjects.clear();
        runBlocked();
        List<ByteBuffer> replies = line.replies();
        assertThat(replies).hasSize(4);
        assertThat(bytes(replies.get(0).position(5))).isEqualTo(first);
        List<Long> guessed = List.copyOf(line.subjects);
        List<Long> file = subjectsOf(Sftp.WRITE, first, 0L, "y");
        assertThat(guessed).containsExactly(file.get(0), file.get(0));
    }

    // Requests about one thing go together, and after those before them about the same.
    @Test
    void requests_aboutOneThing_keepTheirOrder() {
        quotaBytes = 100_000;
        begin(Right.ALL);
        byte[] first = open("a", WRITE | Sftp.OPEN_READ);
        byte[] second = open("b", WRITE | Sftp.OPEN_READ);
        line.isFull = true;
        for (int i = 0; i < 10; i++) {
            send(packet(Sftp.WRITE, i < 5 ? first : second, (long) i, String.valueOf(i)));
        }
        int read = sendAndNumber(Sftp.READ, second, 5L, 100);
        int remove = sendAndNumber(Sftp.REMOVE, "a");
        int stat = sendAndNumber(Sftp.STAT, "a");
        line.subjects.clear();
        line.isFull = false;
        session.resume(buffer);
        runBlocked();
        assertThat(line.subjects.stream().distinct()).hasSize(3);
        List<ByteBuffer> replies = line.replies();
        assertThat(replies).hasSize(13);
        List<Integer> ids = replies.stream().map(each -> each.getInt(1)).toList();
        assertThat(ids.subList(0, 10)).isSorted();
        assertThat(ids.indexOf(remove)).isLessThan(ids.indexOf(stat));
        ByteBuffer data = replies.get(ids.indexOf(read));
        assertThat(data.get()).isEqualTo((byte) Sftp.DATA);
        data.getInt();
        assertThat(text(data)).isEqualTo("56789");
        assertThat(replies.get(ids.indexOf(stat)).get(0)).isEqualTo((byte) Sftp.STATUS);
        assertThat(replies.get(ids.indexOf(stat)).getInt(5)).isEqualTo(Sftp.NO_SUCH_FILE);
    }

    private int sendAndNumber(int type, Object... fields) {
        byte[] packet = packet(type, fields);
        send(packet);
        return ByteBuffer.wrap(packet).getInt(1);
    }
}
