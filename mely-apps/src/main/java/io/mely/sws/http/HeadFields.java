// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/**
 * Fields that are only looked for where somebody asks for them.
 *
 * @param hasAccept Accept
 * @param hasLog Referer and User-Agent
 * @param isSecure a target may begin with https://, as the server speaks TLS
 * @param hasContent Content-Type and Content-Encoding
 */
public record HeadFields(boolean hasAccept, boolean hasLog, boolean isSecure, boolean hasContent) {
    /** None of them. */
    public static final HeadFields NONE = new HeadFields(false, false, false);

    /** Without those of a body. */
    public HeadFields(boolean hasAccept, boolean hasLog, boolean isSecure) {
        this(hasAccept, hasLog, isSecure, false);
    }
}
