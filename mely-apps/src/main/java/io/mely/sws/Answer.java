// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.Status;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an {@link Application} answers. Date, Server, Content-Length and Connection are the server's.
 *
 * <p><b>Threads.</b> Immutable, if nobody changes the body.
 *
 * @param status one of {@link Status}
 * @param fields of the head, in their order; values are printable ASCII
 * @param body up to a mebibyte or so: it is copied into native memory, of which the server has a budget
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Answer(int status, Map<String, String> fields, byte[] body) {
    /** Copies the fields. */
    public Answer {
        fields = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /**
     * An answer with a body.
     *
     * @param status one of {@link Status}
     * @param type of the body
     * @param body as sent
     * @return without further fields
     */
    public static Answer of(int status, String type, byte[] body) {
        return new Answer(status, Map.of("Content-Type", type), body);
    }

    /**
     * A short text.
     *
     * @param status one of {@link Status}
     * @param text one line
     * @return without further fields
     */
    public static Answer text(int status, String text) {
        return of(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A copy with a field more.
     *
     * @param name a token
     * @param value printable ASCII
     * @return a copy
     */
    public Answer with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(fields);
        more.put(name, value);
        return new Answer(status, more, body);
    }
}
