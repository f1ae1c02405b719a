// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.ErrorHandler;
import io.mely.Mely;

/**
 * Answers requests that no file answers: a program inside the server, on its cores.
 *
 * <p>It has stages of its own on the server's runtime. A request that it takes is passed on to them, and answered from any of them.
 *
 * <p><b>Threads.</b> Any, many at once.
 */
public interface Application {
    /** Makes the application of a server. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes it, with its stages.
         *
         * @param mely the server's runtime, before its start
         * @return the application
         */
        Application create(Mely mely);
    }

    /**
     * Takes a request, or leaves it to the files. GET and HEAD come here.
     *
     * <p>In the connection's color: pass on what takes long. If it throws, the connection is closed.
     *
     * @param request to be {@linkplain Request#answer answered} once, now or later, if it is taken
     * @return whether it is taken; asked again about one that it has left to the files, if that has to wait for room
     */
    boolean take(Request request);

    /**
     * Told of a handler that has failed, other than the server's. The place to answer what that event was about.
     *
     * @param failure which is logged already
     */
    default void failed(ErrorHandler.Failure failure) {}
}
