// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * A response as it came.
 *
 * @param status its status code
 * @param fields all lines, in order
 * @param body what the framing says; empty if there is none
 * @param interims statuses of the 1xx before it
 */
record Reply(int status, List<Field> fields, byte[] body, List<Integer> interims) {
    /** One line. */
    record Field(String name, String value) {}

    /** All values of a field. */
    List<String> values(String name) {
        return fields.stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .map(Field::value)
                .toList();
    }

    boolean has(String name) {
        return !values(name).isEmpty();
    }

    /** The values, as one list. */
    String value(String name) {
        return String.join(", ", values(name));
    }

    boolean isClose() {
        return value("Connection").toLowerCase(Locale.ROOT).contains("close");
    }

    String text() {
        return new String(body, StandardCharsets.ISO_8859_1);
    }
}
