// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import org.jspecify.annotations.Nullable;

/** Whom a session serves. */
public interface RequestHandler {
    /**
     * A request has begun.
     *
     * @param stream its stream
     * @param fields its fields; valid during the call
     * @return whoever answers it; null: there is no memory, and the client may try again
     */
    Stream.@Nullable Owner open(Stream stream, RequestFields fields);

    /** One more is under way: before {@link #open}. */
    default void began() {}

    /** One of them is no more. */
    default void ended() {}

    /** One was reset, as there were too many or {@link #open} had no memory. */
    default void refused() {}

    /** The client has reset one that was under way. */
    default void resetByClient() {}
}
