// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.audit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lines of the audit log about clients that have not logged in. Anybody can cause them, so each kind of line has a rate. A line that comes too fast is counted
 * instead, and the next line of its kind says how many were left out before it. No kind takes room from another: many connections that are refused do not hide a failed login.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> Kinds: the words that the server has for them.
 */
public final class StrangerLines {
    private static final long NS_PER_S = 1_000_000_000;

    /** Lines of a kind in a second, on and on. At 200 bytes a line the four kinds need more than a day for the logs that are kept by default (1 GiB). */
    static final int LINES_PER_S = 10;

    /** Lines of a kind at once: as many as the default of logins under way, whose ends are known to the last. */
    static final int LINES_AT_ONCE = 100;

    private static final long INTERVAL_NS = NS_PER_S / LINES_PER_S;

    private final AuditLog log;
    private final Map<String, Kind> kinds = new HashMap<>(); // guarded by this

    private static final class Kind {
        /** When all lines that were let through are paid for. */
        private long paidNs;

        private long leftOut;
    }

    /**
     * Begins with no line written.
     *
     * @param log where they go
     */
    public StrangerLines(AuditLog log) {
        this.log = log;
    }

    /**
     * Begins a line.
     *
     * @param what happened, a word
     * @param nowNs the time
     * @return to be filled and written; null if there are too many of its kind, or no log
     */
    public synchronized @Nullable AuditLine line(String what, long nowNs) {
        if (!log.isOn()) {
            return null;
        }
        long saved = LINES_AT_ONCE * INTERVAL_NS;
        Kind kind = kinds.get(what);
        if (kind == null) {
            kind = new Kind();
            kind.paidNs = nowNs - saved;
            kinds.put(what, kind);
        } else if (nowNs - kind.paidNs > saved) {
            kind.paidNs = nowNs - saved;
        }
        if (nowNs - kind.paidNs < INTERVAL_NS) {
            kind.leftOut++;
            return null;
        }
        kind.paidNs += INTERVAL_NS;
        AuditLine line = log.line(what);
        if (kind.leftOut > 0) {
            line.with("left-out", kind.leftOut);
            kind.leftOut = 0;
        }
        return line;
    }

    /**
     * Says how many lines were left out and not told of yet. At the end.
     *
     * @return lines to be written
     */
    public synchronized List<AuditLine> rest() {
        List<AuditLine> lines = new ArrayList<>();
        kinds.forEach((what, kind) -> {
            if (kind.leftOut > 0) {
                lines.add(log.line(what).with("left-out", kind.leftOut));
                kind.leftOut = 0;
            }
        });
        return lines;
    }
}
