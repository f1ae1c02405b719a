// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.proxy;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An address, or all that begin with the same bits.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class AddressRange {
    private final byte[] network;
    private final int bits;
    private final String text;

    private AddressRange(byte[] network, int bits, String text) {
        this.network = network;
        this.bits = bits;
        this.text = text;
    }

    /**
     * Reads {@code ADDRESS} or {@code ADDRESS/BITS}.
     *
     * @param text as a configuration has it
     * @return null if it has another form, or names a host
     */
    public static @Nullable AddressRange parse(String text) {
        int slash = text.indexOf('/');
        InetAddress address = address(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            return null;
        }
        byte[] network = address.getAddress();
        int bits = network.length * Byte.SIZE;
        if (slash >= 0) {
            String number = text.substring(slash + 1);
            if (!number.matches("[0-9]{1,3}") || Integer.parseInt(number) > bits) {
                return null;
            }
            bits = Integer.parseInt(number);
        }
        return new AddressRange(network, bits, text);
    }

    /** Of an IP address in text; never asks anybody. IPv4 within IPv6 is IPv4. Null for anything else. */
    static @Nullable InetAddress address(String text) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
        try {
            return bytes == null ? null : InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("4 or 16 bytes are an address", impossible);
        }
    }

    /**
     * Tells whether an address lies in it.
     *
     * @param address any
     * @return false also if it is of the other family
     */
    public boolean has(InetAddress address) {
        byte[] bytes = address.getAddress();
        int whole = bits / Byte.SIZE;
        int rest = bits % Byte.SIZE;
        return bytes.length == network.length
                && Arrays.equals(bytes, 0, whole, network, 0, whole)
                && (rest == 0 || ((bytes[whole] ^ network[whole]) & 0xff) >> (Byte.SIZE - rest) == 0);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AddressRange range && range.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return text;
    }
}
