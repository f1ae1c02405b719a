// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.io.IOException;

/** What came is no HTTP response, or not the one that was expected. */
final class BrokenReplyException extends IOException {
    BrokenReplyException(String why) {
        super(why);
    }
}
