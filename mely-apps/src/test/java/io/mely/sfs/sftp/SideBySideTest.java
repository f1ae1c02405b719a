// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sfs.users.Right;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Requests of one client: which run side by side, and which one after the other. */
class SideBySideTest extends SftpHarness {
    private static final int WRITE = Sftp.OPEN_WRITE | Sftp.OPEN_CREATE;
    private static final int READ_WRITE = WRITE | Sftp.OPEN_READ;

    private int sendNumbered(int type, Object... fields) {
        byte[] packet = packet(type, fields);
        send(packet);
        return ByteBuffer.wrap(packet).getInt(1);
    }

    /** Runs one piece of work that is elsewhere: the last one that was begun. */
    private void runLast() {
        line.blocked.removeLast().run();
        session.resume(buffer);
    }

    private List<Integer> answered() {
        return line.replies().stream().map(each -> each.getInt(1)).toList();
    }

    // The disk of one file holds up that file alone.
    @Test
    void changesOfTwoFiles_runSideBySide() {
        quotaBytes = 100_000;
        begin(Right.ALL);
        byte[] slow = open("slow", WRITE);
        byte[] quick = open("quick", WRITE);
        int first = sendNumbered(Sftp.WRITE, slow, 0L, "a");
        int second = sendNumbered(Sftp.WRITE, quick, 0L, "b");
        int third = sendNumbered(Sftp.CLOSE, (Object) quick);
        assertThat(line.blocked).hasSize(2);
        runLast();
        assertThat(answered()).containsExactly(second);
        runLast();
        assertThat(answered()).containsExactly(third);
        assertThat(line.blocked).as("still waits").hasSize(1);
        assertThat(session.isAnswering()).isTrue();
        runLast();
        assertThat(answered()).containsExactly(first);
    }

    // A client that takes no replies is silent, whatever it has asked for.
    @Test
    void requestsBehindRepliesThatWait_areNotUnderWay() {
        begin(Right.ALL);
        int first = sendNumbered(Sftp.OPEN, "a", WRITE, 0);
        int second = sendNumbered(Sftp.OPEN, "b", WRITE, 0);
        assertThat(session.isAnswering()).isTrue();
        line.isFull = true;
        runLast();
        assertThat(line.blocked).isEmpty();
        assertThat(session.isAnswering()).isFalse();
        line.isFull = false;
        session.resume(buffer);
        assertThat(session.isAnswering()).isTrue();
        runBlocked();
        assertThat(answered()).containsExactly(first, second);
        assertThat(session.isAnswering()).isFalse();
    }

    // Between two pieces of a copy, and where no thread is free, the client waits for the server.
    @Test
    void requestsThatWaitForTheServer_areUnderWay() {
        begin(Right.ALL);
        byte[] handle = open("a", WRITE);
        sendNumbered(Sftp.EXTENDED, Extensions.FSYNC, handle);
        sendNumbered(Sftp.FSTAT, (Object) handle);
        line.blocked.removeLast().run();
        assertThat(session.isAnswering()).isTrue();
        session.resume(buffer);
        runBlocked();
        assertThat(session.isAnswering()).isFalse();
        line.isBusy = true;
        sendNumbered(Sftp.EXTENDED, Extensions.FSYNC, handle);
        assertThat(session.isAnswering()).isTrue();
        session.end();
        assertThat(session.isAnswering()).as("ended").isFalse();
        line.isBusy = false;
    }

    // What need not wait is answered while something else does.
    @Test
    void readOfAnotherFile_goesBeforeWhatWaits() throws IOException {
        quotaBytes = 100_000;
        Files.writeString(root.resolve("there"), "hello");
        begin(Right.ALL);
        byte[] slow = open("slow", READ_WRITE);
        byte[] there = open("there", Sftp.OPEN_READ);
        int write = sendNumbered(Sftp.WRITE, slow, 0L, "a");
        int sameFile = sendNumbered(Sftp.READ, slow, 0L, 10);
        int other = sendNumbered(Sftp.READ, there, 0L, 10);
        int path = sendNumbered(Sftp.REALPATH, "x");
        List<Integer> before = new ArrayList<>(answered());
        while (!before.contains(other)) { // where the kernel can't say that it need not wait
            runLast();
            before.addAll(answered());
        }
        assertThat(before).containsExactlyInAnyOrder(other, path).doesNotContain(write, sameFile);
        runBlocked();
        assertThat(answered()).containsExactly(write, sameFile);
    }

