// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.util.List;

/**
 * The hosts that a server answers for. A page of a stranger whose name leads to this machine (DNS rebinding) asks by the stranger's name, and is told nothing.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> As of {@link HostTable}, where there is a list.
 */
public final class HostNames {
    private final HostTable<String> names = new HostTable<>();

    /**
     * Makes a list.
     *
     * @param names each {@link #isName}
     */
    public HostNames(List<String> names) {
        names.forEach(each -> this.names.put(each, each));
    }

    /**
     * Tells whether text can stand in the list.
     *
     * @param text any
     * @return as {@link HostTable#isName}
     */
    public static boolean isName(String text) {
        return HostTable.isName(text);
    }

    /**
     * Tells whether a request is for one of them.
     *
     * @param bytes holds its head
     * @param start index of its first byte
     * @param head its fields
     * @return true also if it names none, as HTTP/1.0 may and no browser does
     */
    public boolean has(byte[] bytes, int start, RequestHead head) {
        return head.hostEnd() == 0 || names.of(bytes, start, head) != null;
    }
}
