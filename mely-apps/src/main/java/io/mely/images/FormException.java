// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

/** A body that is no form as it should be. */
final class FormException extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;

    /** @param status 400 or 413 */
    FormException(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