    @Test
    void pathBelowAChange_waitsForIt() {
        begin(Right.ALL);
        int make = sendNumbered(Sftp.MKDIR, "d", 0);
        int inside = sendNumbered(Sftp.STAT, "d/x");
        int itself = sendNumbered(Sftp.STAT, "d");
        int beside = sendNumbered(Sftp.STAT, "dd");
        assertThat(line.blocked).as("the folder, and what is beside it").hasSize(2);
        runLast();
        assertThat(answered()).containsExactly(beside);
        runLast();
        assertThat(answered()).containsExactly(make);
        runBlocked();
        assertThat(answered()).containsExactly(inside, itself);
    }

    // A handle keeps its place in the order when what it stands for gets another name.
    @Test
    void handleOfAMovedFile_isStillMetByItsNewPath() {
        quotaBytes = 100_000;
        begin(Right.ALL);
        byte[] handle = open("a", WRITE);
        int rename = sendNumbered(Sftp.RENAME, "a", "b");
        int write = sendNumbered(Sftp.WRITE, handle, 0L, "hello");
        int stat = sendNumbered(Sftp.STAT, "b");
        assertThat(line.blocked).hasSize(1);
        runBlocked();
        List<ByteBuffer> replies = line.replies();
        assertThat(replies.stream().map(each -> each.getInt(1))).containsExactly(rename, write, stat);
        assertThat(replies.get(2).getLong(9)).as("length").isEqualTo(5);
    }

    // Also if it was asked to move before it was open.
    @Test
    void handleOfAFileThatAMoveWaitsFor_isMetByItsNewPath() throws IOException {
        Files.createDirectory(root.resolve("d"));
        quotaBytes = 100_000;
        begin(Right.ALL);
        send(packet(Sftp.OPEN, "d/a", WRITE, 0));
        int rename = sendNumbered(Sftp.RENAME, "d", "e");
        runLast();
        ByteBuffer opened = line.replies().get(0);
        byte[] handle = bytes(opened.position(5));
        assertThat(line.blocked).as("the move").hasSize(1);
        int write = sendNumbered(Sftp.WRITE, handle, 0L, "hello");
        int stat = sendNumbered(Sftp.STAT, "e/a");
        runLast();
        assertThat(answered()).containsExactly(rename);
        assertThat(line.blocked).as("the write").hasSize(1);
        runBlocked();
        List<ByteBuffer> replies = line.replies();
        assertThat(replies.stream().map(each -> each.getInt(1))).containsExactly(write, stat);
        assertThat(replies.get(1).getLong(9)).as("length").isEqualTo(5);
    }

    // Nobody knows what a handle is about that is not open yet.
    @Test
    void closeOfAHandleThatIsNotOpenYet_goesBeforeWhatIsBehindIt() {
        begin(Right.ALL, 8, true, false);
        byte[] guessed = ByteBuffer.allocate(8).putInt(0).putInt(1).array();
        List<Integer> asked = List.of(
                sendNumbered(Sftp.OPEN, "a", WRITE, 0),
                sendNumbered(Sftp.CLOSE, (Object) guessed),
                sendNumbered(Sftp.REMOVE, "a"),
                sendNumbered(Sftp.STAT, "b"));
        runBlocked();
        assertThat(answered()).isEqualTo(asked);
        assertThat(root).isEmptyDirectory();
    }

    // A client that has all open that it may have need not wait for the reply to a close before it opens the next.
    @Test
    void openAfterAClose_whenNoMoreMayBeOpen_waitsForIt() {
        begin(Right.ALL, 2, false, false);
        byte[] first = open("a", WRITE);
        byte[] unused = open("b", WRITE);
        int close = sendNumbered(Sftp.CLOSE, (Object) first);
        int open = sendNumbered(Sftp.OPEN, "c", WRITE, 0);
        assertThat(line.blocked).hasSize(1);
        runBlocked();
        List<ByteBuffer> replies = line.replies();
        assertThat(replies.stream().map(each -> each.getInt(1))).containsExactly(close, open);
        assertThat(replies.get(1).get(0)).isEqualTo((byte) Sftp.HANDLE);
    }

