// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.proxy;

import java.net.InetAddress;
import java.util.List;

/**
 * Which proxies are believed, and how they tell who the client is.
 *
 * <p><b>Threads.</b> Any; immutable.
 *
 * @param trusted addresses of the proxies; empty = none is believed
 * @param field what they tell it in
 * @param protocol true if their connections begin with a header of the PROXY protocol, version 1 or 2
 */
public record ProxyTrust(List<AddressRange> trusted, Field field, boolean protocol) {
    /** Nobody is believed. */
    public static final ProxyTrust NONE = new ProxyTrust(List.of(), Field.X_FORWARDED_FOR, false);

    /** Fields that proxies add. */
    public enum Field {
        /** A list of addresses; each proxy adds who has connected to it. */
        X_FORWARDED_FOR("x-forwarded-for"),
        /** The same with names of its parts (RFC 7239). */
        FORWARDED("forwarded"),
        /** One address. */
        X_REAL_IP("x-real-ip");

        private final String label;

        Field(String label) {
            this.label = label;
        }

        /**
         * The name of the field.
         *
         * @return lower case
         */
        public String label() {
            return label;
        }
    }

    /** Checks all. */
    public ProxyTrust {
        trusted = List.copyOf(trusted);
        if (protocol && trusted.isEmpty()) {
            throw new IllegalArgumentException("protocol must be false without trusted proxies: protocol=true");
        }
    }

    /**
     * Tells whether anybody is believed.
     *
     * @return false for most servers
     */
    public boolean isOn() {
        return !trusted.isEmpty();
    }

    /**
     * Tells whether an address is one of the proxies'.
     *
     * @param address any
     * @return true if it is believed
     */
    public boolean trusts(InetAddress address) {
        for (AddressRange each : trusted) {
            if (each.has(address)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Who the client is. The list is read from its end, as each proxy adds to it: the first address that is no proxy's is the client's. What stands before it anybody may
     * have written.
     *
     * @param peer who has connected; trusted
     * @param value of the field, its lines joined by commas
     * @return an address; the peer's, or that of the last proxy that is known, if the field does not say
     */
    public InetAddress client(InetAddress peer, String value) {
        InetAddress known = peer;
        String[] elements = value.split(",", -1);
        for (int i = elements.length - 1; i >= 0 && trusts(known); i--) {
            InetAddress address = ForwardedElement.address(elements[i], field);
            if (address == null) {
                return known;
            }
            known = address;
        }
        return known;
    }
}
