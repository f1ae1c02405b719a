// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.ConfigFile;
import io.mely.cli.Setting;
import io.mely.cli.SettingTable;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.ValueTypes;
import io.mely.cli.Values;
import io.mely.sws.ClientLimits;
import io.mely.sws.SiteRules;
import io.mely.sws.SwsConfig;
import io.mely.sws.http.Cors;
import io.mely.sws.http.CorsRule;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.HostTable;
import io.mely.sws.rules.AccessRule;
import io.mely.sws.rules.GateRules;
import io.mely.sws.rules.LoginRule;
import io.mely.sws.rules.Redirect;
import io.mely.sws.rules.Rewrite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings of paths ({@link GateRules}), of what a client may take ({@link ClientLimits}), and of further sites. */
final class SiteSettings {
    static final Setting<List<SiteFile>> SITES = new Setting<>(
            "sites",
            false,
            ValueTypes.lines(
                    "HOST FILE or HOST,HOST FILE, each host once; *.NAME is all hosts below", SiteSettings::sites),
            "list of HOSTS FILE",
            List.of(),
            "Further sites: requests for these hosts get what the file says. It has a root, and what else a site has of its own: the settings of this section, gzip and the like. What it does not say is as here. SWS_SITES has one a line.");

    static final Setting<List<Redirect>> REDIRECTS = new Setting<>(
            "redirects",
            false,
            ValueTypes.lines(
                    "STATUS PATTERN TARGET; 301, 302, 303, 307 or 308; a path or an http or https URI, in which $1 to $9 are what the stars stand for",
                    lines -> Settings.parsed(lines, Redirect.RULES_MAX, Redirect::parse)),
            "list of STATUS PATTERN TARGET",
            GateRules.NONE.redirects(),
            "Sends clients elsewhere, as \"301 /old/** /new/$1\"; the first rule that matches counts, the query is kept. SWS_REDIRECTS has one a line.");

    static final Setting<List<Rewrite>> REWRITES = new Setting<>(
            "rewrites",
            false,
            ValueTypes.lines(
                    "PATTERN TARGET; a path, in which $1 to $9 are what the stars stand for",
                    lines -> Settings.parsed(lines, Rewrite.RULES_MAX, Rewrite::parse)),
            "list of PATTERN TARGET",
            GateRules.NONE.rewrites(),
            "Answers with what is at another path, as \"/v*/app.js /app.js\"; the first rule that matches counts. SWS_REWRITES has one a line.");

    static final Setting<List<AccessRule>> ACCESS = new Setting<>(
            "access",
            false,
            ValueTypes.lines(
                    "PATTERN allow ADDRESS or PATTERN deny ADDRESS; an address, ADDRESS/BITS or all",
                    lines -> Settings.parsed(lines, AccessRule.RULES_MAX, AccessRule::parse)),
            "list of PATTERN allow or deny ADDRESS",
            GateRules.NONE.access(),
            "Who is answered 403, as [\"/admin/** allow 10.0.0.0/8\", \"/admin/** deny all\"]; the first rule that matches counts. SWS_ACCESS has one a line.");

    static final Setting<List<LoginRule>> LOGINS = new Setting<>(
            "logins",
            false,
            ValueTypes.lines(
                    "PATTERN FILE or PATTERN FILE REALM",
                    lines -> Settings.parsed(lines, LoginRule.RULES_MAX, LoginRule::parse)),
            "list of PATTERN FILE REALM",
            GateRules.NONE.logins(),
            "Asks for a name and a password (basic authentication). The file is of htpasswd -B, and is read at start and by a reload. SWS_LOGINS has one a line.");

    static final Setting<List<CorsRule>> CORS = new Setting<>(
            "cors",
            false,
            ValueTypes.lines(
                    "PATTERN *, PATTERN none, or PATTERN and origins as https://NAME, https://NAME:PORT or https://*.NAME, behind them credentials or nothing; the pattern may be fonts",
                    lines -> Settings.parsed(lines, CorsRule.RULES_MAX, CorsRule::parse)),
            "list of PATTERN ORIGINS",
            SiteRules.DEFAULT.cors(),
            "Which pages of other origins may read, as [\"fonts *\", \"/data/** https://app.example\"]; the last rule that matches counts. It answers preflights, and says Vary: Origin where that matters. SWS_CORS has one a line.");

    static final Setting<Integer> LOGIN_TRIES = new Setting<>(
            "login-tries",
            false,
            ValueTypes.count(1, 1_000_000),
            "passwords",
            ClientLimits.DEFAULT.loginTries(),
            "Wrong passwords that one client address may send at once. Then one each second is looked at, and more are answered 429.");

