// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bans addresses that failed to log in too often. An IPv4 address counts as one, and so does an IPv6 network of 64 bits.
 *
 * <p>Failures are forgotten at a steady rate, one in each {@code forgetNs}; a login that succeeds forgets them all.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> At most {@code addressesMax} addresses; those whose last failure is longest ago are forgotten first.
 */
public final class LoginGuard {
    private final int failuresMax;
    private final long forgetNs;
    private final long banNs;
    private final int addressesMax;
    private final Map<Long, Failures> byAddress = new LinkedHashMap<>();

    private static final class Failures {
        private int count;
        private long sinceNs;
        private long bannedUntilNs;
        private boolean isBanned;
    }

    /**
     * Makes one that knows nobody.
     *
     * @param failuresMax failures that are let pass; 0 = nobody is ever banned
     * @param forgetNs in which one failure is forgotten, &gt; 0
     * @param banNs how long a ban lasts
     * @param addressesMax most addresses that are remembered
     */
    public LoginGuard(int failuresMax, long forgetNs, long banNs, int addressesMax) {
        this.failuresMax = failuresMax;
        this.forgetNs = forgetNs;
        this.banNs = banNs;
        this.addressesMax = addressesMax;
    }

    /**
     * Asks before somebody is let in to try.
     *
     * @param address of the client
     * @param nowNs the time
     * @return whether it is banned
     */
    public synchronized boolean isBanned(InetAddress address, long nowNs) {
        Failures failures = byAddress.get(keyOf(address));
        if (failures == null || !failures.isBanned) {
            return false;
        }
        if (nowNs - failures.bannedUntilNs >= 0) {
            byAddress.remove(keyOf(address));
            return false;
        }
        return true;
    }

    /**
     * Counts a failure.
     *
     * @param address of the client
     * @param nowNs the time
     * @return true if it is banned from now on
     */
    public synchronized boolean failed(InetAddress address, long nowNs) {
        if (failuresMax == 0) {
            return false;
        }
        Long key = keyOf(address);
        Failures failures = byAddress.remove(key);
        if (failures == null) {
            failures = new Failures();
            failures.sinceNs = nowNs;
        }
        byAddress.put(key, failures); // the last in the order
        if (byAddress.size() > addressesMax) {
            byAddress.remove(byAddress.keySet().iterator().next());
        }
        long forgotten = Math.min(failures.count, (nowNs - failures.sinceNs) / forgetNs);
        failures.count -= (int) forgotten;
        failures.sinceNs = failures.count == 0 ? nowNs : failures.sinceNs + forgotten * forgetNs;
        failures.count++;
        if (failures.count > failuresMax && !failures.isBanned) {
            failures.isBanned = true;
            failures.bannedUntilNs = nowNs + banNs;
            return true;
        }
        return false;
    }

    /**
     * Forgets the failures of an address.
     *
     * @param address of a client that has logged in
     */
    public synchronized void succeeded(InetAddress address) {
        byAddress.remove(keyOf(address));
    }

    /** Addresses that are remembered. */
    public synchronized int size() {
        return byAddress.size();
    }

    /** The first 64 bits of an IPv6 address; an IPv4 address stands in ::/32, which nobody has. */
    public static Long keyOf(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet4Address ? 1L << 32 | (bytes.getInt() & 0xffff_ffffL) : bytes.getLong();
    }
}
