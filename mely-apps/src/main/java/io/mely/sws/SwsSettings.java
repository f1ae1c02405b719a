// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Stealing;
import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingList;
import io.mely.cli.ValueTypes;
import io.mely.sws.SwsConfig.Listeners;
import io.mely.sws.SwsConfig.Transport;
import io.mely.sws.files.Fallback;
import io.mely.sws.files.TypeRule;
import io.mely.sws.http.Coding;
import io.mely.sws.http.CorsRule;
import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.HostNames;
import io.mely.sws.log.LogFormat;
import io.mely.sws.proxy.AddressRange;
import io.mely.sws.proxy.ProxyTrust;
import io.mely.sws.rules.AccessRule;
import io.mely.sws.rules.LoginRule;
import io.mely.sws.rules.Redirect;
import io.mely.sws.rules.Rewrite;
import io.mely.sws.tls.TlsSettings;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server can be told, each with its key in a file, its range, its default and what it does: for {@link SwsConfig}, and for the command line. Those of TLS are in {@link TlsSettings}. Sizes are in bytes.
 *
 * <p>{@code config/sws.conf} is made from this table, with what is left to the command line: {@code bind}, {@code stages} and the like are fields of
 * {@link SwsConfig}.
 *
 * <p><b>Threads.</b> Any.
 */
public final class SwsSettings {
    /** Longest time of any. */
    public static final Duration TIME_MAX = Duration.ofDays(1);

    private static final Duration TIME_MIN = Duration.ofMillis(1);

    private static final Pattern TOKEN =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+(/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?)?");

    private static final SettingList ALL = new SettingList();

    // The runtime, and its sockets.

    public static final Setting<Integer> CORES = ALL.add(CommonSettings.cores(0));

    public static final Setting<Boolean> PINNED = ALL.add(
            CommonSettings.pinned(false)); // docs/benchmarks-sws.md: whoever else runs on the CPU holds up its clients

    public static final Setting<Stealing> STEALING = ALL.add(CommonSettings.STEALING);

    public static final Setting<Transport> TRANSPORT = ALL.add(CommonSettings.transport(Transport.AUTO));

    public static final Setting<Integer> BACKLOG =
            ALL.add(CommonSettings.backlog(4096)); // the kernel's own default cap

    public static final Setting<Listeners> LISTENERS = ALL.of(
                    "listeners", "one word", ValueTypes.oneOf(Listeners.class))
            .byDefault(Listeners.ONE) // docs/benchmarks-sws.md: which is faster was measured
            .says(
                    "Who accepts: one core for all (one), or each core its own, whom the kernel chooses by the client's address (per-core).");

    // Limits of clients, and overload.

    public static final Setting<Integer> MAX_CLIENTS =
            ALL.add(CommonSettings.maxClients(10_000)); // each idle one costs about 1 KB of heap and a descriptor

    public static final Setting<Integer> CLIENT_CONNECTIONS_MAX = ALL.count(
                    "client-connections-max", "connections", 0, 1 << 24)
            .byDefault(0) // behind a proxy all clients have its address
            .says(
                    "Most connections of one client address at once (IPv6: of a /64). One more is answered 429 and closed. 0 is unlimited.");

    public static final Setting<Integer> CLIENT_RATE = ALL.add(CommonSettings.clientRate(0));

    public static final Setting<Integer> CLIENT_BURST = ALL.count("client-burst", "requests", 1, 1_000_000)
            .byDefault(100) // what a page with its parts asks for at once
            .says("Requests that one client address may send at once before client-rate counts.");

    public static final Setting<Integer> CLIENT_ADDRESSES_MAX = ALL.count(
                    "client-addresses-max", "addresses", 1, 1 << 24)
            .byDefault(65_536) // some 8 MB
            .says(
                    "Most addresses without a connection whose rate is remembered; the longest gone are forgotten first.");

