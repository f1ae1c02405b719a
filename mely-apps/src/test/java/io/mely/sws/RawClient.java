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

/** A client that sends exactly the bytes it is told to, and reads responses strictly. */
final class RawClient implements AutoCloseable {
    static final int TIMEOUT_MS = 10_000;

    private final Socket socket;
    private final InputStream in;

    record Response(int status, Map<String, String> fields, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        String field(String name) {
            return fields.get(name.toLowerCase(Locale.ROOT));
        }
    }

    RawClient(InetSocketAddress address) throws IOException {
        this(address, 0);
    }

    RawClient(InetSocketAddress address, int receiveBytes) throws IOException {
        this(address, receiveBytes, null);
    }

    /**
     * From one of the machine's own addresses; null leaves it to the system, which then needs no port that nobody else has: of those there are 28,000, and one
     * is gone for a minute with every connection that has ended.
     */
    RawClient(InetSocketAddress address, int receiveBytes, InetAddress from) throws IOException {
        socket = new Socket();
        if (from != null) {
            socket.bind(new InetSocketAddress(from, 0));
        }
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.connect(address, TIMEOUT_MS);
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    RawClient send(String bytes) throws IOException {
        return send(bytes.getBytes(StandardCharsets.ISO_8859_1), 0, bytes.length());
    }

    RawClient send(byte[] bytes, int from, int end) throws IOException {
        socket.getOutputStream().write(bytes, from, end - from);
        return this;
    }

    RawClient get(String target) throws IOException {
        return send("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n");
    }

    Response response() throws IOException {
        return response(false);
    }

    Response response(boolean isHead) throws IOException {
        String statusLine = line();
        if (!statusLine.startsWith("HTTP/1.1 ")) {
            throw new IOException("no status line: " + statusLine);
        }
        int status = Integer.parseInt(statusLine.substring(9, 12));
        Map<String, String> fields = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            if (fields.put(name, line.substring(colon + 1).strip()) != null) {
                throw new IOException("field came twice: " + line);
            }
        }
        boolean hasBody = !isHead && status >= 200 && status != 204 && status != 304;
        int length = hasBody ? Integer.parseInt(fields.get("content-length")) : 0;
        byte[] body = in.readNBytes(length);
        if (body.length != length) {
            throw new EOFException("body ended after " + body.length + " of " + length);
        }
        return new Response(status, fields, body);
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
    boolean isEnded() throws IOException {
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

    InputStream in() {
        return in;
    }

    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** As a killed client does with unread bytes. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
