// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One connection: sends any bytes, reads responses strictly. Whatever breaks RFC 9112 in a response is an exception. */
final class Wire implements AutoCloseable {
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.1 ([1-5][0-9][0-9]) [\\t\\x20-\\x7e]*");
    private static final Pattern FIELD_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,9}");
    private static final int LINE_BYTES_MAX = 1 << 16;

    private final Socket socket = new Socket();
    private final InputStream in;

    Wire(InetSocketAddress server, int timeoutMs) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(timeoutMs);
        socket.connect(server, timeoutMs);
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** A server that has answered and closed may refuse the rest; its answer tells. */
    void send(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException alreadyClosed) {
            // seen when reading
        }
    }

    void endOutput() {
        try {
            socket.shutdownOutput();
        } catch (IOException alreadyClosed) {
            // seen when reading
        }
    }

    /** Reads one final response; null if the connection ended before it. */
    @Nullable
    Reply read(boolean isToHead, boolean isInterimEnough) throws IOException {
        List<Integer> interims = new ArrayList<>();
        while (true) {
            String statusLine = line(interims.isEmpty());
            if (statusLine == null) {
                return null;
            }
            var parts = STATUS_LINE.matcher(statusLine);
            if (!parts.matches()) {
                throw new BrokenReplyException("status line: " + cut(statusLine));
            }
            int status = Integer.parseInt(parts.group(1));
            List<Reply.Field> fields = fields();
            if (status / 100 != 1 || isInterimEnough) {
                Reply head = new Reply(status, fields, new byte[0], interims);
                return new Reply(status, fields, body(head, isToHead), interims);
            }
            interims.add(status);
        }
    }

    private List<Reply.Field> fields() throws IOException {
        List<Reply.Field> fields = new ArrayList<>();
        for (String line = line(false); line != null && !line.isEmpty(); line = line(false)) {
            int colon = line.indexOf(':');
            if (colon < 0 || !FIELD_NAME.matcher(line.substring(0, colon)).matches()) {
                throw new BrokenReplyException("field line: " + cut(line));
            }
            fields.add(new Reply.Field(
                    line.substring(0, colon), line.substring(colon + 1).strip()));
        }
        return fields;
    }

    private byte[] body(Reply head, boolean isToHead) throws IOException {
        List<String> lengths = head.values("Content-Length");
        boolean isChunked = head.has("Transfer-Encoding");
        if (lengths.size() > 1 || (isChunked && !lengths.isEmpty())) {
            throw new BrokenReplyException("ambiguous framing: " + head.fields());
        }
        boolean isLengthBanned = head.status() == 204 || head.status() / 100 == 1;
        if (isLengthBanned && (isChunked || !lengths.isEmpty())) {
            throw new BrokenReplyException("framing in a response that has no body: " + head.fields());
        }
        if (isToHead || isLengthBanned || head.status() == 304) {
            return new byte[0];
        }
        if (isChunked) {
            return chunks();
        }
        if (lengths.isEmpty()) {
            return in.readAllBytes(); // until the connection closes
        }
        if (!LENGTH.matcher(lengths.get(0)).matches()) {
            throw new BrokenReplyException("Content-Length: " + lengths);
        }
        int length = Integer.parseInt(lengths.get(0));
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new BrokenReplyException("body ended after " + body.length + " of " + length);
        }
        return body;
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            String size = line(false);
            int length = size == null ? -1 : Integer.parseInt(size.split("[;\\s]", 2)[0], 16);
            if (length == 0) {
                fields();
                return body.toByteArray();
            }
            body.write(in.readNBytes(length));
            if (!"".equals(line(false))) {
                throw new BrokenReplyException("chunk without its line end");
            }
        }
    }

    private @Nullable String line(boolean mayEnd) throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.length() < LINE_BYTES_MAX) {
            int b = readByte();
            if (b < 0) {
                if (mayEnd && line.isEmpty()) {
                    return null;
                }
                throw new BrokenReplyException("ended in: " + cut(line.toString()));
            }
            if (b == '\n') {
                int last = line.length() - 1;
                if (last < 0 || line.charAt(last) != '\r') {
                    throw new BrokenReplyException("bare line feed after: " + cut(line.toString()));
                }
                return line.substring(0, last);
            }
            line.append((char) b);
        }
        throw new BrokenReplyException("line without end");
    }

    private int readByte() throws IOException {
        try {
            return in.read();
        } catch (SocketException reset) {
            return -1;
        }
    }

    /** True if the server ends the connection within the time-out and sends nothing before. */
    boolean isEnded() throws IOException {
        try {
            return readByte() < 0;
        } catch (SocketTimeoutException open) {
            return false;
        }
    }

    static String cut(String text) {
        String line = text.length() <= 60 ? text : text.substring(0, 60) + "...";
        return line.replace("\r", "\\r")
                        .replace("\n", "\\n")
                        .toLowerCase(Locale.ROOT)
                        .isBlank()
                ? "(empty)"
                : line.replaceAll("[^\\x20-\\x7e]", "?");
    }

    @Override
    public void close() {
        try {
            socket.setSoLinger(true, 0); // no port is left waiting
            socket.close();
        } catch (IOException alreadyClosed) {
            // that is what was wanted
        }
    }
}