    public static final Setting<Integer> LOGIN_TRIES = ALL.count("login-tries", "passwords", 1, 1_000_000)
            .byDefault(5) // fail2ban's maxretry
            .says(
                    "Wrong passwords that one client address may send at once. Then one each second is looked at, and more are answered 429.");

    public static final Setting<Long> CONNECTION_RATE_MAX = ALL.of(
                    "connection-rate-max", "bytes per second", ValueTypes.zeroOrSize(1 << 10, 1 << 30))
            .byDefault(0L)
            .says("Most bytes that one connection is sent in the long run; more than write-rate-min. 0 B: no limit.");

    public static final Setting<List<AddressRange>> TRUSTED_PROXIES = ALL.of(
                    "trusted-proxies",
                    "list of addresses",
                    ValueTypes.lines("ADDRESS or ADDRESS/BITS", AddressRange::parse, ranges -> true))
            .byDefault(List.of())
            .says(
                    "Proxies that are believed when they say who the client is, for the access log and client-rate; their own connections are not limited. SWS_TRUSTED_PROXIES has one a line.");

    public static final Setting<ProxyTrust.Field> PROXY_FIELD = ALL.of(
                    "proxy-field", "name of a field", ValueTypes.oneOf(ProxyTrust.Field.class))
            .byDefault(ProxyTrust.Field.X_FORWARDED_FOR)
            .says("What trusted proxies name the client in. Of a list the last address counts that is none of theirs.");

    public static final Setting<Boolean> PROXY_PROTOCOL = ALL.yesOrNo("proxy-protocol")
            .byDefault(false)
            .says(
                    "Connections of trusted proxies begin with a header of the PROXY protocol, version 1 or 2; one without it is closed.");

    public static final Setting<Duration> OVERLOAD_TARGET = ALL.time("overload-target", Duration.ZERO, TIME_MAX)
            .byDefault(Duration.ofMillis(50)) // what a person notices; some fifty times what 1,000 busy clients make
            .says(
                    "When no request has waited less than this for overload-interval, newcomers that would wait longer are answered 503, and requests that have waited three times as long. 0 s: none is.");

    public static final Setting<Duration> OVERLOAD_INTERVAL = ALL.time("overload-interval", TIME_MIN, TIME_MAX)
            .byDefault(Duration.ofSeconds(1))
            .says("How long the wait of all requests must exceed overload-target.");

    // Times.

    public static final Setting<Duration> IDLE_TIMEOUT = ALL.time("idle-timeout", TIME_MIN, TIME_MAX)
            .byDefault(Duration.ofSeconds(75)) // nginx's keepalive_timeout
            .says("A kept-alive connection without a request is closed after this time.");

    public static final Setting<Duration> HEADER_TIMEOUT = ALL.time("header-timeout", TIME_MIN, TIME_MAX)
            .byDefault(Duration.ofSeconds(20))
            .says("Longest time from a request's first byte to the end of its head; then 408.");

    /** Of a body that an application takes it begins anew as long as it comes at {@link #WRITE_RATE_MIN}. */
    public static final Setting<Duration> BODY_TIMEOUT = ALL.time("body-timeout", TIME_MIN, TIME_MAX)
            .byDefault(Duration.ofSeconds(20))
            .says("Longest time for the body of a request, which is read and thrown away; then 408.");

    public static final Setting<Duration> WRITE_TIMEOUT = ALL.time("write-timeout", TIME_MIN, TIME_MAX)
            .byDefault(Duration.ofSeconds(60)) // nginx's send_timeout
            .says("A client that takes no byte of its response for this time is disconnected.");

    public static final Setting<Long> WRITE_RATE_MIN = ALL.of(
                    "write-rate-min", "bytes per second", ValueTypes.size(0, 1 << 20))
            .byDefault(500L) // what mod_reqtimeout asks of senders
            .says(
                    "A client that takes less of its response in write-timeout, on average, is disconnected. 0 B: one byte is enough.");

    public static final Setting<Duration> DRAIN_DEADLINE =
            ALL.add(CommonSettings.drainDeadline(Duration.ofSeconds(10), TIME_MAX));

