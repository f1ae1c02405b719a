// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import io.mely.sws.files.UriText;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a rule leads: text in which {@code $1} to {@code $9} are what the stars of the pattern stand for, and {@code $$} is a dollar sign.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
final class Target {
    /** Of what stands in a query: these would end a value, or begin another. */
    private static final String QUERY_SPECIAL = "&=+;";

    private final String text;

    /** Literal text and groups in turn, beginning with text. */
    private final List<String> literals = new ArrayList<>();

    private final List<Integer> groups = new ArrayList<>();

    /**
     * Of valid text.
     *
     * @param groupsMax how many groups there are
     * @throws IllegalArgumentException if it names another, or has a dollar sign that names none
     */
    Target(String text, int groupsMax) {
        this.text = text;
        StringBuilder literal = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            char next = i + 1 < text.length() ? text.charAt(i + 1) : ' ';
            i += c == '$' ? 2 : 1;
            if (c != '$' || next == '$') {
                literal.append(c);
            } else if (next >= '1' && next <= '9' && next - '0' <= groupsMax) {
                literals.add(literal.toString());
                literal.setLength(0);
                groups.add(next - '1');
            } else {
                throw new IllegalArgumentException("target must name stars of the pattern by $1 to $9: target=" + text);
            }
        }
        literals.add(literal.toString());
    }

    /** Its beginning, before the first group. */
    String beginning() {
        return literals.get(0);
    }

    /** As a part of a URI: the text as it is, the groups encoded, in a query strictly. */
    String toUri(List<String> values) {
        StringBuilder uri = new StringBuilder(beginning());
        for (int i = 0; i < groups.size(); i++) {
            String value = UriText.encode(values.get(groups.get(i)));
            uri.append(uri.indexOf("?") < 0 ? value : inQuery(value)).append(literals.get(i + 1));
        }
        return uri.toString();
    }

    private static String inQuery(String value) {
        StringBuilder strict = new StringBuilder();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            strict.append(QUERY_SPECIAL.indexOf(c) < 0 ? String.valueOf(c) : "%" + Integer.toHexString(c));
        }
        return strict.toString();
    }

    /** As a decoded path. */
    String toPath(List<String> values) {
        StringBuilder path = new StringBuilder(beginning());
        for (int i = 0; i < groups.size(); i++) {
            path.append(values.get(groups.get(i))).append(literals.get(i + 1));
        }
        return path.toString();
    }

    /** As it was given. */
    @Override
    public String toString() {
        return text;
    }
}
