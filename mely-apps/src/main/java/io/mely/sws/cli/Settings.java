// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.Stealing;
import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingTable;
import io.mely.cli.ValueTypes;
import io.mely.sws.SiteRules;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsConfig.Listeners;
import io.mely.sws.SwsConfig.Transport;
import io.mely.sws.UnixSocket;
import io.mely.sws.files.Fallback;
import io.mely.sws.files.TypeRule;
import io.mely.sws.http.Coding;
import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.HostNames;
import io.mely.sws.log.LogFormat;
import io.mely.sws.proxy.AddressRange;
import io.mely.sws.proxy.ProxyTrust;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All settings of SWS, in the order of the reference. Keys are the fields of {@link SwsConfig} with dashes and without
 * "Bytes", for a size carries its unit in its value.
 *
 * <p>Ranges are those that {@link SwsConfig} checks; a test compares the two at every bound.
 */
final class Settings {
    private static final Duration TIME_MIN = Duration.ofMillis(1);
    private static final Pattern TOKEN =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+(/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?)?");

    static final Setting<Path> ROOT = new Setting<>(
            "root",
            true,
            ValueTypes.path(),
            "path, relative to the current folder",
            Path.of("."),
            "The folder that is served. Nothing outside it ever is.");

    static final Setting<Integer> PORT = CommonSettings.port(SwsConfig.Builder.PORT);

    static final Setting<String> BIND = CommonSettings.BIND;

    static final Setting<String> UNIX_SOCKET = new Setting<>(
            "unix-socket",
            false,
            ValueTypes.text(
                    "empty, PATH or PATH MODE, where MODE is as of chmod",
                    text -> text.isEmpty() || UnixSocket.parse(text) != null),
            "path and permissions",
            "",
            "Listens at this Unix socket in place of bind and port, as \"/run/sws/http.sock 660\", which is the MODE if there is none. Its clients count as 127.0.0.1.");

    static final Setting<String> ADMIN = CommonSettings.ADMIN;

    static final Setting<Integer> CORES = CommonSettings.cores(SwsConfig.Builder.CORES);

    static final Setting<Boolean> PINNED = CommonSettings.pinned(SwsConfig.Builder.PINNED);

    static final Setting<Stealing> STEALING = CommonSettings.STEALING;

    static final Setting<String> STAGES = CommonSettings.STAGES;

    static final Setting<Integer> MAX_CLIENTS = CommonSettings.maxClients(SwsConfig.Builder.MAX_CLIENTS);

    static final Setting<Integer> CLIENT_CONNECTIONS_MAX = new Setting<>(
            "client-connections-max",
            false,
            ValueTypes.count(0, 1 << 24),
            "connections",
            SwsConfig.Builder.CLIENT_CONNECTIONS_MAX,
            "Most connections of one client address at once (IPv6: of a /64). One more is answered 429 and closed. 0 is unlimited.");

    static final Setting<Integer> CLIENT_RATE = CommonSettings.clientRate(SwsConfig.Builder.CLIENT_RATE);

    static final Setting<Integer> CLIENT_BURST = new Setting<>(
            "client-burst",
            false,
            ValueTypes.count(1, 1_000_000),
            "requests",
            SwsConfig.Builder.CLIENT_BURST,
            "Requests that one client address may send at once before client-rate counts.");

    static final Setting<Integer> CLIENT_ADDRESSES_MAX = new Setting<>(
            "client-addresses-max",
            false,
            ValueTypes.count(1, 1 << 24),
            "addresses",
            SwsConfig.Builder.CLIENT_ADDRESSES_MAX,
            "Most addresses without a connection whose rate is remembered; the longest gone are forgotten first.");

    static final Setting<List<AddressRange>> TRUSTED_PROXIES = new Setting<>(
            "trusted-proxies",
            false,
            ValueTypes.lines("ADDRESS or ADDRESS/BITS", lines -> parsed(lines, AddressRange::parse)),
            "list of addresses",
            ProxyTrust.NONE.trusted(),
            "Proxies that are believed when they say who the client is, for the access log and client-rate; their own connections are not limited. SWS_TRUSTED_PROXIES has one a line.");