    // Limits of a request.

    public static final Setting<Integer> MAX_REQUESTS_PER_CONNECTION = ALL.count(
                    "max-requests-per-connection", "requests", 0, Integer.MAX_VALUE)
            .byDefault(0)
            .says("A connection is closed after this many requests. 0 is unlimited.");

    public static final Setting<Boolean> HTTP2 = ALL.yesOrNo("http2")
            .byDefault(true)
            .says("Speaks HTTP/2 with clients that ask for it: by TLS, or without if they begin with it.");

    public static final Setting<Integer> HTTP2_STREAMS_MAX = ALL.count("http2-streams-max", "requests", 1, 1_000)
            .byDefault(100) // the least that RFC 9113 6.5.2 recommends
            .says(
                    "Most requests at once on one connection by HTTP/2. One more is reset, and the client may send it again.");

    public static final Setting<Long> REQUEST_LINE_MAX = ALL.size("request-line-max", 64, 1 << 16)
            .byDefault(8L << 10) // as nginx
            .says("Longest request line; a longer one is answered 414.");

    public static final Setting<Long> HEADER_MAX = ALL.size("header-max", 128, 1 << 20)
            .byDefault(32L << 10) // nginx's four buffers of 8 KiB
            .says(
                    "Longest head of a request, its first line included; a longer one is answered 431. At least request-line-max.");

    public static final Setting<Integer> HEADER_COUNT_MAX = ALL.count("header-count-max", "header fields", 1, 1 << 16)
            .byDefault(100)
            .says("Most header fields of a request; more are answered 431.");

    public static final Setting<Long> BODY_MAX = ALL.size("body-max", 0, Long.MAX_VALUE)
            .byDefault(1L << 20) // as nginx
            .says("Longest body of a request that is read and thrown away; a longer one is answered 413.");

    // The cache.

    public static final Setting<Long> CACHE_BUDGET = ALL.size("cache-budget", 0, Long.MAX_VALUE)
            .byDefault(64L << 20)
            .says("Native memory for responses kept ready. 0 turns the cache off.");

    public static final Setting<Long> CACHE_FILE_MAX = ALL.size("cache-file-max", 0, 1 << 20)
            .ofSite()
            .byDefault(64L << 10)
            .says("Largest file that is kept in memory. Larger ones are sent from the file without a copy.");

    public static final Setting<Duration> CACHE_REVALIDATION = ALL.time("cache-revalidation", Duration.ZERO, TIME_MAX)
            .ofSite()
            .byDefault(Duration.ofSeconds(1))
            .says(
                    "A cached file that is asked for is compared with the disk when its last check is older. 0 s checks each time.");

    public static final Setting<Integer> CACHE_MISSES_MAX = ALL.count("cache-misses-max", "paths", 0, 1 << 20)
            .ofSite()
            .byDefault(1024)
            .says("Most paths of which \"there is no such file\" is remembered, for the time of cache-revalidation.");

    public static final Setting<Integer> OPEN_FILES_MAX = ALL.count("open-files-max", "files", 0, 1 << 16)
            .byDefault(64)
            .says("Most large files kept open between requests. Further ones are opened for each request.");

    public static final Setting<Long> SLICE = ALL.size("slice", 1 << 12, 1 << 30)
            .byDefault(512L << 10) // some 100 microseconds of copying
            .says("Most bytes of one large file that are sent before other connections of that core get their turn.");

    // What clients see.

    public static final Setting<List<String>> INDEX_FILES = ALL.of(
                    "index-files",
                    "list of names",
                    ValueTypes.list("file names without slash or leading dot", SwsSettings::isIndexName))
            .ofSite()
            .byDefault(List.of("index.html"))
            .says("Names tried, in order, for a path that ends in a slash. SWS_INDEX_FILES separates them by commas.");

    public static final Setting<Boolean> LISTING = ALL.yesOrNo("listing")
            .ofSite()
            .byDefault(false) // as nginx (autoindex)
            .says("Answers a folder that has no index file with a list of its files, a page or JSON, instead of 404.");

