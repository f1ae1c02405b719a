// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one response must be like, as the table writes it: statuses, then conditions, separated by semicolons.
 *
 * <pre>
 *   200,206      one of these; "none" stands for a connection that is closed without a response
 *   closed       the server closes the connection after it
 *   kept         the connection serves another request after it
 *   framed       it serves another request, or is closed: nothing is left over
 *   continue     a 100 came before it          nocontinue   none did
 *   body=TEXT    the body is this              body#N       the body has N bytes
 *   nobody       it ends with its head, whatever Content-Length says (implies framed)
 *   Name=VALUE   the field has this value      Name~TEXT    the field has this text in it
 *   +Name        the field is there            -Name        it is not
 *   date         Date is there, in the form that is to be sent
 *   like GET     the fields are those of a GET for the same target
 *   ranges       the body is what its Content-Range or multipart says, of the file that was asked for
 *   onsite       there is no Location, or it stays on this host
 *   not later    Last-Modified is not later than Date
 *   ?N:...       a condition for status N only
 * </pre>
 */
record Expectation(List<String> statuses, List<String> conditions) {
    private static final String NONE = "none";

    static Expectation parse(String text) {
        List<String> parts = new ArrayList<>(
                Arrays.stream(text.split(";", -1)).map(String::strip).toList());
        List<String> statuses = List.of(parts.remove(0).split(","));
        for (String status : statuses) {
            if (!status.equals(NONE) && !status.matches("[1-5][0-9][0-9]")) {
                throw new IllegalArgumentException("status must be three digits or none: " + status);
            }
        }
        for (String condition : parts) {
            if (!Condition.isKnown(condition)) {
                throw new IllegalArgumentException("unknown condition: " + condition);
            }
        }
        return new Expectation(statuses, List.copyOf(parts));
    }

    boolean has(String condition) {
        return conditions.contains(condition);
    }

    boolean allowsNone() {
        return statuses.contains(NONE);
    }

    /** Null if it is met. */
    @Nullable
    String check(@Nullable Reply reply, String target, Condition.Lookup getter) throws java.io.IOException {
        if (reply == null) {
            return allowsNone() ? null : "closed without a response, not " + String.join(" or ", statuses);
        }
        if (!statuses.contains(String.valueOf(reply.status()))) {
            return "status " + reply.status() + ", not " + String.join(" or ", statuses);
        }
        if (reply.text().contains(TestSite.SECRET)) {
            return "sent what is secret";
        }
        for (String condition : conditions) {
            String failure = Condition.check(condition, reply, target, getter);
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }
}
