// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.HostTable;
import java.util.List;
import java.util.Objects;

/**
 * A site beside the main one, which requests for other hosts get.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Errors.</b> {@link IllegalArgumentException} naming the field and the value that is not allowed.
 *
 * @param hosts its names, without ports, or {@code *.} and a name for all below it; at least one
 * @param config what is served and how: of a site's settings. What else it has is the server's, and of no effect here
 */
public record HostedSite(List<String> hosts, SwsConfig config) {
    /** Checks the names. */
    public HostedSite {
        hosts = List.copyOf(hosts);
        Objects.requireNonNull(config, "config");
        if (hosts.isEmpty() || !hosts.stream().allMatch(HostTable::isName)) {
            throw new IllegalArgumentException("hosts must be names without ports, at least one: hosts=" + hosts);
        }
        if (!config.sites().isEmpty()) {
            throw new IllegalArgumentException("config must have no sites of its own: sites=" + config.sites());
        }
    }
}