    public static final Setting<List<Fallback>> FALLBACKS = ALL.of(
                    "fallbacks",
                    "list of PREFIX FILE",
                    ValueTypes.lines(
                            "PREFIX FILE, both paths of requests, the prefix with a slash at its end, each once",
                            Fallback::parse,
                            rules -> rules.size() <= Fallback.RULES_MAX
                                    && ValueTypes.areDistinct(rules, Fallback::prefix)))
            .ofSite()
            .byDefault(List.of())
            .says(
                    "Sends FILE with 200 for a path below PREFIX that leads to nothing, to clients that take HTML. SWS_FALLBACKS has one a line.");

    public static final Setting<List<String>> TRY_SUFFIXES = ALL.of(
                    "try-suffixes",
                    "list of ends",
                    ValueTypes.list("ends of file names, without slashes", SwsSettings::isSuffix))
            .ofSite()
            .byDefault(List.of())
            .says(
                    "Added in order to a path that leads to no file: with [\".html\"], /about is about.html, also beside a folder. SWS_TRY_SUFFIXES separates them by commas.");

    public static final Setting<List<Redirect>> REDIRECTS = rules(
                    "redirects",
                    "STATUS PATTERN TARGET",
                    "STATUS PATTERN TARGET; 301, 302, 303, 307 or 308; a path or an http or https URI, in which $1 to $9 are what the stars stand for",
                    Redirect.RULES_MAX,
                    Redirect::parse)
            .says(
                    "Sends clients elsewhere, as \"301 /old/** /new/$1\"; the first rule that matches counts, the query is kept. SWS_REDIRECTS has one a line.");

    public static final Setting<List<Rewrite>> REWRITES = rules(
                    "rewrites",
                    "PATTERN TARGET",
                    "PATTERN TARGET; a path, in which $1 to $9 are what the stars stand for",
                    Rewrite.RULES_MAX,
                    Rewrite::parse)
            .says(
                    "Answers with what is at another path, as \"/v*/app.js /app.js\"; the first rule that matches counts. SWS_REWRITES has one a line.");

    public static final Setting<List<AccessRule>> ACCESS = rules(
                    "access",
                    "PATTERN allow or deny ADDRESS",
                    "PATTERN allow ADDRESS or PATTERN deny ADDRESS; an address, ADDRESS/BITS or all",
                    AccessRule.RULES_MAX,
                    AccessRule::parse)
            .says(
                    "Who is answered 403, as [\"/admin/** allow 10.0.0.0/8\", \"/admin/** deny all\"]; the first rule that matches counts. SWS_ACCESS has one a line.");

    public static final Setting<List<LoginRule>> LOGINS = rules(
                    "logins",
                    "PATTERN FILE REALM",
                    "PATTERN FILE or PATTERN FILE REALM",
                    LoginRule.RULES_MAX,
                    LoginRule::parse)
            .says(
                    "Asks for a name and a password (basic authentication). The file is of htpasswd -B, and is read at start and by a reload. SWS_LOGINS has one a line.");

    public static final Setting<List<String>> HOSTS = ALL.of(
                    "hosts",
                    "list of names",
                    ValueTypes.list("names without ports, or *. and a name", HostNames::isName))
            .reloads()
            .byDefault(List.of())
            .says(
                    "Requests for other hosts are answered 421, as by a page whose name was bent to this machine. Empty: any host. SWS_HOSTS separates them by commas.");

    public static final Setting<Integer> RANGES_MAX = ALL.count("ranges-max", "ranges", 1, 1000) // each takes a head
            .ofSite()
            .byDefault(256) // zchunk, which asks for most, has 255
            .says("Most ranges in one request; if there are more, the whole file is sent.");

    public static final Setting<Boolean> HIDDEN_FILES = ALL.yesOrNo("hidden-files")
            .ofSite()
            .byDefault(false)
            .says("Serves names that begin with a dot. Without it they are 404, except below /.well-known/.");

