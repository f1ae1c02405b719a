// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One connection that sends what it is told and reads responses; blocking, with a timeout. */
final class RawClient implements AutoCloseable {
    /** A response; header names in lower case. */
    record Response(int status, Map<String, String> header, byte[] body) {}

    private final Socket socket;
    private final InputStream in;
    private int status;
    private Map<String, String> header = Map.of();

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** Connects. */
    static RawClient connect(InetSocketAddress address) throws IOException {
        return connect(address, 0);
    }

    /** Connects with a receive buffer of a size, so that little is in flight; 0 leaves it to the system. */
    static RawClient connect(InetSocketAddress address, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        int timeoutMs = (int) Await.TIMEOUT.toMillis();
        socket.setSoTimeout(timeoutMs);
        socket.setTcpNoDelay(true);
        socket.connect(address, timeoutMs);
        return new RawClient(socket);
    }

    /** Sends text as it is. */
    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends a GET that keeps the connection. */
    void sendGet(String path) throws IOException {
        send("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n");
    }

    /** Sends a GET and reads its response. */
    Response get(String path) throws IOException {
        sendGet(path);
        return readResponse();
    }

    /** Reads a whole response; one that ends early is an {@link EOFException}. */
    Response readResponse() throws IOException {
        readStart();
        return readRest();
    }

    /** Reads a response's head. */
    void readStart() throws IOException {
        String statusLine = readLine();
        header = new TreeMap<>();
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            int colon = line.indexOf(':');
            header.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        status = Integer.parseInt(statusLine.substring(9, 12));
    }

    /** Reads a response's body, after its head. */
    Response readRest() throws IOException {
        int length = Integer.parseInt(header.getOrDefault("content-length", "0"));
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("body ends after " + body.length + " of " + length + " bytes");
        }
        return new Response(status, header, body);
    }

    /** Reads some bytes and throws them away. */
    void readSome(int bytes) throws IOException {
        if (in.readNBytes(bytes).length < bytes) {
            throw new EOFException();
        }
    }

    /** Whether the other side ends the connection, politely or not, before it sends another byte. */
    boolean isEnded() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    /** Ends this side's sending. */
    void halfClose() throws IOException {
        socket.shutdownOutput();
    }

    /** Ends the connection with RST, as the kernel does for a process that is killed with data unread. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int letter = in.read(); letter != '\n'; letter = in.read()) {
            if (letter < 0) {
                throw new EOFException("head ends early: " + line);
            }
            line.write(letter);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        if (!text.endsWith("\r")) {
            throw new IOException("line without CR: " + text);
        }
        return text.substring(0, text.length() - 1);
    }
}
