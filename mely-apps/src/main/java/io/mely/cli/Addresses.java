// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * Reads and writes the address to listen on.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Addresses {
    private static final Pattern IPV4 =
            Pattern.compile("(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3}");

    /** What looks like numbers is an address and must be a whole one: "127.1" and "999.1.1.1" are no host names. */
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,252})");

    private Addresses() {}

    /**
     * Whether text can be an address or a host name; no name is looked up.
     *
     * @param text such as {@code 127.0.0.1}, {@code ::1}, {@code [::1]} or {@code localhost}
     * @return whether it is worth trying
     */
    public static boolean isHost(String text) {
        String host = bare(text);
        if (host.indexOf(':') >= 0 || text.startsWith("[")) {
            return host.indexOf(':') >= 0 && isIpv6(host);
        }
        return NUMBERS.matcher(host).matches()
                ? IPV4.matcher(host).matches()
                : NAME.matcher(host).matches();
    }

    /**
     * The address that a setting names.
     *
     * @param values of all sources
     * @param host a setting of what {@link #isHost} lets pass
     * @return as {@link #lookUp(String)}
     * @throws StartException if nobody knows it
     */
    public static InetAddress lookUp(Values values, Setting<String> host) throws StartException {
        try {
            return lookUp(values.get(host));
        } catch (UnknownHostException unknown) {
            throw new StartException(values.describe(host) + ": no such host or network interface");
        }
    }

    /**
     * Looks an address or host name up.
     *
     * @param text for which {@link #isHost} is true
     * @return the address
     * @throws UnknownHostException when there is no such host or network interface
     */
    public static InetAddress lookUp(String text) throws UnknownHostException {
        return InetAddress.getByName(bare(text));
    }

    /**
     * Writes the address of a server.
     *
     * @param address resolved
     * @return such as {@code http://127.0.0.1:8080} or {@code http://[::1]:8080}
     */
    public static String url(InetSocketAddress address) {
        return "http://" + authority(address);
    }

    /**
     * Writes an address with its port.
     *
     * @param address resolved
     * @return such as {@code 127.0.0.1:8080} or {@code [::1]:8080}
     */
    public static String authority(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        String host = ip.getHostAddress();
        return (ip instanceof Inet6Address ? "[" + shorten(host) + "]" : host) + ":" + address.getPort();
    }

    /** Replaces the longest run of zero groups by "::", as RFC 5952 asks; the JDK doesn't. */
    private static String shorten(String ipv6) {
        int zone = ipv6.indexOf('%');
        String suffix = zone < 0 ? "" : ipv6.substring(zone);
        String[] groups = (zone < 0 ? ipv6 : ipv6.substring(0, zone)).split(":", -1);
        int start = -1;
        int length = 1;
        for (int i = 0; i < groups.length; i++) {
            int end = i;
            while (end < groups.length && groups[end].equals("0")) {
                end++;
            }
            if (end - i > length) {
                start = i;
                length = end - i;
            }
        }
        if (start < 0) {
            return ipv6;
        }
        String head = String.join(":", java.util.Arrays.copyOfRange(groups, 0, start));
        String tail = String.join(":", java.util.Arrays.copyOfRange(groups, start + length, groups.length));
        return head + "::" + tail + suffix;
    }

    private static boolean isIpv6(String host) {
        int zone = host.indexOf('%');
        try {
            // Text with a colon is never looked up, only read.
            return InetAddress.getByName(zone < 0 ? host : host.substring(0, zone)) != null;
        } catch (UnknownHostException notAnAddress) {
            return false;
        }
    }

    private static String bare(String text) {
        return text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    }
}