    static final Setting<ProxyTrust.Field> PROXY_FIELD = new Setting<>(
            "proxy-field",
            false,
            ValueTypes.oneOf(proxyFieldWords()),
            "name of a field",
            ProxyTrust.NONE.field(),
            "What trusted proxies name the client in. Of a list the last address counts that is none of theirs.");

    static final Setting<Boolean> PROXY_PROTOCOL = new Setting<>(
            "proxy-protocol",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            ProxyTrust.NONE.protocol(),
            "Connections of trusted proxies begin with a header of the PROXY protocol, version 1 or 2; one without it is closed.");

    static final Setting<Duration> OVERLOAD_TARGET = new Setting<>(
            "overload-target",
            false,
            ValueTypes.time(Duration.ZERO, SwsConfig.Builder.TIME_MAX),
            "time",
            SwsConfig.Builder.OVERLOAD_TARGET,
            "When no request has waited less than this for overload-interval, newcomers that would wait longer are answered 503, and requests that have waited three times as long. 0 s: none is.");

    static final Setting<Duration> OVERLOAD_INTERVAL = new Setting<>(
            "overload-interval",
            false,
            ValueTypes.time(TIME_MIN, SwsConfig.Builder.TIME_MAX),
            "time",
            SwsConfig.Builder.OVERLOAD_INTERVAL,
            "How long the wait of all requests must exceed overload-target.");

    static final Setting<Boolean> STATS = CommonSettings.STATS;

    static final Setting<Transport> TRANSPORT =
            CommonSettings.transport(Transport.AUTO, Transport.EPOLL, Transport.NIO);

    static final Setting<Integer> BACKLOG = CommonSettings.backlog(SwsConfig.Builder.BACKLOG);

    static final Setting<Listeners> LISTENERS = new Setting<>(
            "listeners",
            false,
            ValueTypes.oneOf(listenersWords()),
            "one word",
            SwsConfig.Builder.LISTENERS,
            "Who accepts: one core for all (one), or each core its own, whom the kernel chooses by the client's address (per-core).");

    static final Setting<Duration> IDLE_TIMEOUT = new Setting<>(
            "idle-timeout",
            false,
            ValueTypes.time(TIME_MIN, SwsConfig.Builder.TIME_MAX),
            "time",
            SwsConfig.Builder.IDLE_TIMEOUT,
            "A kept-alive connection without a request is closed after this time.");

    static final Setting<Duration> HEADER_TIMEOUT = new Setting<>(
            "header-timeout",
            false,
            ValueTypes.time(TIME_MIN, SwsConfig.Builder.TIME_MAX),
            "time",
            SwsConfig.Builder.HEADER_TIMEOUT,
            "Longest time from a request's first byte to the end of its head; then 408.");

    static final Setting<Duration> BODY_TIMEOUT = new Setting<>(
            "body-timeout",
            false,
            ValueTypes.time(TIME_MIN, SwsConfig.Builder.TIME_MAX),
            "time",
            SwsConfig.Builder.BODY_TIMEOUT,
            "Longest time for the body of a request, which is read and thrown away; then 408.");

    static final Setting<Duration> WRITE_TIMEOUT = new Setting<>(
            "write-timeout",
            false,
            ValueTypes.time(TIME_MIN, SwsConfig.Builder.TIME_MAX),
            "time",
            SwsConfig.Builder.WRITE_TIMEOUT,
            "A client that takes no byte of its response for this time is disconnected.");

    static final Setting<Long> WRITE_RATE_MIN = new Setting<>(
            "write-rate-min",
            false,
            ValueTypes.size(0, 1 << 20),
            "bytes per second",
            (long) SwsConfig.Builder.WRITE_RATE_MIN_BYTES,
            "A client that takes less of its response in write-timeout, on average, is disconnected. 0 B: one byte is enough.");

    static final Setting<Duration> DRAIN_DEADLINE =
            CommonSettings.drainDeadline(SwsConfig.Builder.DRAIN_DEADLINE, SwsConfig.Builder.TIME_MAX);

