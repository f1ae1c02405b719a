// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

/**
 * A file as it was sent.
 *
 * @param name as the client has it; empty if it says none
 * @param content its bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Source(String name, byte[] content) {}