    public static final Setting<Boolean> SYMLINKS = ALL.yesOrNo("symlinks")
            .ofSite()
            .byDefault(true)
            .says("Follows symbolic links that stay inside the root. Without it a path with a link in it is 404.");

    public static final Setting<List<Coding>> PRECOMPRESSED = ALL.of(
                    "precompressed",
                    "list of codings",
                    ValueTypes.words("br, zstd or gzip", Coding::parse, String::valueOf))
            .ofSite()
            .byDefault(List.of()) // as nginx (gzip_static)
            .says(
                    "Sends a.css.br, a.css.zst or a.css.gz for a.css if they are there, not older, and accepted by the client.");

    public static final Setting<Boolean> GZIP = ALL.yesOrNo("gzip")
            .ofSite()
            .byDefault(false) // as nginx
            .says(
                    "Compresses text and the like for clients that accept gzip, once, and keeps the result in the cache.");

    public static final Setting<Integer> GZIP_LEVEL = ALL.count("gzip-level", "level", 1, 9)
            .ofSite()
            .byDefault(6) // zlib's own
            .says("1 is fast, 9 is short. A file is compressed once for each of its states.");

    public static final Setting<Long> GZIP_FILE_MIN = ALL.size("gzip-file-min", 1, 1 << 20)
            .ofSite()
            .byDefault(1L << 10) // what fits into one packet anyway
            .says("Shortest file that is compressed.");

    public static final Setting<Long> GZIP_FILE_MAX = ALL.size("gzip-file-max", 1, 1 << 26)
            .ofSite()
            .byDefault(1L << 20) // some 30 ms of work
            .says("Longest file that is compressed; in any case no more than a quarter of cache-budget.");

    public static final Setting<List<ErrorPage>> ERROR_PAGES = ALL.of(
                    "error-pages",
                    "list of STATUS FILE",
                    ValueTypes.lines(
                            "STATUS FILE, for a status of 400 to 505 that SWS answers, each once",
                            ErrorPage::parse,
                            pages -> ValueTypes.areDistinct(pages, ErrorPage::status)))
            .ofSite()
            .byDefault(List.of())
            .says(
                    "Files sent with error responses, at most 1 MiB each, relative to root. A changed one is seen like any file; the built-in page replaces a missing one. SWS_ERROR_PAGES has one a line.");

    public static final Setting<List<HeaderRule>> HEADERS = rules(
                    "headers",
                    "PATTERN NAME: VALUE",
                    "PATTERN NAME: VALUE, for a field that SWS does not send itself; at most 1000 lines, patterns of at most 1000 and values of at most 8192 characters",
                    HeaderRule.RULES_MAX,
                    HeaderRule::parse)
            .says(
                    "Fields added to the responses for files whose path matches the pattern. SWS_HEADERS has one a line.");

    /** A rule of {@link #HEADERS} for the same field wins. */
    public static final Setting<List<HeaderRule>> HEADERS_ALWAYS = rules(
                    "headers-always",
                    "PATTERN NAME: VALUE",
                    "as for headers, at most 2048 characters in one response",
                    HeaderRule.RULES_MAX,
                    HeaderRule::parse)
            .says(
                    "Fields added to every answer: files, errors, redirects, lists, OPTIONS. A preflight of CORS gets them, too. SWS_HEADERS_ALWAYS has one a line.");

    public static final Setting<List<CorsRule>> CORS = rules(
                    "cors",
                    "PATTERN ORIGINS",
                    "PATTERN *, PATTERN none, or PATTERN and origins as https://NAME, https://NAME:PORT or https://*.NAME, behind them credentials or nothing; the pattern may be fonts",
                    CorsRule.RULES_MAX,
                    CorsRule::parse)
            .says(
                    "Which pages of other origins may read, as [\"fonts *\", \"/data/** https://app.example\"]; the last rule that matches counts. It answers preflights, and says Vary: Origin where that matters. SWS_CORS has one a line.");