    static final Setting<Integer> MAX_REQUESTS_PER_CONNECTION = new Setting<>(
            "max-requests-per-connection",
            false,
            ValueTypes.count(0, Integer.MAX_VALUE),
            "requests",
            SwsConfig.Builder.MAX_REQUESTS_PER_CONNECTION,
            "A connection is closed after this many requests. 0 is unlimited.");

    static final Setting<Boolean> HTTP2 = new Setting<>(
            "http2",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SwsConfig.Builder.HTTP2,
            "Speaks HTTP/2 with clients that ask for it: by TLS, or without if they begin with it.");

    static final Setting<Integer> HTTP2_STREAMS_MAX = new Setting<>(
            "http2-streams-max",
            false,
            ValueTypes.count(1, 1_000),
            "requests",
            SwsConfig.Builder.HTTP2_STREAMS_MAX,
            "Most requests at once on one connection by HTTP/2. One more is reset, and the client may send it again.");

    static final Setting<Long> REQUEST_LINE_MAX = new Setting<>(
            "request-line-max",
            false,
            ValueTypes.size(64, 1 << 16),
            "size",
            (long) SwsConfig.Builder.REQUEST_LINE_BYTES_MAX,
            "Longest request line; a longer one is answered 414.");

    static final Setting<Long> HEADER_MAX = new Setting<>(
            "header-max",
            false,
            ValueTypes.size(128, 1 << 20),
            "size",
            (long) SwsConfig.Builder.HEADER_BYTES_MAX,
            "Longest head of a request, its first line included; a longer one is answered 431. At least request-line-max.");

    static final Setting<Integer> HEADER_COUNT_MAX = new Setting<>(
            "header-count-max",
            false,
            ValueTypes.count(1, 1 << 16),
            "header fields",
            SwsConfig.Builder.HEADER_COUNT_MAX,
            "Most header fields of a request; more are answered 431.");

    static final Setting<Long> BODY_MAX = new Setting<>(
            "body-max",
            false,
            ValueTypes.size(0, Long.MAX_VALUE),
            "size",
            SwsConfig.Builder.BODY_BYTES_MAX,
            "Longest body of a request that is read and thrown away; a longer one is answered 413.");

    static final Setting<Long> CACHE_BUDGET = new Setting<>(
            "cache-budget",
            false,
            ValueTypes.size(0, Long.MAX_VALUE),
            "size",
            SwsConfig.Builder.CACHE_BUDGET_BYTES,
            "Native memory for responses kept ready. 0 turns the cache off.");

    static final Setting<Long> CACHE_FILE_MAX = new Setting<>(
            "cache-file-max",
            false,
            ValueTypes.size(0, 1 << 20),
            "size",
            (long) SwsConfig.Builder.CACHE_FILE_BYTES_MAX,
            "Largest file that is kept in memory. Larger ones are sent from the file without a copy.");

    static final Setting<Duration> CACHE_REVALIDATION = new Setting<>(
            "cache-revalidation",
            false,
            ValueTypes.time(Duration.ZERO, SwsConfig.Builder.TIME_MAX),
            "time",
            SwsConfig.Builder.CACHE_REVALIDATION,
            "A cached file that is asked for is compared with the disk when its last check is older. 0 s checks each time.");

    static final Setting<Integer> CACHE_MISSES_MAX = new Setting<>(
            "cache-misses-max",
            false,
            ValueTypes.count(0, 1 << 20),
            "paths",
            SwsConfig.Builder.CACHE_MISSES_MAX,
            "Most paths of which \"there is no such file\" is remembered, for the time of cache-revalidation.");

    static final Setting<Integer> OPEN_FILES_MAX = new Setting<>(
            "open-files-max",
            false,
            ValueTypes.count(0, 1 << 16),
            "files",
            SwsConfig.Builder.OPEN_FILES_MAX,
            "Most large files kept open between requests. Further ones are opened for each request.");

    static final Setting<Long> SLICE = new Setting<>(
            "slice",
            false,
            ValueTypes.size(1 << 12, 1 << 30),
            "size",
            (long) SwsConfig.Builder.SLICE_BYTES,
            "Most bytes of one large file that are sent before other connections of that core get their turn.");

