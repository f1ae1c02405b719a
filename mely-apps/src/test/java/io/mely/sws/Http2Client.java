// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A client that sends exactly the frames it is told to, and checks those that come; blocking, with a time-out. It gives windows back as it is told. */
public final class Http2Client implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int PRIORITY_UPDATE = 0x10;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    static final int INITIAL_WINDOW_SIZE = 4;
    private static final int WINDOW = 65_535;

    /** One frame, as it came. */
    record Frame(int type, int flags, int stream, byte[] payload) {
        int number(int offset) {
            return Unpooled.wrappedBuffer(payload).getInt(offset);
        }

        boolean isEnd() {
            return (flags & END_STREAM) != 0;
        }

        Http2Error error() {
            return Http2Error.valueOf(number(type == GOAWAY ? 4 : 0));
        }
    }

    /** An answer; trailers there are none. */
    public record Response(int status, Map<String, String> fields, byte[] body) {
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        String field(String name) {
            return fields.get(name);
        }
    }

    /** The server has reset a stream. */
    public static final class ResetException extends IOException {
        private static final long serialVersionUID = 1L;

        ResetException(Frame frame) {
            super("stream " + frame.stream + ": " + frame.error());
        }
    }

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final DefaultHttp2HeadersEncoder encoder =
            new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.NEVER_SENSITIVE, true);
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
    private final Deque<Frame> skipped = new ArrayDeque<>();
    private final Map<Integer, Map<String, String>> heads = new HashMap<>();
    private int next = 1;
    private boolean isGenerous = true;
    private boolean isSending = true;

    private Http2Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(RawClient.TIMEOUT_MS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
    }

    /** Connected, and nothing said. */
    static Http2Client dial(InetSocketAddress server, boolean isSecure, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.setTcpNoDelay(true);
        socket.connect(server, RawClient.TIMEOUT_MS);
        return new Http2Client(isSecure ? secure(socket, "h2") : socket);
    }

    private static SSLSocket secure(Socket socket, String protocol) throws IOException {
        SSLSocket secure = (SSLSocket) TlsFiles.clients().createSocket(socket, "localhost", socket.getPort(), true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {protocol});
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    String protocol() {
        return ((SSLSocket) socket).getApplicationProtocol();
    }

    /** Connected, with settings exchanged. */
    public static Http2Client connect(InetSocketAddress server, boolean isSecure) throws IOException {
        return dial(server, isSecure, 0).begin();
    }

    /** Exchanges settings: pairs of a name and a value. */
    Http2Client begin(int... settings) throws IOException {
        preface().settings(settings).flush();
        expect(SETTINGS);
        acknowledge();
        while ((expect(SETTINGS).flags() & ACK) == 0) {
            // its own come first
        }
        return this;
    }

    Http2Client preface() throws IOException {
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    Http2Client acknowledge() throws IOException {
        frame(SETTINGS, ACK, 0).flush();
        return this;
    }

    /** Whether it opens windows again as data comes. */
    Http2Client generous(boolean is) {
        isGenerous = is;
        return this;
    }

    void flush() throws IOException {
        out.flush();
    }

    // Frames out; they are sent when something is waited for.

    Http2Client frame(int type, int flags, int stream, byte... payload) throws IOException {
        out.writeByte(payload.length >> 16);
        out.writeShort(payload.length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(payload);
        return this;
    }

    static byte[] bytes(int... numbers) {
        ByteBuf to = Unpooled.buffer();
        for (int each : numbers) {
            to.writeInt(each);
        }
        byte[] bytes = new byte[to.readableBytes()];
        to.readBytes(bytes);
        return bytes;
    }

    Http2Client settings(int... pairs) throws IOException {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (int i = 0; i < pairs.length; i += 2) {
            payload.write(pairs[i] >> 8);
            payload.write(pairs[i]);
            payload.writeBytes(bytes(pairs[i + 1]));
        }
        return frame(SETTINGS, 0, 0, payload.toByteArray());
    }

    Http2Client window(int stream, int bytes) throws IOException {
        return frame(WINDOW_UPDATE, 0, stream, bytes(bytes));
    }

    Http2Client reset(int stream, Http2Error error) throws IOException {
        return frame(RST_STREAM, 0, stream, bytes((int) error.code()));
    }

    Http2Client ping(int number) throws IOException {
        return frame(PING, 0, 0, bytes(0, number));
    }

    Http2Client priority(int stream, String value) throws IOException {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        payload.writeBytes(bytes(stream));
        payload.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
        return frame(PRIORITY_UPDATE, 0, 0, payload.toByteArray());
    }

    public Http2Client data(int stream, byte[] data, boolean isEnd) throws IOException {
        return frame(DATA, isEnd ? END_STREAM : 0, stream, data);
    }

    Http2Client data(int stream, String text, boolean isEnd) throws IOException {
        return data(stream, text.getBytes(StandardCharsets.ISO_8859_1), isEnd);
    }

    /** A header block: names and values in turn, in that order and unchecked. */
    byte[] block(String... fields) throws IOException {
        ByteBuf to = Unpooled.buffer();
        try {
            for (int i = 0; i < fields.length; i += 2) {
                Http2Headers one = new DefaultHttp2Headers(false);
                one.add(fields[i], fields[i + 1]);
                encoder.encodeHeaders(next, one, to);
            }
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
        byte[] block = new byte[to.readableBytes()];
        to.readBytes(block);
        return block;
    }

    /** A request with exactly these fields; its stream. */
    public int headers(boolean isEnd, String... fields) throws IOException {
        int stream = stream();
        frame(HEADERS, END_HEADERS | (isEnd ? END_STREAM : 0), stream, block(fields));
        return stream;
    }

    /** The number of the next stream. */
    int stream() {
        int stream = next;
        next += 2;
        return stream;
    }

    /** A request as it should be; its stream. */
    int request(String method, String path, boolean isEnd, String... more) throws IOException {
        String[] fields = new String[8 + more.length];
        String[] pseudo = {":method", method, ":scheme", scheme(), ":authority", "test", ":path", path};
        System.arraycopy(pseudo, 0, fields, 0, 8);
        System.arraycopy(more, 0, fields, 8, more.length);
        return headers(isEnd, fields);
    }

    String scheme() {
        return socket instanceof SSLSocket ? "https" : "http";
    }

    int get(String path, String... more) throws IOException {
        return request("GET", path, true, more);
    }

    Response fetch(String path, String... more) throws IOException {
        return response(get(path, more));
    }

    // Frames in.

    /** The next one; header blocks are decoded as they come, and windows are given back. */
    Frame read() throws IOException {
        Frame kept = skipped.poll();
        return kept == null ? readNew() : kept;
    }

    private Frame readNew() throws IOException {
        if (isSending) {
            out.flush();
        }
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] payload = new byte[length];
        in.readFully(payload);
        Frame frame = new Frame(type, flags, stream, payload);
        if (type == HEADERS) {
            decode(frame);
        }
        if (type == DATA && isGenerous && length > 0) {
            window(0, length);
            if (!frame.isEnd()) {
                window(stream, length);
            }
        }
        return frame;
    }

    private void decode(Frame frame) throws IOException {
        if ((frame.flags & END_HEADERS) == 0) {
            throw new IOException("a head in several frames");
        }
        try {
            Map<String, String> head = new TreeMap<>();
            decoder.decodeHeaders(frame.stream, Unpooled.wrappedBuffer(frame.payload))
                    .forEach(each -> {
                        if (head.put(each.getKey().toString(), each.getValue().toString()) != null) {
                            throw new IllegalStateException("twice: " + each);
                        }
                    });
            heads.put(frame.stream, head);
        } catch (Http2Exception e) {
            throw new IOException(e);
        }
    }

    /** The head that came last on a stream. */
    Map<String, String> head(int stream) {
        return heads.get(stream);
    }

    /** The next frame of a type; others are kept. */
    Frame expect(int type) throws IOException {
        Deque<Frame> before = new ArrayDeque<>();
        while (true) {
            Frame frame = read();
            if (frame.type == type) {
                keep(before);
                return frame;
            }
            before.add(frame);
        }
    }

    /** For later: they came before those that are kept already. */
    private void keep(Deque<Frame> frames) {
        frames.addAll(skipped);
        skipped.clear();
        skipped.addAll(frames);
    }

    /** The answer on a stream, 100s left out; frames of others are kept. */
    public Response response(int stream) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        Deque<Frame> others = new ArrayDeque<>();
        while (true) {
            Frame frame = read();
            if (frame.stream != stream && frame.type != GOAWAY) {
                others.add(frame);
                continue;
            }
            switch (frame.type) {
                case HEADERS -> {}
                case DATA -> body.writeBytes(frame.payload);
                case WINDOW_UPDATE -> {
                    continue;
                }
                case GOAWAY -> {
                    others.add(frame);
                    if (frame.error() != Http2Error.NO_ERROR) {
                        throw new IOException("connection ended: " + frame.error());
                    }
                    continue;
                }
                case RST_STREAM -> {
                    keep(others);
                    throw new ResetException(frame);
                }
                default -> throw new IOException("stream " + stream + ": " + frame);
            }
            if (frame.isEnd()) {
                keep(others);
                Map<String, String> head = new TreeMap<>(heads.remove(stream));
                return new Response(Integer.parseInt(head.remove(":status")), head, body.toByteArray());
            }
        }
    }

    /** The error by which a stream is reset; what comes on it before is thrown away. */
    Http2Error resetOf(int stream) throws IOException {
        while (true) {
            Frame frame = read();
            if (frame.type == GOAWAY) {
                throw new IOException("connection ended: " + frame.error());
            }
            if (frame.stream == stream && frame.type == RST_STREAM) {
                return frame.error();
            }
        }
    }

    /** The error by which the connection ends, before it does; what comes before is thrown away. */
    Http2Error goAway() throws IOException {
        while (true) {
            Frame frame = read();
            if (frame.type == GOAWAY) {
                return frame.error();
            }
        }
    }

    /** The same without a byte sent: another thread may be sending. */
    Http2Error goAwayOnly() throws IOException {
        isGenerous = false;
        isSending = false;
        return goAway();
    }

    /** The first frame of a stream; others are kept. */
    Frame firstOf(int stream) throws IOException {
        Deque<Frame> before = new ArrayDeque<>();
        while (true) {
            Frame frame = read();
            if (frame.stream == stream) {
                keep(before);
                return frame;
            }
            before.add(frame);
        }
    }

    /** Bytes as they are, now. */
    void raw(int... bytes) throws IOException {
        for (int each : bytes) {
            out.writeByte(each);
        }
        out.flush();
    }

    /** Whether the server ends the connection, and says no more than is thrown away. */
    boolean isEnded() throws IOException {
        try {
            while (true) {
                Frame unused = read();
            }
        } catch (EOFException | SocketException e) {
            return true;
        }
    }

    Http2Client timeoutMs(int ms) throws IOException {
        socket.setSoTimeout(ms);
        return this;
    }

    /** As a killed client. */
    void kill() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
