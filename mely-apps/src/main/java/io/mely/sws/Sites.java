// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.files.Withheld;
import io.mely.sws.http.HostTable;
import io.mely.sws.http.RequestHead;
import io.mely.sws.rules.LoginRule;
import io.mely.sws.rules.Realm;
import io.mely.sws.tls.TlsSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sites of a server: the main one, and those of some hosts. A reload replaces all at once.
 *
 * <p><b>Threads.</b> Any; immutable but for the caches.
 */
final class Sites {
    /** Of requests for hosts that have none of their own. */
    final Site main;

    /** So much room is enough for an error page of any. */
    final int roomMin;

    private final List<Site> all = new ArrayList<>();
    private final HostTable<Site> byHost = new HostTable<>();

    /**
     * Makes all of them, with empty caches, between which the budget is divided.
     *
     * @param before what they replace; null = nothing
     * @throws IOException if a file that one needs can't be read
     */
    Sites(SwsConfig config, Site.Shared shared, @Nullable Sites before) throws IOException {
        int count = 1 + config.sites().size();
        Withheld withheld = withheld(config);
        Map<String, Realm> realms = before == null ? Map.of() : before.realms();
        boolean isMade = false;
        try {
            main = new Site(config, shared, count, withheld, realms);
            all.add(main);
            for (HostedSite each : config.sites()) {
                Site site = new Site(each.config(), shared, count, withheld, realms);
                all.add(site);
                each.hosts().forEach(host -> byHost.put(host, site));
            }
            isMade = true;
        } finally {
            if (!isMade) {
                close();
            }
        }
        roomMin = all.stream().mapToInt(each -> each.roomMin).max().orElseThrow();
    }

    private Map<String, Realm> realms() {
        Map<String, Realm> realms = new HashMap<>();
        for (Site each : all) {
            if (each.gate != null) {
                realms.putAll(each.gate.realms());
            }
        }
        return realms;
    }

    /** What the server reads and writes itself: no site serves it. */
    private static Withheld withheld(SwsConfig config) {
        List<Path> files = new ArrayList<>();
        Stream.concat(Stream.of(config), config.sites().stream().map(HostedSite::config))
                .forEach(each -> {
                    files.addAll(each.withheld());
                    each.gate().logins().stream().map(LoginRule::file).forEach(files::add);
                });
        files.addAll(TlsSettings.secrets(config.settings()));
        String log = config.get(SwsSettings.ACCESS_LOG);
        return new Withheld(files, log.isEmpty() || log.equals("-") ? List.of() : List.of(Path.of(log)));
    }

    /** The site of a request's host. */
    Site of(Exchange exchange) {
        if (all.size() == 1) {
            return main;
        }
        Site site = byHost.of(exchange.in(), exchange.start, exchange.parser.head());
        return site == null ? main : site;
    }

    /** Whether a host is one that is served: of a site of its own, or as the main one allows. */
    boolean areFor(Exchange exchange) {
        RequestHead head = exchange.parser.head();
        return of(exchange) != main || main.hosts == null || main.hosts.has(exchange.in(), exchange.start, head);
    }

    /** Answers in all caches. */
    int cached() {
        return all.stream().mapToInt(each -> each.cache.size()).sum();
    }

    /** Large files that are open. */
    int openFiles() {
        int open = 0;
        for (Site each : all) {
            open += each.cache.openFiles();
        }
        return open;
    }

    /** See {@link io.mely.sws.files.FileCache#closeUnused}. */
    void closeUnused(long nowNs) {
        all.forEach(each -> each.cache.closeUnused(nowNs));
    }

    /** The caches; what is being sent is freed by its last user. */
    void close() {
        all.forEach(each -> each.cache.close());
    }
}
