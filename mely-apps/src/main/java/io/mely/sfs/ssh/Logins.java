// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Mely;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsSettings;
import io.mely.sfs.users.LoginGuard;
import io.mely.sfs.users.Turnstile;
import io.mely.sfs.users.Users;
import io.mely.spi.NanoClock;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.security.PublicKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.server.auth.AsyncAuthException;
import org.apache.sshd.server.session.ServerSession;

/**
 * Says who is who, by keys and passwords, and counts those who fail.
 *
 * <p><b>Threads.</b> The color of the connection; {@link #isBanned}: any. <b>Bounds.</b> Passwords that are tried at once: one of a connection, and one for each core but one.
 */
final class Logins {
    private static final System.Logger LOG = System.getLogger(Logins.class.getName());

    /** Shorter RSA keys are not taken. */
    private static final int RSA_BITS_MIN = 2048;

    private static final AttributeKey<String> LOGIN_BY = new AttributeKey<>();

    private final SfsConfig config;
    private final Mely mely;
    private final NanoClock clock;
    private final Users users;
    private final ConnectionLog log;
    private final Counters counters;
    private final LoginGuard guard;
    private final Turnstile hashes;

    Logins(SfsConfig config, Mely mely, NanoClock clock, Users users, ConnectionLog log, Counters counters) {
        this.config = config;
        this.mely = mely;
        this.clock = clock;
        this.users = users;
        this.log = log;
        this.counters = counters;
        guard = new LoginGuard(
                config.get(SfsSettings.BAN_AFTER),
                config.get(SfsSettings.BAN_FORGET).toNanos(),
                config.get(SfsSettings.BAN_TIME).toNanos(),
                config.get(SfsSettings.BAN_ADDRESSES_MAX));
        hashes = new Turnstile(Math.max(1, mely.cores() - 1)); // a core is left for those who have logged in
    }

    boolean isBanned(InetSocketAddress peer) {
        return guard.isBanned(peer.getAddress(), clock.nanoTime());
    }

    void succeeded(Visit visit) {
        guard.succeeded(visit.io.peer().getAddress());
    }

    /** What somebody has logged in by, for the audit log. */
    static String by(Session session) {
        return String.valueOf(session.getAttribute(LOGIN_BY));
    }

    boolean hasKey(String name, PublicKey key, ServerSession session) {
        Visit visit = Visit.of(session);
        visit.tries++;
        boolean isLong = !"RSA".equals(key.getAlgorithm()) || KeyUtils.getKeySize(key) >= RSA_BITS_MIN;
        boolean isKnown = isLong && users.hasKey(name, key);
        if (isKnown) {
            session.setAttribute(LOGIN_BY, "key " + KeyUtils.getFingerPrint(key));
        }
        return isKnown;
    }

    /** Hashing takes long on purpose: the answer comes later. One try of a connection at a time, and none of an address that is banned meanwhile. */
    boolean hasPassword(String name, String password, ServerSession session) {
        Visit visit = Visit.of(session);
        visit.tries++;
        if (visit.isTrying) {
            visit.disconnect("one password at a time");
            return false;
        }
        AsyncAuthException later = new AsyncAuthException();
        visit.isTrying = true;
        long cameNs = clock.nanoTime();
        hashes.enter(() -> visit.io.color().execute(() -> tryPassword(visit, name, password, session, later, cameNs)));
        throw later;
    }

    private void tryPassword(
            Visit visit, String name, String password, ServerSession session, AsyncAuthException later, long cameNs) {
        if (visit.io.isOver()) {
            hashes.leave();
            if (!visit.isDisplaced) {
                countFailure(visit, name, "gone before the password was tried");
            }
            return;
        }
        if (isBanned(visit.io.peer())) {
            hashes.leave();
            visit.isFailureCounted = true;
            counters.refused.increment();
            log.stranger("refused", visit.io.peer(), line -> line.with("why", "banned"));
            visit.disconnect("banned");
            return;
        }
        CompletableFuture<Boolean> tried = mely.blocking(visit.io.color(), () -> users.hasPassword(name, password));
        CompletableFuture<Boolean> unused = tried.whenComplete((isRight, failure) -> {
            hashes.leave();
            if (Boolean.TRUE.equals(isRight)) {
                visit.isTrying = false;
                session.setAttribute(LOGIN_BY, "password");
                visit.io.run(() -> later.setAuthed(true));
                return;
            }
            if (failure == null) {
                countFailure(visit, name, "wrong password");
            } else {
                LOG.log(Level.WARNING, "a password could not be tried: {0}", failure.toString());
            }
            if (!visit.io.isOver()) {
                // Counted from when it came: how long the hash took, which may tell whether there is such a user, is
                // not seen.
                long restNs = Math.max(
                        0, cameNs + config.get(SfsSettings.LOGIN_FAILURE_DELAY).toNanos() - clock.nanoTime());
                visit.answer = visit.io.color().schedule(Duration.ofNanos(restNs), () -> refuse(visit, later));
            }
        });
    }

    private static void refuse(Visit visit, AsyncAuthException later) {
        visit.isTrying = false;
        visit.io.run(() -> later.setAuthed(false));
    }

    /** Counts a failed login, which may ban its address. */
    void countFailure(Visit visit, String name, String why) {
        visit.isFailureCounted = true;
        counters.failedLogins.increment();
        log.stranger(
                "login-failed",
                visit.io.peer(),
                line -> line.with("session", visit.io.getId())
                        .with("user", name)
                        .with("why", why));
        if (guard.failed(visit.io.peer().getAddress(), clock.nanoTime())) {
            counters.bans.increment();
            LOG.log(
                    Level.WARNING,
                    "address {0} is banned for {1}, as too many logins failed",
                    visit.io.peer().getAddress().getHostAddress(),
                    config.get(SfsSettings.BAN_TIME));
            log.stranger("banned", visit.io.peer(), line -> {});
        }
    }
}
