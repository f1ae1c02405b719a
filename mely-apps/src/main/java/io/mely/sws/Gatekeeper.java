// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.files.RequestPath;
import io.mely.sws.files.UriText;
import io.mely.sws.http.RequestHead;
import io.mely.sws.http.Status;
import io.mely.sws.proxy.ProxyTrust;
import io.mely.sws.rules.Credentials;
import io.mely.sws.rules.Gate;
import io.mely.sws.rules.Realm;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks the rules of a site about a request before a file is looked for: redirects, then rewrites, then who may see it by address, then by password.
 *
 * <p>A password that is not known yet is checked by a thread that may block, and the request then comes here again.
 *
 * <p><b>Threads.</b> The color of the connection that is passed. <b>Costs.</b> None without rules; else some text.
 */
final class Gatekeeper {
    private static final Verdict OPEN = new Verdict(Kind.OPEN, 0, "", null);
    private static final Verdict FLUSH = new Verdict(Kind.FLUSH, 0, "", null);
    private static final Verdict PENDING = new Verdict(Kind.PENDING, 0, "", null);

    private final ServerContext server;
    private final SwsStages stages;
    private final PasswordChecks checks;
    private final ProxyTrust proxies;

    Gatekeeper(ServerContext server, SwsStages stages) {
        this.server = server;
        this.stages = stages;
        proxies = server.config.proxies();
        checks = new PasswordChecks(stages, server.config.get(SwsSettings.MAX_CLIENTS));
    }

    /** What is to be done. */
    enum Kind {
        /** Look for a file. */
        OPEN,
        /** Write what there is, then come again: a password may take its time. */
        FLUSH,
        /** Nothing: an event will come. */
        PENDING,
        /** Redirect. */
        MOVED,
        /** Answer an error. */
        REFUSED
    }

    /**
     * What the rules say.
     *
     * @param kind what is to be done
     * @param status of a redirect or an error
     * @param location of a redirect
     * @param realm where the client must be known; null if that does not matter
     */
    record Verdict(
            Kind kind,
            int status,
            String location,
            @Nullable Realm realm) {
        private static Verdict refused(int status) {
            return new Verdict(Kind.REFUSED, status, "", null);
        }
    }

    /** Sets what is answered in place of the path, too. */
    Verdict judge(Connection c, Gate gate, ThreadState own, Exchange exchange) {
        exchange.rewritten = null;
        exchange.user = null;
        int loginRefusal = c.loginRefusal;
        c.loginRefusal = 0; // of this request only, whatever becomes of it
        RequestHead head = exchange.parser.head();
        byte[] in = exchange.in();
        RequestPath asked = own.path;
        if (!asked.set(in, exchange.start + head.pathStart(), exchange.start + head.pathEnd())) {
            return OPEN; // no path, which others say
        }
        String path = asked.toString();
        Gate.Moved moved = gate.moved(path, queryOf(in, exchange.start, head));
        if (moved != null) {
            return new Verdict(Kind.MOVED, moved.status(), moved.location(), null);
        }
        String served = gate.rewritten(path);
        if (!served.equals(path)) {
            exchange.rewritten = UriText.encode(served).getBytes(StandardCharsets.US_ASCII);
        }
        if (!gate.isGuarding()) {
            return OPEN;
        }
        Set<String> names = gate.namesOf(path, served);
        InetAddress client = c.forwarded == null ? c.peer : c.forwarded;
        boolean isNamed = !proxies.trusts(client);
        if (!gate.isOpenTo(names, client, isNamed)) {
            return Verdict.refused(Status.FORBIDDEN);
        }
        Set<Realm> realms = gate.realmsOf(names);
        if (realms.isEmpty()) {
            return OPEN;
        }
        Credentials given = Credentials.parse(head.authorization(in, exchange.start));
        if (given != null && own.log != null) {
            exchange.user = given.nameBytes(); // also of who is refused: who was it?
        }
        return judgeLogin(c, realms, given, client, loginRefusal);
    }

    private static String queryOf(byte[] in, int start, RequestHead head) {
        int length = head.queryEnd() - head.pathEnd();
        return UriText.toAscii(new String(in, start + head.pathEnd(), length, StandardCharsets.UTF_8));
    }

    private Verdict judgeLogin(
            Connection c, Set<Realm> realms, @Nullable Credentials given, InetAddress client, int refusal) {
        for (Realm each : realms) {
            if (given != null && each.knows(given)) {
                continue;
            }
            if (refusal == Status.SERVICE_UNAVAILABLE) {
                return Verdict.refused(refusal);
            }
            if (given == null || refusal != 0) {
                return new Verdict(Kind.REFUSED, Status.UNAUTHORIZED, "", each);
            }
            return check(c, each, given, client);
        }
        return OPEN;
    }

    private Verdict check(Connection c, Realm realm, Credentials given, InetAddress client) {
        if (c.held().hasOutput()) {
            return FLUSH;
        }
        CompletableFuture<Boolean> check = realm.running(given);
        if (check == null) {
            switch (server.logins.begin(client, c.held().nowNs, () -> stages.sendCheckInCache(c))) {
                case REFUSED -> {
                    server.own().counters.limited();
                    return Verdict.refused(Status.TOO_MANY_REQUESTS);
                }
                case WAITS -> {
                    return PENDING;
                }
                case MAY_TRY -> {}
            }
            check = realm.check(given, work -> checks.run(c, work))
                    .whenComplete((isRight, failure) ->
                            server.logins.end(client, server.clock.nanoTime(), failure == null && !isRight));
        }
        CompletableFuture<Boolean> unused = check.whenComplete((isRight, failure) -> {
            c.loginRefusal = failure != null ? Status.SERVICE_UNAVAILABLE : isRight ? 0 : Status.UNAUTHORIZED;
            stages.sendCheckInCache(c);
        });
        return PENDING;
    }
}
