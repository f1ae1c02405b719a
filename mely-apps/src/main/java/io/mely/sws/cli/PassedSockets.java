// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.sws.InheritedSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The sockets that systemd has opened for this process (sd_listen_fds(3)): LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES. */
final class PassedSockets {
    private static final int FIRST = 3;
    private static final int MOST = 1_000;
    private static final String REDIRECT = "redirect";

    private PassedSockets() {}

    /**
     * Reads the variables.
     *
     * @param variables of the process
     * @param pid its number: what was meant for another, as a shell before it, is passed over
     * @return none as a rule; one that is named {@code redirect} sends its clients to where TLS is spoken
     * @throws IOException if they make no sense
     */
    static List<InheritedSocket> of(Map<String, String> variables, long pid) throws IOException {
        String count = variables.get("LISTEN_FDS");
        if (count == null || !String.valueOf(pid).equals(variables.get("LISTEN_PID"))) {
            return List.of();
        }
        if (!count.matches("[0-9]{1,4}") || Integer.parseInt(count) > MOST) {
            throw new IOException("LISTEN_FDS must be a number of at most " + MOST + ": LISTEN_FDS=" + count);
        }
        String[] names = variables.getOrDefault("LISTEN_FDNAMES", "").split(":", -1);
        List<InheritedSocket> sockets = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(count); i++) {
            sockets.add(new InheritedSocket(FIRST + i, i < names.length && names[i].equals(REDIRECT)));
        }
        return sockets;
    }
}
