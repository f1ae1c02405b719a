// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.ActBooks.End;
import io.mely.bench.load.Http2Wire.Frame;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Clients of TLS and HTTP/2 that a server had better survive: each kind of {@link Act} in turn, some a second, and the silent ones of them all the time.
 *
 * <p><b>Bounds.</b> At most {@link #STAYING_MAX}
 * stay.
 */
final class HostileStreams extends Hostile<HostileStreams.Act> {
    /** What a client does. */
    enum Act {
        /** Half of a first record, and then nothing. */
        HANDSHAKE_BEGUN,
        HANDSHAKE_GARBAGE,
        RESET_AFTER_HANDSHAKE,
        RESET_IN_BODY,
        SLOW_READER,
        /** CVE-2023-44487. */
        RAPID_RESET,
        /** CVE-2024-24549 and its like. */
        CONTINUATION_FLOOD,
        SETTINGS_FLOOD,
        PING_FLOOD,
        STREAM_FLOOD,
        /** A window of one byte that is never made larger. */
        TINY_WINDOW,
        /** Few bytes that stand for many. */
        HEADER_BOMB
    }

    private static final long ROUND_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int STAYING_MAX = 60;

    /** A machine may halt server and clients alike for minutes. */
    private static final int ANSWER_MS = 600_000;

    private static final int GARBAGE_BYTES_MAX = 2_000;
    private static final int SMALL_BUFFER_BYTES = 4_096;
    private static final int FLOOD_FRAMES = 3_000;
    private static final int CONTINUATION_BYTES = 1_000;
    private static final int STREAMS = 500;
    private static final byte[] HALF_A_RECORD = {22, 3, 1, 2, 0, 1, 0, 1};
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final String HTTP2 = "h2";

    // HPACK: a field that is kept, with a value of 127 + 0x1e80 + 0 bytes or less, and the newest entry of the table.
    private static final int KEPT_LITERAL = 0x40;
    private static final int NEWEST = 0xbe;
    private static final int BOMB_VALUE_BYTES = 3_000;
    private static final int BOMB_FIELDS = 10_000;
    private static final int LENGTH_PREFIX = 0x7f;
    private static final int MORE = 0x80;

    private final InetSocketAddress address;
    private final String small;
    private final String large;
    private final Random random;
    private final ArrayDeque<Staying> staying = new ArrayDeque<>();

    private record Staying(Act act, Socket socket) {}

    /**
     * Clients of one server.
     *
     * @param small path of a small file
     * @param large path of one that fits into no socket's buffer
     */
    HostileStreams(int port, String small, String large, long seed) {
        super(Act.class, ROUND_NS);
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.small = small;
        this.large = large;
        random = new Random(seed);
    }

    @Override
    void leaveAll() {
        while (!staying.isEmpty()) {
            leave(staying.remove());
        }
    }

    private void leave(Staying client) {
        reset(client.socket);
        books.end(client.act, End.LEFT);
    }

    @Override
    void begin(Act act) {
        books.begin(act);
        Socket plain = new Socket();
        try {
            if (act == Act.RESET_IN_BODY || act == Act.SLOW_READER) {
                plain.setReceiveBufferSize(SMALL_BUFFER_BYTES);
            }
            plain.connect(address, ANSWER_MS);
            plain.setSoTimeout(ANSWER_MS);
            plain.setTcpNoDelay(true);
        } catch (IOException e) {
            books.wrong(act, "cannot connect: " + e);
            return;
        }
        try {
            End end = beginOn(act, plain);
            if (end == null) {
                staying.add(new Staying(act, plain));
                if (staying.size() > STAYING_MAX) {
                    leave(staying.remove());
                }
                return;
            }
            books.end(act, end);
        } catch (EOFException e) {
            books.end(act, End.CUT);
        } catch (IOException e) {
            if (act == Act.SLOW_READER || act == Act.TINY_WINDOW || act == Act.RESET_IN_BODY) {
                books.wrong(act, e.toString()); // nothing of it is against the rules
            } else {
                books.end(act, End.CUT); // a server may reset a connection that sends what it does not read
            }
        } catch (WrongAnswerException e) {
            books.wrong(act, String.valueOf(e.getMessage()));
        }
        reset(plain);
    }

    /** How it ended; null if it stays. */
    private @Nullable End beginOn(Act act, Socket plain) throws IOException, WrongAnswerException {
        switch (act) {
            case HANDSHAKE_BEGUN -> {
                plain.getOutputStream().write(HALF_A_RECORD);
                return null;
            }
            case HANDSHAKE_GARBAGE -> {
                byte[] bytes = new byte[1 + random.nextInt(GARBAGE_BYTES_MAX)];
                random.nextBytes(bytes);
                plain.getOutputStream().write(bytes);
                plain.shutdownOutput();
                byte[] answer = plain.getInputStream().readAllBytes();
                return answer.length == 0 ? End.CUT : End.ANSWERED;
            }
            case RESET_AFTER_HANDSHAKE -> {
                Insecure.socket(plain, HTTP2).startHandshake();
                return End.LEFT;
            }
            case RESET_IN_BODY -> {
                ask(plain);
                return End.LEFT;
            }
            case SLOW_READER -> {
                ask(plain);
                return null;
            }
            case RAPID_RESET -> {
                return flood(
                        plain,
                        stream -> join(
                                Http2Wire.get(stream, small),
                                Http2Wire.frame(Http2Wire.RST_STREAM, 0, stream, Http2Wire.number(8))));
            }
            case CONTINUATION_FLOOD -> {
                byte[] more = Http2Wire.frame(Http2Wire.CONTINUATION, 0, 1, uselessField());
                Http2Wire wire = http2(plain);
                wire.send(Http2Wire.frame(Http2Wire.HEADERS, 0, 1, Http2Wire.fields(small)));
                for (int i = 0; i < FLOOD_FRAMES; i++) {
                    wire.send(more);
                }
                return refused(wire);
            }
            case SETTINGS_FLOOD -> {
                return flood(plain, stream -> Http2Wire.frame(Http2Wire.SETTINGS, 0, 0));
            }
            case PING_FLOOD -> {
                return flood(plain, stream -> Http2Wire.frame(Http2Wire.PING, 0, 0, new byte[8]));
            }
            case STREAM_FLOOD -> {
                Http2Wire wire = http2(plain);
                for (int i = 0; i < STREAMS; i++) {
                    wire.send(Http2Wire.get(2 * i + 1, large));
                }
                return End.LEFT;
            }
            case TINY_WINDOW -> {
                Http2Wire wire = http2(plain, INITIAL_WINDOW_SIZE, 1);
                wire.send(Http2Wire.get(1, large));
                Frame frame = wire.readAnswer();
                while (frame.type == Http2Wire.HEADERS) {
                    frame = wire.readAnswer();
                }
                if (frame.type != Http2Wire.DATA || frame.payload.length != 1) {
                    throw new WrongAnswerException("not one byte, but a frame of type " + frame.type);
                }
                return null;
            }
            case HEADER_BOMB -> {
                Http2Wire wire = http2(plain);
                wire.send(Http2Wire.frame(Http2Wire.HEADERS, Http2Wire.END_STREAM | Http2Wire.END_HEADERS, 1, bomb()));
                return refused(wire);
            }
        }
        throw new AssertionError(act);
    }

    /** Asks for what will not be read, by HTTP/1.1. */
    private void ask(Socket plain) throws IOException {
        SSLSocket secure = Insecure.socket(plain);
        secure.getOutputStream().write(SecureClients.get(large));
        if (secure.getInputStream().read() < 0) {
            throw new IOException("no answer");
        }
    }

    private static Http2Wire http2(Socket plain, int... settings) throws IOException {
        SSLSocket secure = Insecure.socket(plain, HTTP2);
        Http2Wire wire = new Http2Wire(secure.getInputStream(), secure.getOutputStream());
        wire.begin(settings);
        return wire;
    }

    @FunctionalInterface
    private interface Frames {
        byte[] of(int stream);
    }

    /** Many frames, and then a ping: the server may end the connection, or answer. */
    private static End flood(Socket plain, Frames frames) throws IOException {
        Http2Wire wire = http2(plain);
        for (int i = 0; i < FLOOD_FRAMES; i++) {
            wire.send(frames.of(2 * i + 1));
        }
        byte[] last = {1, 2, 3, 4, 5, 6, 7, 8};
        wire.send(Http2Wire.frame(Http2Wire.PING, 0, 0, last));
        for (Frame frame = wire.readAnswer(); ; frame = wire.readAnswer()) {
            boolean isPong = frame.type == Http2Wire.PING && Arrays.equals(frame.payload, last);
            if (isPong || frame.type == Http2Wire.GOAWAY) {
                return End.ANSWERED;
            }
        }
    }

    /** What was sent must not be served: the request is refused, or the connection ends. */
    private static End refused(Http2Wire wire) throws IOException, WrongAnswerException {
        Frame frame = wire.readAnswer();
        if (frame.type == Http2Wire.HEADERS
                && (frame.payload[0] & MORE) != 0
                && (frame.payload[0] & 0xff) == Http2Wire.STATUS_200) {
            throw new WrongAnswerException("answered 200");
        }
        return End.ANSWERED;
    }

    /** One that is not kept, with a name and a value of letters. */
    private static byte[] uselessField() {
        ByteArrayOutputStream field = new ByteArrayOutputStream();
        field.write(0);
        text("x", field);
        text("y".repeat(CONTINUATION_BYTES), field);
        return field.toByteArray();
    }

    private static byte[] bomb() {
        ByteArrayOutputStream fields = new ByteArrayOutputStream();
        fields.writeBytes(Http2Wire.fields("/"));
        fields.write(KEPT_LITERAL);
        text("x", fields);
        text("y".repeat(BOMB_VALUE_BYTES), fields);
        for (int i = 0; i < BOMB_FIELDS; i++) {
            fields.write(NEWEST);
        }
        return fields.toByteArray();
    }

    /** RFC 7541, 5.1 and 5.2. */
    private static void text(String text, ByteArrayOutputStream to) {
        int rest = text.length();
        if (rest < LENGTH_PREFIX) {
            to.write(rest);
        } else {
            to.write(LENGTH_PREFIX);
            for (rest -= LENGTH_PREFIX; rest >= MORE; rest >>= 7) {
                to.write(rest | MORE);
            }
            to.write(rest);
        }
        text.chars().forEach(to::write);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