    // One connection does not take all the threads that wait for disks.
    @Test
    void piecesOfWork_areAsManyAsTheLineAllows() {
        quotaBytes = 100_000;
        begin(Right.ALL);
        List<byte[]> handles = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            handles.add(open("f" + i, WRITE));
        }
        line.morePieces = 2;
        handles.forEach(each -> sendNumbered(Sftp.WRITE, each, 0L, "x"));
        assertThat(line.blocked).hasSize(2);
        runBlocked();
        assertThat(answered()).hasSize(5);
        line.morePieces = 0;
        sendNumbered(Sftp.WRITE, handles.get(0), 0L, "x");
        assertThat(line.blocked).as("one in any case").hasSize(1);
        runBlocked();
    }

    // What is asked for and not answered yet is bounded, whatever the window lets in.
    @Test
    void requestsThatWait_areLookedAtUpToASlice() {
        quotaBytes = 10_000_000;
        begin(Right.ALL);
        byte[] handle = open("a", WRITE);
        byte[] data = new byte[SLICE / 4];
        for (int i = 0; i < 16; i++) {
            send(packet(Sftp.WRITE, handle, (long) i * data.length, data));
        }
        byte[] other = {0, 0, 0, 9, 0, 0, 0, 9};
        int beyond = sendNumbered(Sftp.FSTAT, (Object) other);
        assertThat(answered()).doesNotContain(beyond);
        runBlocked();
        assertThat(answered()).contains(beyond);
    }

    // However small they are: each is compared with all others.
    @Test
    void requestsThatWait_areNoMoreThanTheBound() {
        begin(Right.ALL);
        line.morePieces = 1;
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < Asks.MAX - 1; i++) {
            asked.add(sendNumbered(Sftp.STAT, "x"));
        }
        int within = sendNumbered(Sftp.REALPATH, "x");
        assertThat(answered()).containsExactly(within);
        asked.add(sendNumbered(Sftp.STAT, "x"));
        asked.add(sendNumbered(Sftp.REALPATH, "x"));
        assertThat(answered()).isEmpty();
        runBlocked();
        assertThat(answered()).containsExactlyInAnyOrderElementsOf(asked);
    }

    // The session goes on by itself until all is answered: nobody else calls it.
    @Test
    void requestsBeyondASlice_behindOneThatWaits_areAllAnswered() throws IOException {
        Files.write(root.resolve("a"), new byte[1000]);
        begin(Right.ALL);
        byte[] handle = open("a", Sftp.OPEN_READ);
        int resumed = line.resumes;
        List<Integer> asked = new ArrayList<>();
        asked.add(sendNumbered(Sftp.EXTENDED, Extensions.FSYNC, handle));
        for (int i = 0; i < 4 * SLICE / 1000; i++) {
            asked.add(sendNumbered(Sftp.READ, handle, 0L, 1000));
        }
        assertThat(answered()).isEmpty();
        List<Integer> answered = new ArrayList<>();
        while (!line.blocked.isEmpty() || resumed < line.resumes) {
            if (resumed < line.resumes) {
                resumed++;
                session.resume(buffer);
            } else {
                line.blocked.removeFirst().run();
            }
            answered.addAll(answered());
        }
        assertThat(answered).isEqualTo(asked);
    }

    // A slice of replies brings one more event, however many there are: else they would multiply.
    @Test
    void slicesOfReplies_bringOneEventEach() throws IOException {
        Files.write(root.resolve("a"), new byte[SLICE / 2]);
        begin(Right.ALL);
        byte[] handle = open("a", Sftp.OPEN_READ);
        line.isFull = true;
        for (int i = 0; i < 20; i++) {
            send(packet(Sftp.READ, handle, 0L, SLICE / 2));
        }
        line.isFull = false;
        int resumed = line.resumes;
        session.resume(buffer);
        int events = 1;
        while (!line.blocked.isEmpty() || resumed < line.resumes) {
            if (resumed < line.resumes) {
                resumed++;
                events++;
                session.resume(buffer);
            } else {
                line.blocked.removeFirst().run();
            }
        }
        assertThat(answered()).hasSize(20);
        assertThat(events).isLessThanOrEqualTo(2 * 10 + 2);
    }

    // Where no thread is free nothing is lost, and the order stays.
    @Test
    void busyThreads_changeNothing() {
        quotaBytes = 100_000;
        begin(Right.ALL);
        byte[] a = open("a", WRITE);
        byte[] b = open("b", WRITE);
        line.isBusy = true;
        List<Integer> asked = List.of(
                sendNumbered(Sftp.WRITE, a, 0L, "1"),
                sendNumbered(Sftp.WRITE, b, 0L, "2"),
                sendNumbered(Sftp.CLOSE, (Object) a),
                sendNumbered(Sftp.STAT, "a"));
        assertThat(line.retries).isPositive();
        assertThat(answered()).isEmpty();
        line.isBusy = false;
        session.resume(buffer);
        runBlocked();
        assertThat(answered()).containsExactlyInAnyOrderElementsOf(asked);
        assertThat(root.resolve("a")).hasContent("1");
    }

    // The end of a client waits for all that is under way; then all is closed.
    @Test
    void end_withSeveralPiecesUnderWay_closesAfterTheLast() {
        quotaBytes = 100_000;
        begin(Right.ALL);
        byte[] a = open("a", WRITE);
        byte[] b = open("b", WRITE);
        sendNumbered(Sftp.WRITE, a, 0L, "1");
        sendNumbered(Sftp.WRITE, b, 0L, "2");
        session.end();
        assertThat(line.blocked).hasSize(2);
        line.blocked.removeLast().run();
        assertThat(ofUser.size()).isEqualTo(3);
        runBlocked();
        assertThat(ofUser.size()).isZero();
    }

    /**
     * What a client sends at once comes to the same as if it waited for each reply: whatever order pieces of work end in, each file, each name and each handle sees its requests in order.
     */
    @Test
    void anyOrderOfWork_comesToWhatWaitingComesTo() throws IOException {
        for (long seed = 1; seed <= 40; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            quotaBytes = 1_000_000;
            begin(Right.ALL);
            Map<String, byte[]> handles = new HashMap<>();
            Map<String, StringBuilder> contents = new HashMap<>();
            Map<Integer, String> expected = new HashMap<>();
            for (String name : List.of("a", "b", "c")) {
                handles.put(name, open(name, READ_WRITE));
                contents.put(name, new StringBuilder());
            }
            Deque<Integer> order = new ArrayDeque<>();
            for (int i = 0; i < 60; i++) {
                String name = List.of("a", "b", "c").get(random.nextInt(3));
                StringBuilder content = contents.get(name);
                if (random.nextInt(3) > 0) {
                    String text = String.valueOf((char) ('a' + i % 26));
                    order.add(sendNumbered(Sftp.WRITE, handles.get(name), (long) content.length(), text));
                    content.append(text);
                } else {
                    int id = sendNumbered(Sftp.READ, handles.get(name), 0L, 1000);
                    order.add(id);
                    expected.put(id, content.toString());
                }
                if (random.nextInt(4) == 0 && !line.blocked.isEmpty()) {
                    runLast();
                }
            }
            while (!line.blocked.isEmpty()) {
                if (random.nextBoolean()) {
                    line.blocked.addFirst(line.blocked.removeLast());
                }
                runLast();
            }
            List<ByteBuffer> replies = line.replies();
            assertThat(replies.stream().map(each -> each.getInt(1)))
                    .as("seed %s", seed)
                    .containsExactlyInAnyOrderElementsOf(order);
            for (ByteBuffer reply : replies) {
                int type = reply.get();
                String content = expected.get(reply.getInt());
                if (content != null) {
                    assertThat(type).isEqualTo(content.isEmpty() ? Sftp.STATUS : Sftp.DATA);
                    if (type == Sftp.DATA) {
                        assertThat(text(reply)).as("seed %s", seed).isEqualTo(content);
                    }
                }
            }
            session.end();
            runBlocked();
            for (String name : List.of("a", "b", "c")) {
                Files.delete(root.resolve(name));
            }
        }
    }
}
