// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.ConfigFile;
import io.mely.cli.Setting;
import io.mely.cli.SettingTable;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.ValueTypes;
import io.mely.cli.Values;
import io.mely.sws.http.HostTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A further site and where it is described.
 *
 * @param hosts at least one
 * @param file its settings
 */
record SiteFile(List<String> hosts, String file) {
    /** Reads {@code HOST,HOST FILE}; null if it is no such thing. */
    static @Nullable SiteFile parse(String line) {
        String[] parts = line.strip().split("[ \t]+", 2);
        List<String> hosts = List.of(parts[0].split(",", -1));
        return parts.length < 2 || !hosts.stream().allMatch(HostTable::isName) || !ValueTypes.isFile(parts[1])
                ? null
                : new SiteFile(hosts, parts[1]);
    }

    static boolean haveEachHostOnce(List<SiteFile> sites) {
        List<String> hosts =
                sites.stream().flatMap(each -> each.hosts().stream()).toList();
        return ValueTypes.areDistinct(hosts, host -> host.toLowerCase(Locale.ROOT));
    }

    /**
     * What holds for the site: what its file says, else what the server was told.
     *
     * @param values of the server
     * @return for it alone, without further sites
     * @throws UsageException naming file, line and key of each problem
     */
    Values read(Values values) throws UsageException {
        SettingTable own = new SettingTable(
                Settings.TABLE.program(),
                Settings.TABLE.all().stream()
                        .filter(each -> each.scope() == Setting.Scope.SITE)
                        .toList());
        Values said = ConfigFile.read(own, file);
        if (!said.isGiven(Settings.ROOT)) {
            throw new UsageException(Text.escape(file) + ": root is missing; a site has one of its own");
        }
        Values joined = new Values();
        joined.putAll(values);
        joined.putAll(said);
        joined.from(Path.of(file));
        return joined;
    }

    /** As it is written. */
    @Override
    public String toString() {
        return String.join(",", hosts) + " " + file;
    }
}
