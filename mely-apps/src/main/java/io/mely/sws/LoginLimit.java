// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.limits.ClientTable;
import java.net.InetAddress;

/**
 * How many passwords one client may try: each takes a token, and who was right gets it back.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A lock, for passwords that are not known yet.
 */
final class LoginLimit {
    /** Beyond the tries at once, a second. */
    private static final int TRIES_PER_S = 1;

    private final ClientTable table;

    LoginLimit(SwsConfig config) {
        table = new ClientTable(0, TRIES_PER_S, config.limits().loginTries(), config.clientAddressesMax());
    }

    /** Whether an address may try one more. */
    synchronized boolean mayTry(InetAddress client, long nowNs) {
        return table.mayAsk(client, nowNs);
    }

    /** It was right. */
    synchronized void wasRight(InetAddress client, long nowNs) {
        table.giveBack(client, nowNs);
    }
}