    static final Setting<List<String>> INDEX_FILES = new Setting<>(
            "index-files",
            false,
            ValueTypes.list("file names without slash or leading dot", Settings::isIndexName),
            "list of names",
            SwsConfig.Builder.INDEX_FILES,
            "Names tried, in order, for a path that ends in a slash. SWS_INDEX_FILES separates them by commas.");

    static final Setting<Boolean> LISTING = new Setting<>(
            "listing",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SwsConfig.Builder.LISTING,
            "Answers a folder that has no index file with a list of its files, a page or JSON, instead of 404.");

    static final Setting<List<Fallback>> FALLBACKS = new Setting<>(
            "fallbacks",
            false,
            ValueTypes.lines(
                    "PREFIX FILE, both paths of requests, the prefix with a slash at its end, each once",
                    Settings::fallbacks),
            "list of PREFIX FILE",
            SwsConfig.Builder.FALLBACKS,
            "Sends FILE with 200 for a path below PREFIX that leads to nothing, to clients that take HTML. SWS_FALLBACKS has one a line.");

    static final Setting<List<String>> TRY_SUFFIXES = new Setting<>(
            "try-suffixes",
            false,
            ValueTypes.list("ends of file names, without slashes", SiteRules::isSuffix),
            "list of ends",
            SiteRules.DEFAULT.trySuffixes(),
            "Added in order to a path that leads to no file: with [\".html\"], /about is about.html, also beside a folder. SWS_TRY_SUFFIXES separates them by commas.");

    static final Setting<List<String>> HOSTS = new Setting<>(
            "hosts",
            false,
            ValueTypes.list("names without ports, or *. and a name", HostNames::isName),
            "list of names",
            SiteRules.DEFAULT.hosts(),
            "Requests for other hosts are answered 421, as by a page whose name was bent to this machine. Empty: any host. SWS_HOSTS separates them by commas.");

    static final Setting<Integer> RANGES_MAX = new Setting<>(
            "ranges-max",
            false,
            ValueTypes.count(1, 1000),
            "ranges",
            SiteRules.DEFAULT.rangesMax(),
            "Most ranges in one request; if there are more, the whole file is sent.");

    static final Setting<Boolean> HIDDEN_FILES = new Setting<>(
            "hidden-files",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SwsConfig.Builder.HIDDEN_FILES,
            "Serves names that begin with a dot. Without it they are 404, except below /.well-known/.");

    static final Setting<Boolean> SYMLINKS = new Setting<>(
            "symlinks",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SwsConfig.Builder.SYMLINKS,
            "Follows symbolic links that stay inside the root. Without it a path with a link in it is 404.");

    static final Setting<List<Coding>> PRECOMPRESSED = new Setting<>(
            "precompressed",
            false,
            ValueTypes.lines("br, zstd or gzip", Settings::codings),
            "list of codings",
            SwsConfig.Builder.PRECOMPRESSED,
            "Sends a.css.br, a.css.zst or a.css.gz for a.css if they are there, not older, and accepted by the client.");

    static final Setting<Boolean> GZIP = new Setting<>(
            "gzip",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SwsConfig.Builder.GZIP,
            "Compresses text and the like for clients that accept gzip, once, and keeps the result in the cache.");

    static final Setting<Integer> GZIP_LEVEL = new Setting<>(
            "gzip-level",
            false,
            ValueTypes.count(1, 9),
            "level",
            SwsConfig.Builder.GZIP_LEVEL,
            "1 is fast, 9 is short. A file is compressed once for each of its states.");

    static final Setting<Long> GZIP_FILE_MIN = new Setting<>(
            "gzip-file-min",
            false,
            ValueTypes.size(1, 1 << 20),
            "size",
            (long) SwsConfig.Builder.GZIP_FILE_MIN_BYTES,
            "Shortest file that is compressed.");

