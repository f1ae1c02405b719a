// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Has a part of a body. */
@FunctionalInterface
public interface BodySource {
    /**
     * Reads some.
     *
     * @param to where to
     * @return bytes, or 0 or less if there are none now
     * @throws IOException if that fails
     */
    int read(ByteBuffer to) throws IOException;
}
