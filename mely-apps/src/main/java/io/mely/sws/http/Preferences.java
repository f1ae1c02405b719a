// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/** Fields that are lists of what a client prefers, one element each with a weight: RFC 9110 12.4.2, 12.5. */
final class Preferences {
    /** Of what is in no line. */
    static final int UNSEEN = -1;

    private Preferences() {}

    /** Reads one element. */
    @FunctionalInterface
    interface Element {
        /** Its weight; {@link #UNSEEN} if it is about something else, or malformed. */
        int weightIn(byte[] bytes, int from, int end, String name);
    }

    /** The weight of the first element that is about a name; {@link #UNSEEN} if none is. */
    static int weightOf(byte[] bytes, int start, RequestHead.FieldRange lines, String name, Element element) {
        for (RequestHead.FieldRange line = lines; line != null; line = line.next()) {
            int end = start + line.end();
            for (int i = start + line.start(); i < end; i++) {
                int from = i;
                while (i < end && bytes[i] != ',') {
                    i++;
                }
                int weight = element.weightIn(bytes, from, i, name);
                if (weight >= 0) {
                    return weight;
                }
            }
        }
        return UNSEEN;
    }
}
