// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.CRC32C;

/** One request and its response, fed with bytes as they come, checked against what the file holds. */
final class HttpExchange {
    private static final int HEAD_BYTES_MAX = 4_096;

    /**
     * What to ask for and what must come.
     *
     * @param request its bytes
     * @param length of the body
     * @param checksum CRC-32C of the body
     */
    record Target(byte[] request, int length, long checksum) {
        /** Asks for a page. */
        static Target of(SiteFiles.Page page) {
            CRC32C sum = new CRC32C();
            sum.update(page.content());
            String request = "GET " + page.path() + " HTTP/1.1\r\nHost: test\r\n\r\n";
            return new Target(request.getBytes(StandardCharsets.US_ASCII), page.content().length, sum.getValue());
        }
    }

    private final Target target;
    private final ByteBuffer output;
    private final byte[] head = new byte[HEAD_BYTES_MAX];
    private final CRC32C sum = new CRC32C();
    private int headBytes;
    private long bodyLeft = -1;
    private boolean isLast;
    private String error;

    HttpExchange(Target target) {
        this.target = target;
        this.output = ByteBuffer.wrap(target.request());
    }

    /** What is left to send. */
    ByteBuffer output() {
        return output;
    }

    /** Whether any byte of the response has come. */
    boolean isBegun() {
        return headBytes > 0;
    }

    /** Whether the server will end the connection. */
    boolean isLast() {
        return isLast;
    }

    /** What is wrong with the response; null if nothing. */
    String error() {
        return error;
    }

    /** Takes bytes; true when the response is complete or wrong. Bytes after it are left. */
    boolean accept(ByteBuffer input) {
        if (bodyLeft < 0 && !acceptHead(input)) {
            return false;
        }
        if (error != null) {
            return true;
        }
        int take = (int) Math.min(bodyLeft, input.remaining());
        ByteBuffer part = input.slice().limit(take);
        input.position(input.position() + take);
        sum.update(part);
        bodyLeft -= take;
        if (bodyLeft == 0 && sum.getValue() != target.checksum()) {
            error = "wrong body of " + firstLine();
        }
        return bodyLeft == 0;
    }

    private boolean acceptHead(ByteBuffer input) {
        while (input.hasRemaining()) {
            if (headBytes == HEAD_BYTES_MAX) {
                error = "head too long";
                return true;
            }
            head[headBytes++] = input.get();
            if (head[headBytes - 1] == '\n' && headBytes >= 4 && head[headBytes - 3] == '\n') {
                readHead();
                return true;
            }
        }
        return false;
    }

    private void readHead() {
        String text = new String(head, 0, headBytes, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        isLast = text.contains("\r\nconnection: close\r\n");
        int field = text.indexOf("\r\ncontent-length: ");
        if (!text.startsWith("http/1.1 200 ") || field < 0) {
            error = "wrong head: " + text;
            return;
        }
        int start = field + "\r\ncontent-length: ".length();
        bodyLeft =
                Long.parseLong(text.substring(start, text.indexOf('\r', start)).strip());
        if (bodyLeft != target.length()) {
            error = "wrong length " + bodyLeft + " instead of " + target.length();
        }
    }

    private String firstLine() {
        String request = new String(target.request(), StandardCharsets.US_ASCII);
        return request.substring(0, request.indexOf('\r'));
    }
}