    static final Setting<Long> GZIP_FILE_MAX = new Setting<>(
            "gzip-file-max",
            false,
            ValueTypes.size(1, 1 << 26),
            "size",
            (long) SwsConfig.Builder.GZIP_FILE_MAX_BYTES,
            "Longest file that is compressed; in any case no more than a quarter of cache-budget.");

    static final Setting<List<ErrorPage>> ERROR_PAGES = new Setting<>(
            "error-pages",
            false,
            ValueTypes.lines(
                    "STATUS FILE, for a status of 400 to 505 that SWS answers, each once", Settings::errorPages),
            "list of STATUS FILE",
            SwsConfig.Builder.ERROR_PAGES,
            "Files sent with error responses, at most 1 MiB each, relative to root. A changed one is seen like any file; the built-in page replaces a missing one. SWS_ERROR_PAGES has one a line.");

    static final Setting<List<HeaderRule>> HEADERS = new Setting<>(
            "headers",
            false,
            ValueTypes.lines(
                    "PATTERN NAME: VALUE, for a field that SWS does not send itself; at most 1000 lines, patterns of at most 1000 and values of at most 8192 characters",
                    Settings::headerRules),
            "list of PATTERN NAME: VALUE",
            SwsConfig.Builder.HEADERS,
            "Fields added to the responses for files whose path matches the pattern. SWS_HEADERS has one a line.");

    static final Setting<List<HeaderRule>> HEADERS_ALWAYS = new Setting<>(
            "headers-always",
            false,
            ValueTypes.lines("as for headers, at most 2048 characters in one response", Settings::headerRules),
            "list of PATTERN NAME: VALUE",
            SiteRules.DEFAULT.headersAlways(),
            "Fields added to every answer: files, errors, redirects, lists, OPTIONS. A preflight of CORS gets them, too. SWS_HEADERS_ALWAYS has one a line.");

    static final Setting<List<TypeRule>> TYPES = new Setting<>(
            "types",
            false,
            ValueTypes.lines(
                    "PATTERN TYPE or PATTERN TYPE encoding=CODING; the pattern is .EXTENSION, or begins with / or *; at most 1000 lines",
                    Settings::typeRules),
            "list of PATTERN TYPE",
            SiteRules.DEFAULT.types(),
            "Content-Type of files in place of the built-in one, as \".htm text/html; charset=windows-1251\" or \".svgz image/svg+xml encoding=gzip\". The last that matches counts; no charset is added. SWS_TYPES has one a line.");

    static final Setting<Boolean> NOSNIFF = new Setting<>(
            "nosniff",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SiteRules.DEFAULT.nosniff(),
            "Sends X-Content-Type-Options: nosniff with files. Without it browsers may guess the type of scripts without extension.");

    static final Setting<String> ACCESS_LOG = new Setting<>(
            "access-log",
            false,
            ValueTypes.text("empty, - or a path", SwsConfig::isPath),
            "path, relative to the current folder",
            SwsConfig.Builder.ACCESS_LOG,
            "File that gets a line for each answer. - is standard error; empty: there is none.");

    static final Setting<LogFormat> ACCESS_LOG_FORMAT = new Setting<>(
            "access-log-format",
            false,
            ValueTypes.oneOf(logFormatWords()),
            "one word",
            SwsConfig.Builder.ACCESS_LOG_FORMAT,
            "Lines as Apache and nginx write them (combined), or an object each (json).");

    static final Setting<Long> ACCESS_LOG_BUFFER = new Setting<>(
            "access-log-buffer",
            false,
            ValueTypes.size(1 << 16, 1 << 26),
            "size",
            (long) SwsConfig.Builder.ACCESS_LOG_BUFFER_BYTES,
            "Room for lines of one thread that are not written yet. When the disk is so slow that it is full, lines are dropped and counted.");

    static final Setting<Long> ACCESS_LOG_ROTATE = new Setting<>(
            "access-log-rotate",
            false,
            ValueTypes.size(0, Long.MAX_VALUE),
            "size",
            SwsConfig.Builder.ACCESS_LOG_ROTATE_BYTES,
            "Size at which the file becomes NAME.1 and a new one is begun. 0 B: never.");