    static final Setting<Long> CONNECTION_RATE_MAX = new Setting<>(
            "connection-rate-max",
            false,
            ValueTypes.zeroOrSize(1 << 10, 1 << 30),
            "bytes per second",
            (long) ClientLimits.DEFAULT.connectionRateMaxBytes(),
            "Most bytes that one connection is sent in the long run; more than write-rate-min. 0 B: no limit.");

    /** What a site's own file may say, beside its root. */
    private static final SettingTable OF_SITES = new SettingTable(
            "sws",
            List.of(
                    Settings.ROOT,
                    Settings.CACHE_FILE_MAX,
                    Settings.CACHE_REVALIDATION,
                    Settings.CACHE_MISSES_MAX,
                    Settings.INDEX_FILES,
                    Settings.LISTING,
                    Settings.FALLBACKS,
                    Settings.TRY_SUFFIXES,
                    REDIRECTS,
                    REWRITES,
                    ACCESS,
                    LOGINS,
                    Settings.RANGES_MAX,
                    Settings.HIDDEN_FILES,
                    Settings.SYMLINKS,
                    Settings.PRECOMPRESSED,
                    Settings.GZIP,
                    Settings.GZIP_LEVEL,
                    Settings.GZIP_FILE_MIN,
                    Settings.GZIP_FILE_MAX,
                    Settings.ERROR_PAGES,
                    Settings.HEADERS,
                    Settings.HEADERS_ALWAYS,
                    CORS,
                    Settings.TYPES,
                    Settings.NOSNIFF));

    private SiteSettings() {}

    /**
     * A site and where it is described.
     *
     * @param hosts at least one
     * @param file its settings
     */
    record SiteFile(List<String> hosts, String file) {
        /** As it is written. */
        @Override
        public String toString() {
            return String.join(",", hosts) + " " + file;
        }
    }

    static GateRules gate(Values values) {
        return new GateRules(values.get(REDIRECTS), values.get(REWRITES), values.get(ACCESS), values.get(LOGINS));
    }

    /** Not beside fields of one's own that say the same. */
    static List<CorsRule> cors(Values values) throws UsageException {
        List<CorsRule> rules = values.get(CORS);
        for (Setting<List<HeaderRule>> setting : List.of(Settings.HEADERS, Settings.HEADERS_ALWAYS)) {
            for (HeaderRule each : values.get(setting)) {
                if (!rules.isEmpty() && Cors.isOwn(each)) {
                    throw new UsageException(values.describe(setting) + ": " + each.name() + " is set by cors");
                }
            }
        }
        return rules;
    }

    static ClientLimits limits(Values values) throws UsageException {
        long rate = values.get(CONNECTION_RATE_MAX);
        if (rate > 0 && rate <= values.get(Settings.WRITE_RATE_MIN)) {
            throw new UsageException(
                    values.describe(CONNECTION_RATE_MAX) + ": not allowed; allowed: 0 B, or more than write-rate-min");
        }
        return new ClientLimits(values.get(LOGIN_TRIES), Math.toIntExact(rate));
    }

    /**
     * What holds for a further site: what its file says, else what the server was told.
     *
     * @param values of the server
     * @param site which
     * @return for it alone, without further sites
     * @throws UsageException naming file, line and key of each problem
     */
    static Values of(Values values, SiteFile site) throws UsageException {
        Values own = ConfigFile.read(OF_SITES, site.file());
        if (!own.isGiven(Settings.ROOT)) {
            throw new UsageException(Text.escape(site.file()) + ": root is missing; a site has one of its own");
        }
        Values joined = new Values();
        joined.putAll(values);
        joined.putAll(own);
        joined.from(Path.of(site.file()));
        return joined;
    }

    private static @Nullable List<SiteFile> sites(List<String> lines) {
        Set<String> hosts = new HashSet<>();
        List<SiteFile> sites = new ArrayList<>();
        for (String line : lines) {
            String[] parts = line.strip().split("[ \t]+", 2);
            List<String> names = List.of(parts[0].split(",", -1));
            boolean isNew =
                    names.stream().allMatch(name -> HostTable.isName(name) && hosts.add(name.toLowerCase(Locale.ROOT)));
            if (parts.length < 2 || !isNew || !SwsConfig.isPath(parts[1])) {
                return null;
            }
            sites.add(new SiteFile(names, parts[1]));
        }
        return List.copyOf(sites);
    }
}
