// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import io.mely.cli.Meters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * The counters of a server, for a registry of Micrometer. Those of its runtime are {@link io.mely.metrics.MelyMetrics}'.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param server whose they are
 */
public record SfsMeters(SfsServer server) implements MeterBinder {
    @Override
    public void bindTo(MeterRegistry registry) {
        Meters<SfsStats> meters = new Meters<>(registry, server::clientStats);
        Tags none = Tags.empty();
        meters.count("sfs.connections", "Connections let in.", none, SfsStats::connections);
        meters.count("sfs.connections.refused", "Refused: too many, or banned.", none, SfsStats::refused);
        meters.count("sfs.connections.displaced", "Closed before a login, for others.", none, SfsStats::displaced);
        meters.count("sfs.logins", "Logins that succeeded.", none, SfsStats::logins);
        meters.count("sfs.logins.failed", "Logins that failed.", none, SfsStats::failedLogins);
        meters.count("sfs.bans", "Bans of addresses.", none, SfsStats::bans);
        meters.count("sfs.requests", "Requests of SFTP.", none, SfsStats::requests);
        meters.count("sfs.read.bytes", "Bytes of files read by clients.", none, SfsStats::readBytes);
        meters.count("sfs.written.bytes", "Bytes of files written by clients.", none, SfsStats::writtenBytes);
        meters.count("sfs.copied.bytes", "Bytes copied in memory for replies.", none, SfsStats::copiedBytes);
        meters.count("sfs.audit.lost", "Lines of the audit log not written.", none, SfsStats::lostAuditLines);
        meters.gauge("sfs.connections.open", "Connections that are open.", SfsStats::open);
    }
}
