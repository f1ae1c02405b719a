// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/**
 * Fields that stand in every response of a server.
 *
 * @param serverName value of Server; empty = none
 * @param hsts value of Strict-Transport-Security (RFC 6797), for a server that is reached by TLS only; empty = none
 */
public record ServerFields(String serverName, String hsts) {
    /**
     * The name alone.
     *
     * @param serverName value of Server; empty = none
     * @return without the other fields
     */
    public static ServerFields of(String serverName) {
        return new ServerFields(serverName, "");
    }

    /** What may be said without TLS, where HSTS has no place (RFC 6797 7.2). */
    ServerFields withoutTls() {
        return of(serverName);
    }

    ResponseHead addTo(ResponseHead head) {
        if (!serverName.isEmpty()) {
            head.field("Server", serverName);
        }
        if (!hsts.isEmpty()) {
            head.field("Strict-Transport-Security", hsts);
        }
        return head;
    }
}
