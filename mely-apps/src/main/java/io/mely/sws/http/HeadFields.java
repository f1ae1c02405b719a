// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/**
 * Fields that are only looked for where somebody asks for them.
 *
 * @param hasAccept Accept
 * @param hasLog Referer and User-Agent
 * @param isSecure a target may begin with https://, as the server speaks TLS
 * @param hasContent Content-Type and Content-Encoding
 * @param proxyField what a proxy names the client in, lower case: x-forwarded-for, forwarded or x-real-ip; empty = nobody asks
 */
public record HeadFields(boolean hasAccept, boolean hasLog, boolean isSecure, boolean hasContent, String proxyField) {
    /** None of them. */
    public static final HeadFields NONE = new HeadFields(false, false, false);

    /**
     * Without those of proxies and of bodies.
     *
     * @param hasAccept Accept
     * @param hasLog Referer and User-Agent
     * @param isSecure a target may begin with https://
     */
    public HeadFields(boolean hasAccept, boolean hasLog, boolean isSecure) {
        this(hasAccept, hasLog, isSecure, false, "");
    }
}
