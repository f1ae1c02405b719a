// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;

/**
 * Writes the head of a response: status line, Date (a gap to be filled when it is sent), Server, and what is added.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> Allocates; heads are written when a file is loaded, not when it is sent.
 * <b>Source.</b> RFC 9112 4, RFC 9110 6.6.1.
 */
public final class ResponseHead {
    private static final String DATE_GAP = "-".repeat(HttpDate.BYTES);

    private final StringBuilder text = new StringBuilder(320);
    private final int dateOffset;
    private final int optionsOffset;

    /**
     * Begins a head.
     *
     * @param status one of {@link Status}
     * @param fields what stands in every response
     */
    public ResponseHead(int status, ServerFields fields) {
        text.append("HTTP/1.1 ")
                .append(status)
                .append(' ')
                .append(Status.reason(status))
                .append("\r\nDate: ");
        dateOffset = text.length();
        text.append(DATE_GAP).append("\r\n");
        optionsOffset = text.length();
        fields.addTo(this);
    }

    /**
     * Adds a field.
     *
     * @param name a token
     * @param value without line ends; whoever builds it from input has encoded it
     * @return this
     * @throws IllegalArgumentException if the value would split the response
     */
    public ResponseHead field(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' || c >= 0x7f) {
                throw new IllegalArgumentException("value must be printable ASCII: " + name + "=" + value);
            }
        }
        text.append(name).append(": ").append(value).append("\r\n");
        return this;
    }

    /**
     * Adds Content-Length.
     *
     * @param bytes &gt;= 0
     * @return this
     */
    public ResponseHead length(long bytes) {
        return field("Content-Length", Long.toString(bytes));
    }

    /**
     * Where the date goes.
     *
     * @return offset from the first byte
     */
    public int dateOffset() {
        return dateOffset;
    }

    /**
     * Where a field may be put in between, such as Connection.
     *
     * @return offset from the first byte
     */
    public int optionsOffset() {
        return optionsOffset;
    }

    /**
     * The head with its empty line.
     *
     * @return a copy
     */
    public byte[] toBytes() {
        return (text + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }
}
