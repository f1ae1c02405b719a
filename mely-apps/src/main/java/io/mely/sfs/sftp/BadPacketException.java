// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

/** A packet that is not what the protocol says. <b>Costs.</b> Has no stack trace. */
final class BadPacketException extends Exception {
    private static final long serialVersionUID = 1L;

    BadPacketException(String message) {
        super(message, null, false, false);
    }
}
