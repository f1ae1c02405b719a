// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** A client that sends exactly the bytes it is told to, and reads responses strictly; blocking, with a timeout. */
public final class RawClient implements AutoCloseable {
    /** Far more than anything takes on a loaded machine. */
    static final int TIMEOUT_MS = 120_000;

    /** What is sent and read by; its own connection, or TLS over it. */
    private final Socket socket;

    private final Socket wire;
    private final InputStream in;
    private int status;
    private Map<String, String> fields = Map.of();

    /** A response; names of fields in lower case. */
    public record Response(int status, Map<String, String> fields, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        public String field(String name) {
            return fields.get(name.toLowerCase(Locale.ROOT));
        }
    }

    public RawClient(InetSocketAddress address) throws IOException {
        this(address, 0);
    }

    /** With a receive buffer of a size, so that little is under way; 0 leaves it to the system. */
    public RawClient(InetSocketAddress address, int receiveBytes) throws IOException {
        this(address, receiveBytes, (InetAddress) null);
    }

    /**
     * From one of the machine's own addresses; null leaves it to the system, which then needs no port that nobody else has: of those there are 28,000, and one
     * is gone for a minute with every connection that has ended.
     */
    RawClient(InetSocketAddress address, int receiveBytes, InetAddress from) throws IOException {
        this(connected(address, receiveBytes, from), null);
    }

    /** By TLS, whose handshake is done when this returns, or as it is if there is no factory. */
    public RawClient(InetSocketAddress address, int receiveBytes, SSLSocketFactory tls) throws IOException {
        this(connected(address, receiveBytes, null), tls);
    }

    /** By TLS behind some bytes without. */
    RawClient(InetSocketAddress address, String before, SSLSocketFactory tls) throws IOException {
        this(connectedBehind(address, before), tls);
    }

    private static Socket connectedBehind(InetSocketAddress address, String before) throws IOException {
        Socket socket = connected(address, 0, null);
        socket.getOutputStream().write(before.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private RawClient(Socket wire, SSLSocketFactory tls) throws IOException {
        this.wire = wire;
        if (tls == null) {
            socket = wire;
        } else {
            SSLSocket secure = (SSLSocket) tls.createSocket(wire, "localhost", wire.getPort(), true);
            try {
                secure.startHandshake();
            } catch (IOException e) {
                wire.close();
                throw e;
            }
            socket = secure;
        }
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    private static Socket connected(InetSocketAddress address, int receiveBytes, InetAddress from) throws IOException {
        Socket socket = new Socket();
        if (from != null) {
            socket.bind(new InetSocketAddress(from, 0));
        }
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.connect(address, TIMEOUT_MS);
        return socket;
    }

    /** Sends text as it is. */
    public RawClient send(String bytes) throws IOException {
        return send(bytes.getBytes(StandardCharsets.ISO_8859_1), 0, bytes.length());
    }

    RawClient send(byte[] bytes, int from, int end) throws IOException {
        socket.getOutputStream().write(bytes, from, end - from);
        return this;
    }

    /** Sends a GET that keeps the connection. */
    public RawClient get(String target) throws IOException {
        return send("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n");
    }

    /** Sends a GET and reads its response. */
    public Response fetch(String target) throws IOException {
        return get(target).response();
    }

    /** Reads a whole response; one that ends early is an {@link EOFException}. */
    public Response response() throws IOException {
        return response(false);
    }

    Response response(boolean isHead) throws IOException {
        readHead();
        return readRest(isHead);
    }

    /** Reads a response up to its body. */
    public void readHead() throws IOException {
        String statusLine = line();
        if (!statusLine.startsWith("HTTP/1.1 ")) {
            throw new IOException("no status line: " + statusLine);
        }
        status = Integer.parseInt(statusLine.substring(9, 12));
        fields = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            if (fields.put(name, line.substring(colon + 1).strip()) != null) {
                throw new IOException("field came twice: " + line);
            }
        }
    }

    /** Reads the body behind a head. */
    public Response readRest() throws IOException {
        return readRest(false);
    }

    private Response readRest(boolean isHead) throws IOException {
        boolean hasBody = !isHead && status >= 200 && status != 204 && status != 304;
        int length = hasBody ? Integer.parseInt(fields.get("content-length")) : 0;
        byte[] body = in.readNBytes(length);
        if (body.length != length) {
            throw new EOFException("body ended after " + body.length + " of " + length);
        }
        return new Response(status, fields, body);
    }

    /** Reads some bytes and throws them away. */
    public void readSome(int bytes) throws IOException {
        if (in.readNBytes(bytes).length < bytes) {
            throw new EOFException("ended within " + bytes + " bytes");
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("ended in: " + line);
            }
            if (b == '\n') {
                if (line.length() == 0 || line.charAt(line.length() - 1) != '\r') {
                    throw new IOException("bare line feed after: " + line);
                }
                line.setLength(line.length() - 1);
                return line.toString();
            }
            line.append((char) b);
        }
    }

    /** True if the server ends the stream, or has reset it, and sends nothing before. */
    public boolean isEnded() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (java.net.SocketException e) {
            return true;
        }
    }

    RawClient timeoutMs(int ms) throws IOException {
        socket.setSoTimeout(ms);
        return this;
    }

    /** What was agreed on. */
    public SSLSession session() {
        return ((SSLSocket) socket).getSession();
    }

    InputStream in() {
        return in;
    }

    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** As a killed client does with unread bytes. */
    public void reset() throws IOException {
        wire.setSoLinger(true, 0);
        wire.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