    public static final Setting<List<TypeRule>> TYPES = rules(
                    "types",
                    "PATTERN TYPE",
                    "PATTERN TYPE or PATTERN TYPE encoding=CODING; the pattern is .EXTENSION, or begins with / or *; at most 1000 lines",
                    TypeRule.RULES_MAX,
                    TypeRule::parse)
            .says(
                    "Content-Type of files in place of the built-in one, as \".htm text/html; charset=windows-1251\" or \".svgz image/svg+xml encoding=gzip\". The last that matches counts; no charset is added. SWS_TYPES has one a line.");

    public static final Setting<Boolean> NOSNIFF = ALL.yesOrNo("nosniff")
            .ofSite()
            .byDefault(true)
            .says(
                    "Sends X-Content-Type-Options: nosniff with files. Without it browsers may guess the type of scripts without extension.");

    public static final Setting<String> SERVER_NAME = ALL.of(
                    "server-name",
                    "text",
                    ValueTypes.text(
                            "empty, a token, or token/version",
                            name -> TOKEN.matcher(name).matches()))
            .byDefault("SWS")
            .says("Value of the Server header field. Empty leaves the field out.");

    // The access log.

    public static final Setting<String> ACCESS_LOG = ALL.of(
                    "access-log",
                    "path, relative to the current folder",
                    ValueTypes.text("empty, - or a path", ValueTypes::isFile))
            .reloads()
            .byDefault("")
            .says("File that gets a line for each answer. - is standard error; empty: there is none.");

    public static final Setting<LogFormat> ACCESS_LOG_FORMAT = ALL.of(
                    "access-log-format", "one word", ValueTypes.oneOf(LogFormat.class))
            .byDefault(LogFormat.COMBINED)
            .says("Lines as Apache and nginx write them (combined), or an object each (json).");

    /** Rounded up to a power of two. */
    public static final Setting<Long> ACCESS_LOG_BUFFER = ALL.size("access-log-buffer", 1 << 16, 1 << 26)
            .byDefault(1L << 20) // about 5,000 lines
            .says(
                    "Room for lines of one thread that are not written yet. When the disk is so slow that it is full, lines are dropped and counted.");

    public static final Setting<Long> ACCESS_LOG_ROTATE = ALL.size("access-log-rotate", 0, Long.MAX_VALUE)
            .reloads()
            .byDefault(100L << 20)
            .says("Size at which the file becomes NAME.1 and a new one is begun. 0 B: never.");

    public static final Setting<Duration> ACCESS_LOG_ROTATE_EVERY = ALL.time(
                    "access-log-rotate-every", Duration.ZERO, TIME_MAX)
            .reloads()
            .byDefault(Duration.ZERO)
            .says("The same at the end of each such time, in UTC: 1 d is at midnight. 0 s: never.");

    public static final Setting<Integer> ACCESS_LOG_KEEP = ALL.count("access-log-keep", "files", 0, 1000)
            .reloads()
            .byDefault(10)
            .says("Rotated files that are kept: NAME.1 is the latest.");

    private SwsSettings() {}

    /**
     * The whole table.
     *
     * @return in the order of the reference
     */
    public static List<Setting<?>> all() {
        return ALL.and(TlsSettings.all().toArray(new Setting<?>[0]));
    }

    /** Lines that each site has of its own; none by default. */
    private static <T> Setting.Sentence<List<T>> rules(
            String key, String items, String allowed, int most, Function<String, @Nullable T> parser) {
        return ALL.of(key, "list of " + items, ValueTypes.lines(allowed, most, parser))
                .ofSite()
                .byDefault(List.of());
    }

    private static boolean isIndexName(String name) {
        return !name.isEmpty() && !name.startsWith(".") && name.indexOf('/') < 0 && name.indexOf('\0') < 0;
    }

    private static boolean isSuffix(String text) {
        return !text.isEmpty() && text.chars().noneMatch(c -> c == '/' || c == '\\' || c < ' ' || c == 0x7f);
    }
}
