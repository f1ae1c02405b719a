// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

/**
 * Counters of a server since its start.
 *
 * @param connections that were let in
 * @param refused connections that were closed at once: too many, or a banned address
 * @param displaced connections that had not logged in, closed to make way for others
 * @param open connections now
 * @param logins that succeeded
 * @param failedLogins connections that ended without a login although one was tried, and wrong passwords
 * @param bans of addresses
 * @param requests of SFTP
 * @param readBytes of files that clients have read
 * @param writtenBytes of files that clients have written
 * @param copiedBytes copied in the server's memory to send replies, not by the kernel: a byte that is sent is copied twice, to be encrypted, and to where many packets are written from at once
 * @param lostAuditLines that could not be written
 */
public record SfsStats(
        long connections,
        long refused,
        long displaced,
        long open,
        long logins,
        long failedLogins,
        long bans,
        long requests,
        long readBytes,
        long writtenBytes,
        long copiedBytes,
        long lostAuditLines) {}
