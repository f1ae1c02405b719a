// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

/**
 * How urgent an answer is (RFC 9218 4).
 *
 * @param urgency 0 is the most urgent, 7 the least
 * @param isIncremental whether the client can use a part of it, so that it is sent in turn with others
 */
record Priority(int urgency, boolean isIncremental) {
    static final int LEVELS = 8;

    private static final int DEFAULT_URGENCY = 3;

    /** Of a request that says nothing. Its client may not know of priorities, and is not to wait for a large file of another user: all get their turn. */
    static final Priority DEFAULT = new Priority(DEFAULT_URGENCY, true);

    /**
     * Reads a dictionary of structured fields (RFC 8941 3.2), of which only two members are known. What is not as it should be counts as not said.
     *
     * @param text as in the field Priority, or in a frame
     */
    static Priority parse(CharSequence text) {
        int urgency = DEFAULT_URGENCY;
        boolean isIncremental = false;
        for (String member : text.toString().split(",", -1)) {
            String value = member.strip();
            int parameters = value.indexOf(';');
            if (parameters >= 0) {
                value = value.substring(0, parameters).strip();
            }
            if (value.length() == 3 && value.startsWith("u=")) {
                int digit = value.charAt(2) - '0';
                urgency = digit >= 0 && digit < LEVELS ? digit : urgency;
            } else if (value.equals("i") || value.equals("i=?1")) {
                isIncremental = true;
            } else if (value.equals("i=?0")) {
                isIncremental = false;
            }
        }
        return new Priority(urgency, isIncremental);
    }
}
