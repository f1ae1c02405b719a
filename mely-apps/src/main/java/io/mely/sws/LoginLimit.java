// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.limits.ClientTable;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many wrong passwords one client may send. A check holds a token, and only a wrong password keeps it. Who finds no token waits for the checks of the same client that
 * run, as they may give theirs back; many people may share an address.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A lock, for passwords that are not known yet. <b>Bounds.</b> As many checks of one client as it may send wrong passwords at once; as many
 * wait, of all clients, as there may be connections.
 */
final class LoginLimit {
    /** Beyond the tries at once, a second. */
    private static final int TRIES_PER_S = 1;

    private final ClientTable table;
    private final int waitingMax;

    /** Of clients whose passwords are being checked. Guarded by this. */
    private final Map<Long, Checks> running = new HashMap<>();

    /** Guarded by this. */
    private int waiting;

    LoginLimit(SwsConfig config) {
        this(
                config.get(SwsSettings.LOGIN_TRIES),
                config.get(SwsSettings.CLIENT_ADDRESSES_MAX),
                config.get(SwsSettings.MAX_CLIENTS));
    }

    LoginLimit(int tries, int clientsMax, int waitingMax) {
        table = new ClientTable(0, TRIES_PER_S, tries, clientsMax);
        this.waitingMax = waitingMax;
    }

    /** What {@link #begin} answers. */
    enum Turn {
        /** {@link #end} must follow. */
        MAY_TRY,
        /** The client will be told to ask again. */
        WAITS,
        /** Too many were wrong, or too many wait. */
        REFUSED
    }

    private static final class Checks {
        private int count;
        private List<Runnable> waiting = new ArrayList<>();
    }

    /**
     * Asks whether a password may be checked.
     *
     * @param again to be run, by any thread, when it is time to ask again
     */
    synchronized Turn begin(InetAddress client, long nowNs, Runnable again) {
        Long key = ClientTable.keyOf(client);
        Checks checks = running.get(key);
        if (table.mayAsk(client, nowNs)) {
            running.computeIfAbsent(key, unused -> new Checks()).count++;
            return Turn.MAY_TRY;
        }
        if (checks == null || waiting == waitingMax) {
            return Turn.REFUSED;
        }
        checks.waiting.add(again);
        waiting++;
        return Turn.WAITS;
    }

    /** A check is over. All who wait ask again: the token may be free, or nothing may be left to wait for. */
    void end(InetAddress client, long nowNs, boolean isWrong) {
        endOne(client, nowNs, isWrong).forEach(Runnable::run);
    }

    private synchronized List<Runnable> endOne(InetAddress client, long nowNs, boolean isWrong) {
        if (!isWrong) {
            table.giveBack(client, nowNs);
        }
        Long key = ClientTable.keyOf(client);
        Checks checks = running.get(key);
        assert checks != null && checks.count > 0 : "begin came before";
        List<Runnable> again = checks.waiting;
        checks.waiting = new ArrayList<>();
        waiting -= again.size();
        if (--checks.count == 0) {
            running.remove(key);
        }
        return again;
    }
}
