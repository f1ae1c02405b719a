// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import org.jspecify.annotations.Nullable;

/**
 * What an {@link Application} wants of a request other than GET and HEAD. It says so before the body is read.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Intake {
    private static final Intake NONE = new Intake(0, null);

    private final long bytesMax;
    private final @Nullable Answer refusal;

    private Intake(long bytesMax, @Nullable Answer refusal) {
        this.bytesMax = bytesMax;
        this.refusal = refusal;
    }

    /**
     * The request is not the application's. The server answers it, as it does without an application.
     *
     * @return always the same one
     */
    public static Intake none() {
        return NONE;
    }

    /**
     * The application takes the request once its body is here.
     *
     * @param bytesMax longest body, &gt;= 0; a longer one is answered 413
     * @return what says so
     */
    public static Intake upTo(long bytesMax) {
        if (bytesMax < 0) {
            throw new IllegalArgumentException("bytesMax must be >= 0: bytesMax=" + bytesMax);
        }
        return new Intake(bytesMax, null);
    }

    /**
     * The application has an answer that needs no body. What comes of the body is read and thrown away, up to the server's {@link SwsSettings#BODY_MAX}; if
     * there is more, or the client waits for a 100 before it sends the body, the connection ends after the answer.
     *
     * @param answer to be sent
     * @return what says so
     */
    public static Intake refused(Answer answer) {
        return new Intake(0, answer);
    }

    boolean isNone() {
        return this == NONE;
    }

    long bytesMax() {
        return bytesMax;
    }

    @Nullable
    Answer refusal() {
        return refusal;
    }
}
