// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

/**
 * What one client may take, beyond the numbers of its connections and requests. Immutable; start from {@link #DEFAULT}.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field and the value that is out of range.
 *
 * @param loginTries wrong passwords of one client address at once, 1 to 1,000,000; then one each second is looked at, and more are answered 429
 * @param connectionRateMaxBytes most bytes of responses that a connection is sent a second, in the long run; 0 = no limit, else 1 KiB to 1 GiB
 */
public record ClientLimits(int loginTries, int connectionRateMaxBytes) {
    /** Five passwords, as fail2ban's {@code maxretry}; no limit of a connection. */
    public static final ClientLimits DEFAULT = new ClientLimits(5, 0);

    /** Checks both. */
    public ClientLimits {
        check("loginTries", loginTries, loginTries >= 1 && loginTries <= 1_000_000, "1 to 1000000");
        check(
                "connectionRateMaxBytes",
                connectionRateMaxBytes,
                connectionRateMaxBytes == 0 || (connectionRateMaxBytes >= 1 << 10 && connectionRateMaxBytes <= 1 << 30),
                "0, or 1024 to 1073741824");
    }

    private static void check(String field, int value, boolean isValid, String allowed) {
        if (!isValid) {
            throw new IllegalArgumentException(field + " must be " + allowed + ": " + field + "=" + value);
        }
    }
}
