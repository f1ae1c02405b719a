// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Timer;
import io.mely.sfs.users.User;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.server.session.ServerSession;
import org.jspecify.annotations.Nullable;

/**
 * One connection as the server counts it: who it is, and what it has open.
 *
 * <p><b>Threads.</b> Its color, but for the fields that say otherwise.
 */
final class Visit {
    private static final AttributeKey<Visit> VISIT = new AttributeKey<>();

    final ColoredIoSession io;
    final List<SftpCommand> commands = new ArrayList<>();

    @Nullable
    ServerSession session;

    @Nullable
    User user;

    /** Ends a login that takes too long; after the login, a silence that does. */
    @Nullable
    Timer watch;

    /** Ends an exchange of keys that takes too long. */
    @Nullable
    Timer keys;

    /** Says no to a wrong password, late. */
    @Nullable
    Timer answer;

    int tries;
    boolean isFailureCounted;

    /** A password is being tried, which counts the failure if it is one; or its failure is not answered yet. */
    boolean isTrying;

    /** It was closed to make way for another that wants to log in. */
    boolean isDisplaced;

    Visit(ColoredIoSession io) {
        this.io = io;
    }

    /** Lets it be found by its connection. */
    void attach() {
        io.setAttribute(VISIT, this);
    }

    static Visit of(ColoredIoSession io) {
        return (Visit) Objects.requireNonNull(io.getAttribute(VISIT), "set when it was accepted");
    }

    static Visit of(Session session) {
        return of((ColoredIoSession) session.getIoSession());
    }

    /** Says why, and hangs up. */
    void disconnect(String why) {
        ServerSession open = session;
        if (open == null) {
            io.close(true);
            return;
        }
        io.run(() -> open.disconnect(SshConstants.SSH2_DISCONNECT_BY_APPLICATION, why));
    }

    /** Lets go of what is large, and of the timers, which would hold it until they are due. */
    void end() {
        cancel(watch);
        cancel(keys);
        cancel(answer);
        watch = null;
        keys = null;
        answer = null;
        session = null;
    }

    void endKeys() {
        cancel(keys);
        keys = null;
    }

    private static void cancel(@Nullable Timer timer) {
        if (timer != null) {
            boolean unused = timer.cancel();
        }
    }

    boolean isAnswering() {
        return commands.stream().anyMatch(SftpCommand::isAnswering);
    }

    boolean isIdle() {
        return commands.stream().allMatch(SftpCommand::isIdle);
    }
}
