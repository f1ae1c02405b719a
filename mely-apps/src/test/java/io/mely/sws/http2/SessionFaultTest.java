// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// What clients do to a session that costs it more than it costs them, and what honest ones must not pay for.
class SessionFaultTest extends SessionHarness {
    // Of HEAD, or of a status without a body: it is taken, or whoever writes it would wait for ever.
    @ParameterizedTest
    @CsvSource({"HEAD,400", "GET,204", "GET,304"})
    void body_thatAnAnswerHasNot_isDropped(String method, int status) throws Exception {
        begin(method, Frames.END_STREAM);
        ByteBuffer answer = answer(status, 10);
        assertThat(session.write(opened.get(0), answer)).isEqualTo(answer.limit());
        assertThat(flush()).containsExactly(Frames.HEADERS);
        assertThat(session.write(opened.get(0), 10, to -> 0)).isEqualTo(10);
        assertThat(session.output().isEmpty()).isTrue();
    }

    private static ByteBuf settings(int name, int... values) {
        ByteBuf payload = Unpooled.buffer();
        for (int value : values) {
            payload.writeShort(name).writeInt(value);
        }
        byte[] bytes = new byte[payload.readableBytes()];
        payload.readBytes(bytes);
        return frame(Frames.SETTINGS, 0, 0, bytes);
    }

