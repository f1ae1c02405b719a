// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Color;
import io.mely.Mely;
import io.mely.sfs.audit.AuditLine;
import io.mely.sfs.audit.AuditLog;
import io.mely.sfs.audit.StrangerLines;
import io.mely.spi.NanoClock;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Lines of the audit log about connections, written on blocking threads, so that a slow disk holds up no core.
 *
 * <p><b>Threads.</b> Any, but for {@link #end}.
 */
final class ConnectionLog {
    private final Mely mely;
    private final Color color;
    private final NanoClock clock;
    private final AuditLog audit;
    private final StrangerLines strangers;

    /** @param color where the end of a write is told */
    ConnectionLog(Mely mely, Color color, NanoClock clock, AuditLog audit) {
        this.mely = mely;
        this.color = color;
        this.clock = clock;
        this.audit = audit;
        strangers = new StrangerLines(audit);
    }

    static String text(InetSocketAddress peer) {
        return peer.getAddress().getHostAddress() + ":" + peer.getPort();
    }

    /** Begins a line. */
    AuditLine line(String what) {
        return audit.line(what);
    }

    /** Of somebody who has not logged in. */
    void stranger(String what, InetSocketAddress peer, Consumer<AuditLine> fields) {
        AuditLine line = strangers.line(what, clock.nanoTime());
        if (line != null) {
            fields.accept(line.with("from", text(peer)));
            write(line);
        }
    }

    /** Writes a line some time. */
    void write(AuditLine line) {
        if (!audit.isOn()) {
            return;
        }
        CompletableFuture<Boolean> written = mely.blocking(color, () -> {
            audit.write(line);
            return true;
        });
        CompletableFuture<Boolean> unused = written.exceptionally(refused -> {
            if (refused instanceof RejectedExecutionException) {
                audit.write(line); // rather wait than lose it
            }
            return false;
        });
    }

    /** Writes what has not been told yet. At the end; may wait for the disk. */
    void end() {
        strangers.rest().forEach(audit::write);
    }
}
