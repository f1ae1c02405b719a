// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.ErrorHandler;
import io.mely.Mely;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

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
     * Says what it wants of a request with another method, before the body is read: POST, PUT, PATCH and DELETE come here. By default they are not for it.
     *
     * <p>In the connection's color: look at the head, and no more. If it throws, the request is answered 500 and the connection closed.
     *
     * @param request without its body; not to be answered here
     * @return what becomes of it
     */
    default Intake intake(Request request) {
        return Intake.none();
    }

    /**
     * Takes a request, or leaves it to the files. GET and HEAD come here, and what {@link #intake} wants, with its body.
     *
     * <p>In the connection's color: pass on what takes long. If it throws, the request is answered 500 and the connection closed.
     *
     * @param request to be {@linkplain Request#answer answered} once, now or later, if it is taken
     * @return whether it is taken; asked again about one that it has left to the files, if that has to wait for room. One of another method that is left is
     *     answered 405
     */
    boolean take(Request request);

    /**
     * Called once when the server closes, after the last answer: the application ends what goes on behind its answers. The runtime is closed when that has come
     * to its end, or the deadline has.
     *
     * @return completed at the end; by default at once
     */
    default CompletionStage<?> drain() {
        return CompletableFuture.completedFuture(true);
    }

    /**
     * Told of a handler that has failed, other than the server's. The place to answer what that event was about.
     *
     * @param failure which is logged already
     */
    default void failed(ErrorHandler.Failure failure) {}
}
