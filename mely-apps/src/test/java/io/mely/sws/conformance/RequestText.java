// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The bytes of a request, as the table writes them.
 *
 * <pre>
 *   ~            CR LF                          {H}          " HTTP/1.1", CR LF, "Host: x", CR LF
 *   \r \n \t     one control character          {etag PATH}  the entity tag of that path
 *   \xHH         any byte                       {TEXT*N}     the text N times
 *   {100}        wait for a 100 (Continue) before sending the rest
 *   {end}        end the output
 * </pre>
 */
final class RequestText {
    /** What follows the bytes of a step. */
    enum Then {
        /** Nothing. */
        GO_ON,
        /** Wait for a 100. */
        AWAIT_CONTINUE,
        /** No more is sent. */
        END_OUTPUT
    }

    /** Some bytes, and what follows them. */
    record Step(byte[] bytes, Then then) {}

    private static final String HEAD = " HTTP/1.1\r\nHost: x\r\n";
    private static final int REPEAT_MAX = 1 << 22;

    private final UnaryOperator<String> entityTagOf;
    private final List<Step> steps = new ArrayList<>();
    private ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private RequestText(UnaryOperator<String> entityTagOf) {
        this.entityTagOf = entityTagOf;
    }

    static List<Step> parse(String text, UnaryOperator<String> entityTagOf) {
        RequestText request = new RequestText(entityTagOf);
        request.append(text);
        request.step(Then.GO_ON);
        return List.copyOf(request.steps);
    }

    private void step(Then then) {
        if (bytes.size() > 0 || then != Then.GO_ON) {
            steps.add(new Step(bytes.toByteArray(), then));
            bytes = new ByteArrayOutputStream();
        }
    }

    private void append(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '~') {
                put("\r\n");
            } else if (c == '\\') {
                i = appendEscape(text, i + 1);
            } else if (c == '{') {
                int end = text.indexOf('}', i);
                if (end < 0) {
                    throw new IllegalArgumentException("a brace must be closed: " + text.substring(i));
                }
                appendMacro(text.substring(i + 1, end));
                i = end;
            } else {
                put(String.valueOf(c));
            }
        }
    }

    /** Returns the index of the escape's last character. */
    private int appendEscape(String text, int at) {
        char c = at < text.length() ? text.charAt(at) : ' ';
        switch (c) {
            case 'r' -> bytes.write('\r');
            case 'n' -> bytes.write('\n');
            case 't' -> bytes.write('\t');
            case '\\' -> bytes.write('\\');
            case 'x' -> {
                bytes.write(Integer.parseInt(text, at + 1, at + 3, 16));
                return at + 2;
            }
            default -> throw new IllegalArgumentException("unknown escape: \\" + c);
        }
        return at;
    }

    private void appendMacro(String macro) {
        int star = macro.lastIndexOf('*');
        if (macro.equals("H")) {
            put(HEAD);
        } else if (macro.equals("100")) {
            step(Then.AWAIT_CONTINUE);
        } else if (macro.equals("end")) {
            step(Then.END_OUTPUT);
        } else if (macro.startsWith("etag ")) {
            put(entityTagOf.apply(macro.substring(5)));
        } else if (star > 0) {
            int times = Integer.parseInt(macro.substring(star + 1));
            String unit = macro.substring(0, star);
            if (times < 0 || (long) times * unit.length() > REPEAT_MAX) {
                throw new IllegalArgumentException("repetition must be at most " + REPEAT_MAX + " bytes: " + macro);
            }
            for (int i = 0; i < times; i++) {
                append(unit);
            }
        } else {
            throw new IllegalArgumentException("unknown macro: {" + macro + "}");
        }
    }

    private void put(String ascii) {
        bytes.writeBytes(ascii.getBytes(StandardCharsets.ISO_8859_1));
    }
}