    static final Setting<Duration> ACCESS_LOG_ROTATE_EVERY = new Setting<>(
            "access-log-rotate-every",
            false,
            ValueTypes.time(Duration.ZERO, SwsConfig.Builder.TIME_MAX),
            "time",
            SwsConfig.Builder.ACCESS_LOG_ROTATE_EVERY,
            "The same at the end of each such time, in UTC: 1 d is at midnight. 0 s: never.");

    static final Setting<Integer> ACCESS_LOG_KEEP = new Setting<>(
            "access-log-keep",
            false,
            ValueTypes.count(0, 1000),
            "files",
            SwsConfig.Builder.ACCESS_LOG_KEEP,
            "Rotated files that are kept: NAME.1 is the latest.");

    static final Setting<String> SERVER_NAME = new Setting<>(
            "server-name",
            false,
            ValueTypes.text(
                    "empty, a token, or token/version",
                    name -> TOKEN.matcher(name).matches()),
            "text",
            SwsConfig.Builder.SERVER_NAME,
            "Value of the Server header field. Empty leaves the field out.");

    /** All of them. */
    static final SettingTable TABLE = new SettingTable(
            "sws",
            withTls(List.of(
                    ROOT,
                    PORT,
                    BIND,
                    UNIX_SOCKET,
                    ADMIN,
                    CORES,
                    PINNED,
                    STEALING,
                    STAGES,
                    StingySettings.STINGY,
                    STATS,
                    TRANSPORT,
                    BACKLOG,
                    LISTENERS,
                    MAX_CLIENTS,
                    CLIENT_CONNECTIONS_MAX,
                    CLIENT_RATE,
                    CLIENT_BURST,
                    CLIENT_ADDRESSES_MAX,
                    SiteSettings.LOGIN_TRIES,
                    SiteSettings.CONNECTION_RATE_MAX,
                    TRUSTED_PROXIES,
                    PROXY_FIELD,
                    PROXY_PROTOCOL,
                    OVERLOAD_TARGET,
                    OVERLOAD_INTERVAL,
                    IDLE_TIMEOUT,
                    HEADER_TIMEOUT,
                    BODY_TIMEOUT,
                    WRITE_TIMEOUT,
                    WRITE_RATE_MIN,
                    DRAIN_DEADLINE,
                    MAX_REQUESTS_PER_CONNECTION,
                    HTTP2,
                    HTTP2_STREAMS_MAX,
                    REQUEST_LINE_MAX,
                    HEADER_MAX,
                    HEADER_COUNT_MAX,
                    BODY_MAX,
                    CACHE_BUDGET,
                    CACHE_FILE_MAX,
                    CACHE_REVALIDATION,
                    CACHE_MISSES_MAX,
                    OPEN_FILES_MAX,
                    SLICE,
                    INDEX_FILES,
                    LISTING,
                    FALLBACKS,
                    TRY_SUFFIXES,
                    SiteSettings.REDIRECTS,
                    SiteSettings.REWRITES,
                    SiteSettings.ACCESS,
                    SiteSettings.LOGINS,
                    HOSTS,
                    SiteSettings.SITES,
                    RANGES_MAX,
                    HIDDEN_FILES,
                    SYMLINKS,
                    PRECOMPRESSED,
                    GZIP,
                    GZIP_LEVEL,
                    GZIP_FILE_MIN,
                    GZIP_FILE_MAX,
                    ERROR_PAGES,
                    HEADERS,
                    HEADERS_ALWAYS,
                    SiteSettings.CORS,
                    TYPES,
                    NOSNIFF,
                    SERVER_NAME,
                    ACCESS_LOG,
                    ACCESS_LOG_FORMAT,
                    ACCESS_LOG_BUFFER,
                    ACCESS_LOG_ROTATE,
                    ACCESS_LOG_ROTATE_EVERY,
                    ACCESS_LOG_KEEP)));