    // RFC 7541 4.2: the smallest and the last; they are in the room that a head is reckoned with.
    @Test
    void sizesOfTheTable_areSaidInTheNextHead_howeverMany() throws Exception {
        HeadEncoder encoder = new HeadEncoder();
        for (int i = 0; i < 10_000; i++) {
            encoder.tableBytes(i % 2 == 0 ? 100 : 4_000);
        }
        ByteBuffer head = answer(200, 0);
        int bytes = HeadEncoder.headBytes(head);
        encoder.read(head, bytes);
        ByteBuf to = Unpooled.buffer(0, HeadEncoder.bytesMax(bytes));
        encoder.write(1, true, to);
        assertThat(to.readableBytes()).isLessThan(100);
        to.skipBytes(Frames.HEADER_BYTES);
        assertThat(to.getUnsignedByte(to.readerIndex()))
                .as("an update, of 31 and more")
                .isEqualTo((short) 0x3f);
        DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, 1_000);
        assertThat(decoder.decodeHeaders(1, to).status()).hasToString("200");
        head.rewind();
        encoder.read(head, bytes);
        ByteBuf next = Unpooled.buffer();
        encoder.write(3, true, next);
        assertThat(next.getUnsignedByte(Frames.HEADER_BYTES)).as("no update").isGreaterThanOrEqualTo((short) 0x80);
    }

    // One change for each stream, by the last of them; each is looked at.
    @Test
    void initialWindow_manyTimesInAFrame_isTheLast() {
        begin();
        receive(settings(Frames.SETTING_INITIAL_WINDOW_SIZE, Integer.MAX_VALUE, 0, 70_000));
        assertThat(opened.get(0).window).isEqualTo(70_000);
        opened.get(0).window = Frames.WINDOW_BYTES_MAX;
        receive(settings(Frames.SETTING_INITIAL_WINDOW_SIZE, 80_000, 70_000));
        assertThat(session.isOver()).as("no window was too large at the end").isFalse();
        receive(settings(Frames.SETTING_INITIAL_WINDOW_SIZE, -1, 0));
        assertThat(session.isOver()).isTrue();
    }

    // Numbers that a client skips leave no room taken; those of a server's streams say nothing.
    @Test
    void prioritiesOfSkippedStreams_makeRoom() {
        begin();
        for (int i = 1; i <= 10; i++) {
            receive(priorityUpdate(2 * i + 1), priorityUpdate(2 * i + 1_000));
        }
        receive(request(101, "GET"));
        for (int i = 0; i < 10; i++) {
            receive(priorityUpdate(103 + 2 * i));
        }
        assertThat(session.isOver()).isFalse();
        receive(priorityUpdate(123));
        assertThat(session.isOver()).as("too many to come").isTrue();
    }

    private static ByteBuf priorityUpdate(int stream) {
        return frame(
                Frames.PRIORITY_UPDATE,
                0,
                0,
                Unpooled.buffer().writeInt(stream).writeBytes(new byte[] {'i'}).array());
    }

    // Whoever opens a stream may find the connection ended: what it has made is given back.
    @Test
    void sessionThatEnds_whileAStreamIsOpened_tellsItsOwner() {
        begin();
        whenOpened = session::timedOut;
        receive(request(3, "GET"));
        assertThat(opened).hasSize(2);
        assertThat(gone).containsExactlyInAnyOrderElementsOf(opened);
    }

    // Who is told of the end may end the session again: by then no stream is left, and the calls do not nest.
    @Test
    void end_forgetsAllStreams_beforeItTells() {
        begin();
        receive(request(3, "GET"), request(5, "GET"));
        int[] depths = new int[2]; // now, most
        whenGone = () -> {
            depths[0]++;
            depths[1] = Math.max(depths[1], depths[0]);
            assertThat(session.isQuiet()).isTrue();
            session.close();
            depths[0]--;
        };
        session.end();
        assertThat(gone).hasSize(3).doesNotHaveDuplicates();
        assertThat(depths[1]).isEqualTo(1);
    }

    // A client that does not read is told of the end when it does, and its answers are not lost.
    @Test
    void drain_ofAStalledClient_isSaidWhenThereIsRoom() {
        begin();
        for (int n = 10_000; n > 0; n = n == 10_000 ? 10 : 0) {
            String head = "HTTP/1.1 103 x\r\nx: " + "y".repeat(n) + "\r\n\r\n";
            while (session.write(opened.get(0), text(head)) > 0) {
                // until there is no room for another one
            }
        }
        for (int i = 0; i < 200 && !session.isStalled(); i++) {
            receive(frame(Frames.PING, 0, 0, new byte[8]));
        }
        assertThat(session.isStalled()).isTrue();
        session.drain();
        session.drained();
        assertThat(gone).isEmpty();
        flush();
        session.flushed();
        assertThat(flush()).containsExactly(Frames.GOAWAY);
        assertThat(session.write(opened.get(0), answer(200, 0))).isPositive();
        session.close(opened.get(0));
        assertThat(session.isOver()).isTrue();
    }

    // As Go's clients do: each 4 KiB of data open the window of the stream and of the connection.
    @Test
    void windowUpdates_thatDataHasBroughtAbout_areNoFlood() {
        begin("GET", Frames.END_STREAM, Frames.SETTING_INITIAL_WINDOW_SIZE, 1 << 30);
        receive(frame(Frames.WINDOW_UPDATE, 0, 0, new byte[] {0x40, 0, 0, 0}));
        int bytes = 16 << 20;
        ByteBuffer answer = text("HTTP/1.1 200 x\r\nContent-Length: " + 2 * bytes + "\r\n\r\n");
        assertThat(session.write(opened.get(0), answer)).isPositive();
        ByteBuffer body = ByteBuffer.allocate(bytes);
        while (body.hasRemaining()) {
            assertThat(session.write(opened.get(0), body)).isPositive();
            flush();
        }
        for (int i = 0; i < bytes >> 12; i++) {
            receive(
                    frame(Frames.WINDOW_UPDATE, 0, 0, new byte[] {0, 0, 0x10, 0}),
                    frame(Frames.WINDOW_UPDATE, 0, 1, new byte[] {0, 0, 0x10, 0}));
        }
        assertThat(session.isOver()).isFalse();
    }

    // Memory is for bodies that somebody reads.
    @Test
    void body_behindItsAnswer_isThrownAway() {
        begin("POST", 0, Frames.SETTING_INITIAL_WINDOW_SIZE, 0);
        receive(frame(Frames.DATA, 0, 1, new byte[10_000]));
        assertThat(heapLeft).isLessThan(1 << 20);
        assertThat(session.write(opened.get(0), answer(405, 5))).isPositive();
        assertThat(heapLeft).isEqualTo(1 << 20);
        receive(frame(Frames.DATA, Frames.END_STREAM, 1, new byte[10_000]));
        assertThat(heapLeft).isEqualTo(1 << 20);
        assertThat(session.isOver()).isFalse();
    }

    // What was on its way when this side gave a stream up is no flood; beyond its window it is.
    @Test
    void lateData_isFree_upToItsWindow() {
        begin("POST", 0);
        session.close(opened.get(0));
        assertThat(flush()).containsExactly(Frames.RST_STREAM);
        for (int i = 0; i < 5_000; i++) {
            receive(frame(Frames.DATA, 0, 1, new byte[13]));
        }
        assertThat(session.isOver()).isFalse();
        flush();
        for (int i = 0; i < 2_000 && !session.isOver(); i++) {
            receive(frame(Frames.DATA, 0, 1, new byte[13]));
        }
        assertThat(session.isOver()).isTrue();
    }

    // A proxy has many users, of whom some leave: each request that was answered is good for one that is given up.
    @Test
    void resets_areGood_forAsManyAnswers() {
        begin();
        for (int stream = 3; stream < 3 + 4 * 1_500; stream += 4) {
            receive(request(stream, "GET"), request(stream + 2, "GET"));
            Stream answered = opened.get(opened.size() - 2);
            assertThat(session.write(answered, answer(200, 0))).isPositive();
            session.close(answered);
            receive(frame(Frames.RST_STREAM, 0, stream + 2, new byte[4]));
            flush();
        }
        assertThat(session.isOver()).isFalse();
    }

    // Urgent ones first; but of eight turns one is for the others, whoever they are.
    @Test
    void turns_areByUrgency_andNobodyWaitsForEver() {
        Turns turns = new Turns();
        int[] got = new int[Priority.LEVELS];
        for (int urgency : new int[] {1, 3, 6}) {
            Stream stream = new Stream(2 * urgency + 1, new RequestFields(), true, 0);
            stream.priority = new Priority(urgency, true);
            turns.add(stream);
        }
        for (int i = 0; i < 160; i++) {
            Stream next = turns.poll();
            got[next.priority.urgency()]++;
            turns.add(next);
        }
        assertThat(got).containsExactly(0, 140, 0, 10, 0, 0, 10, 0);
    }
}
