// SPDX-License-Identifier: Apache-2.0
package io.mely.images.picture;

/** Bytes that are no picture of ours, or one that is not decoded. */
public final class PictureException extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;

    /**
     * Says what is wrong.
     *
     * @param status to answer: 413 too large, 415 another format, 422 damaged
     * @param message for whoever sent it
     */
    public PictureException(int status, String message) {
        super(message);
        this.status = status;
    }

    /**
     * The status to answer.
     *
     * @return 413, 415 or 422
     */
    public int status() {
        return status;
    }

    static PictureException damaged(String what) {
        return new PictureException(422, "damaged: " + what);
    }
}
