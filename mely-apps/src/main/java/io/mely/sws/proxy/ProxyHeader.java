// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The header that a connection begins with by the PROXY protocol, version 1 (a line) or 2 (binary), while it comes in. It says how many bytes may be read without reading
 * what follows the header, which is the client's own, maybe a handshake of TLS.
 *
 * <p><b>Threads.</b> One at a time. <b>Bounds.</b> {@link #BYTES_MAX}. <b>Source.</b> HAProxy, "The PROXY protocol", 2.1 and 2.2.
 */
public final class ProxyHeader {
    /** Longest header that is taken; version 2 may carry more than addresses. A guess. */
    private static final int BYTES_MAX = 4096;

    /** Longest line of version 1, with its end. */
    private static final int LINE_BYTES_MAX = 107;

    private static final byte[] SIGNATURE = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
    private static final byte[] LINE_START = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final int FIXED_BYTES = 16;
    private static final int IPV4 = 1;
    private static final int IPV6 = 2;

    private byte[] bytes = new byte[LINE_BYTES_MAX];
    private int length;

    /** Makes one of which nothing has come. */
    public ProxyHeader() {}

    /**
     * How much more may be read.
     *
     * @return bytes; 0 if it is complete
     * @throws IOException if this is no such header
     */
    public int wanted() throws IOException {
        if (length < SIGNATURE.length) {
            return SIGNATURE.length - length;
        }
        if (Arrays.equals(bytes, 0, SIGNATURE.length, SIGNATURE, 0, SIGNATURE.length)) {
            return length < FIXED_BYTES ? FIXED_BYTES - length : FIXED_BYTES + addressBytes() - length;
        }
        if (!Arrays.equals(bytes, 0, LINE_START.length, LINE_START, 0, LINE_START.length)) {
            throw new IOException("no header of the PROXY protocol");
        }
        if (bytes[length - 1] == '\n') {
            return 0;
        }
        if (length == LINE_BYTES_MAX) {
            throw new IOException("a line of the PROXY protocol that does not end");
        }
        return 1;
    }

    private int addressBytes() throws IOException {
        int more = (bytes[14] & 0xff) << 8 | (bytes[15] & 0xff);
        if (FIXED_BYTES + more > BYTES_MAX) {
            throw new IOException("a header of the PROXY protocol that is too long: " + more);
        }
        return more;
    }

    /**
     * Takes what was read.
     *
     * @param part holds it
     * @param count how much, at most {@link #wanted}
     */
    public void add(byte[] part, int count) {
        if (length + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, BYTES_MAX);
        }
        System.arraycopy(part, 0, bytes, length, count);
        length += count;
    }

    /**
     * Whose connection it is.
     *
     * @return null if it is the proxy's own, or of a kind that has no address
     * @throws IOException if the header is malformed
     */
    public @Nullable InetAddress source() throws IOException {
        return bytes[0] == LINE_START[0] ? sourceOfLine() : sourceOfBinary();
    }

    /** {@code PROXY TCP4 192.0.2.1 192.0.2.2 4711 80}, or {@code PROXY UNKNOWN} and anything. */
    private @Nullable InetAddress sourceOfLine() throws IOException {
        String line = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
        String[] words = line.strip().split(" ", -1);
        if (!line.endsWith("\r\n")) {
            throw new IOException("a line of the PROXY protocol without its end");
        }
        if (words.length >= 2 && words[1].equals("UNKNOWN")) {
            return null;
        }
        boolean isKnown = words.length == 6 && (words[1].equals("TCP4") || words[1].equals("TCP6"));
        InetAddress source = isKnown ? AddressRange.address(words[2]) : null;
        if (source == null) {
            throw new IOException("a malformed line of the PROXY protocol");
        }
        return source;
    }

    private @Nullable InetAddress sourceOfBinary() throws IOException {
        int version = bytes[12] >> 4 & 0xf;
        int command = bytes[12] & 0xf;
        int family = bytes[13] >> 4 & 0xf;
        if (version != 2 || command > 1) {
            throw new IOException("an unknown version or command of the PROXY protocol");
        }
        int addressBytes = family == IPV4 ? 4 : family == IPV6 ? 16 : 0;
        if (command == 0 || addressBytes == 0) {
            return null;
        }
        if (length < FIXED_BYTES + 2 * addressBytes) {
            throw new IOException("a header of the PROXY protocol that is too short");
        }
        return InetAddress.getByAddress(Arrays.copyOfRange(bytes, FIXED_BYTES, FIXED_BYTES + addressBytes));
    }
}