    /** Those that a reload takes over; the others stay as they were at the start. */
    static final Set<Setting<?>> RELOADED = Set.of(
            ROOT,
            CACHE_FILE_MAX,
            CACHE_REVALIDATION,
            CACHE_MISSES_MAX,
            INDEX_FILES,
            LISTING,
            FALLBACKS,
            TRY_SUFFIXES,
            SiteSettings.REDIRECTS,
            SiteSettings.REWRITES,
            SiteSettings.ACCESS,
            SiteSettings.LOGINS,
            HOSTS,
            SiteSettings.SITES,
            RANGES_MAX,
            HIDDEN_FILES,
            SYMLINKS,
            PRECOMPRESSED,
            GZIP,
            GZIP_LEVEL,
            GZIP_FILE_MIN,
            GZIP_FILE_MAX,
            ERROR_PAGES,
            HEADERS,
            HEADERS_ALWAYS,
            SiteSettings.CORS,
            TYPES,
            NOSNIFF,
            ACCESS_LOG,
            ACCESS_LOG_ROTATE,
            ACCESS_LOG_ROTATE_EVERY,
            ACCESS_LOG_KEEP,
            TlsSettings.CERTIFICATES,
            TlsSettings.PASSWORD_FILE,
            TlsSettings.OLDEST,
            TlsSettings.TICKET_KEYS,
            TlsSettings.CLIENT_AUTH,
            TlsSettings.CLIENT_AUTHORITIES);

    private Settings() {}

    private static List<Setting<?>> withTls(List<Setting<?>> others) {
        return Stream.concat(others.stream(), TlsSettings.ALL.stream()).toList();
    }

    private static Map<String, LogFormat> logFormatWords() {
        Map<String, LogFormat> words = new LinkedHashMap<>();
        words.put("combined", LogFormat.COMBINED);
        words.put("json", LogFormat.JSON);
        return words;
    }

    private static Map<String, ProxyTrust.Field> proxyFieldWords() {
        Map<String, ProxyTrust.Field> words = new LinkedHashMap<>();
        for (ProxyTrust.Field each : ProxyTrust.Field.values()) {
            words.put(each.label(), each);
        }
        return words;
    }

    private static Map<String, Listeners> listenersWords() {
        Map<String, Listeners> words = new LinkedHashMap<>();
        words.put("one", Listeners.ONE);
        words.put("per-core", Listeners.PER_CORE);
        return words;
    }

    private static @Nullable List<Coding> codings(List<String> lines) {
        List<String> words = lines.stream()
                .flatMap(line -> Pattern.compile(",").splitAsStream(line))
                .map(String::strip)
                .toList();
        return parsed(words, Coding::parse);
    }

    private static @Nullable List<ErrorPage> errorPages(List<String> lines) {
        List<ErrorPage> pages = parsed(lines, ErrorPage::parse);
        return pages == null || pages.stream().map(ErrorPage::status).distinct().count() < pages.size() ? null : pages;
    }

    private static @Nullable List<Fallback> fallbacks(List<String> lines) {
        List<Fallback> rules = parsed(lines, Fallback.RULES_MAX, Fallback::parse);
        return rules == null || rules.stream().map(Fallback::prefix).distinct().count() < rules.size() ? null : rules;
    }

    private static @Nullable List<HeaderRule> headerRules(List<String> lines) {
        return parsed(lines, HeaderRule.RULES_MAX, HeaderRule::parse);
    }

    private static @Nullable List<TypeRule> typeRules(List<String> lines) {
        return parsed(lines, TypeRule.RULES_MAX, TypeRule::parse);
    }

    /** Null, too, if there are more than may be. */
    static <T> @Nullable List<T> parsed(List<String> lines, int most, Function<String, @Nullable T> parser) {
        return lines.size() > most ? null : parsed(lines, parser);
    }

    private static <T> @Nullable List<T> parsed(List<String> lines, Function<String, @Nullable T> parser) {
        List<T> items = new ArrayList<>();
        for (String line : lines) {
            T item = parser.apply(line);
            if (item == null) {
                return null;
            }
            items.add(item);
        }
        return List.copyOf(items);
    }

    private static boolean isIndexName(String name) {
        return !name.isEmpty() && !name.startsWith(".") && name.indexOf('/') < 0 && name.indexOf('\0') < 0;
    }
}
