// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Deployment;
import io.mely.Stealing;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.sws.files.Fallback;
import io.mely.sws.http.Coding;
import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.log.LogFormat;
import io.mely.sws.proxy.ProxyTrust;
import io.mely.sws.rules.GateRules;
import io.mely.sws.tls.TlsConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything a static web server can be told. Immutable; start from {@link #builder(Path)}, which has all defaults.
 *
 * <p>Long, as each setting has its line in the record, in its checks and in the builder, and should be found beside the others; no logic is
 * hidden in it. The defaults are constants of {@link Builder}, so that a command line or a configuration file can show them.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field and the value that is out of range.
 *
 * @param root the folder that is served. Only regular files below it are: every path and every link is checked to stay inside.
 *     Need not be a real path; it is resolved again for each file that is loaded, so a link may be switched to a new release
 * @param bind address and port to listen on; port 0 lets the system choose
 * @param unixSocket where to listen in place of bind; null = there
 * @param cores number of Mely cores; 0 = one per CPU this process may use
 * @param pinned true binds each core's thread to a CPU; false lets the kernel move it
 * @param stealing which stealing heuristics are on
 * @param stages under which policies the stages run, where that is other than the default
 * @param transport how sockets are watched
 * @param backlog connections the kernel may queue before they are accepted, &gt;= 1 (the kernel caps it at net.core.somaxconn)
 * @param listeners who accepts connections
 * @param maxClients most clients served at once, &gt;= 1; for one more the oldest that is idle is closed; if none is, one more is answered 503
 * @param clientConnectionsMax most connections of one client address at once, &gt;= 0; one more is answered 429 and closed; 0 = unlimited
 * @param clientRate requests of one client address a second, &gt;= 0, in the long run; more are answered 429; 0 = unlimited
 * @param clientBurst requests of one client address at once beyond the rate, &gt;= 1
 * @param clientAddressesMax most client addresses without a connection whose rate is remembered, &gt;= 1
 * @param overloadTarget longest time that requests may wait in the queues of a core, as a rule, &gt;= 0; newcomers that would wait longer, and requests that have waited three times
 *     as long, are answered 503; 0 = no such limit
 * @param overloadInterval how long no request must have waited less than overloadTarget, &gt; 0
 * @param idleTimeout how long a kept-alive connection may be without a request, &gt; 0
 * @param headerTimeout how long a client may take from the first byte of a request to the end of its head, &gt; 0; then 408
 * @param bodyTimeout how long a client may take for the body of a request, which is read and thrown away, &gt; 0; then 408. For a body that an application takes it begins
 *     anew as long as it comes at writeRateMinBytes
 * @param writeTimeout how long a client may take none of the bytes of its response, &gt; 0; then the connection is closed
 * @param writeRateMinBytes fewest bytes a second that a client takes of a response longer than that, counted over each writeTimeout, 0 to 1 MiB; 0 = any byte will do
 * @param maxRequestsPerConnection a connection is closed after this many requests; 0 = unlimited
 * @param http2 true speaks HTTP/2 with clients that ask for it: by TLS (ALPN), or without by beginning with its preface
 * @param http2StreamsMax most requests at once on one connection by HTTP/2, 1 to 1,000; one more is reset, and the client may send it again
 * @param requestLineBytesMax longest request line without its line end, 64 to 65,536; longer is answered 414
 * @param headerBytesMax longest head (request line, header fields and line ends), 128 to 1,048,576; longer is answered 431
 * @param headerCountMax most header fields in a request, &gt;= 1; more are answered 431
 * @param bodyBytesMax longest request body that is read and thrown away, &gt;= 0; longer is answered 413
 * @param cacheBudgetBytes native memory the small files in the cache may take, &gt;= 0; 0 turns the cache off
 * @param cacheFileBytesMax largest file that is kept in memory, 0 to 1 MiB; larger ones are sent from the file without a copy
 * @param cacheRevalidation a cached file is compared with the disk when it is asked for and its last check is older, &gt;= 0
 * @param cacheMissesMax most paths of which "there is no such file" is remembered (for cacheRevalidation), &gt;= 0
 * @param openFilesMax most large files kept open between requests, &gt;= 0; further ones are opened for each request
 * @param sliceBytes most bytes of one large file sent before other connections of that core get their turn, &gt;= 4 KiB
 * @param drainDeadline how long {@code SwsServer.close} lets running responses go on when the caller says nothing else, &gt;= 0
 * @param indexFiles names tried, in order, for a path that ends in a slash; may be empty
 * @param listing true answers a folder that has no index file with a list of its files; false with 404
 * @param fallbacks files that are sent for paths below a prefix that lead to nothing, each prefix once, at most 100
 * @param hiddenFiles true serves names that begin with a dot; false answers them 404 (except below /.well-known/)
 * @param symlinks true follows symbolic links that stay inside the root; false answers any path with a link in it 404
 * @param precompressed codings looked for beside a file ({@code a.css.br}) and sent to clients that accept them; none if empty
 * @param gzip true compresses files of compressible types for clients that accept gzip, and keeps the result in the cache
 * @param gzipLevel level of zlib, 1 (fast) to 9 (short)
 * @param gzipFileMinBytes shortest file that is compressed, 1 to 1 MiB
 * @param gzipFileMaxBytes longest file that is compressed, 1 B to 64 MiB; no more than a quarter of cacheBudgetBytes in any case
 * @param errorPages files that are sent with error responses, each status once, at most 1 MiB each; looked at again like any file, the built-in one while it is missing
 * @param headers fields that are added to the responses for files; all rules that match count, the last one for a field wins
 * @param accessLog file that a line for each answer is written to; "-" is standard error, and empty none
 * @param accessLogFormat how its lines are written
 * @param accessLogBufferBytes room for lines of one thread that are not written yet, 64 KiB to 64 MiB, rounded up to a power of two
 * @param accessLogRotateBytes size at which the file is rotated, &gt;= 0; 0 = never
 * @param accessLogRotateEvery the same at the end of each such time, counted from 1970 in UTC, &gt;= 0; 0 = never
 * @param accessLogKeep rotated files that are kept, 0 to 1000
 * @param serverName value of the Server header field, a token with optional version such as "SWS/1.0"; empty = no such field
 * @param proxies which proxies are believed when they say who the client is
 * @param site what else is said about the site
 * @param gate redirects, rewrites, and who may see what
 * @param sites further sites, each for hosts of its own; each host once
 * @param limits what one client may take
 * @param stingy how many buffers of which kind lie in the cache of each core: see {@link SwsStingy}; null = none
 * @param tls how it speaks TLS; null = it does not
 */
public record SwsConfig(
        Path root,
        InetSocketAddress bind,
        @Nullable UnixSocket unixSocket,
        int cores,
        boolean pinned,
        Stealing stealing,
        Deployment stages,
        Transport transport,
        int backlog,
        Listeners listeners,
        int maxClients,
        int clientConnectionsMax,
        int clientRate,
        int clientBurst,
        int clientAddressesMax,
        Duration overloadTarget,
        Duration overloadInterval,
        Duration idleTimeout,
        Duration headerTimeout,
        Duration bodyTimeout,
        Duration writeTimeout,
        int writeRateMinBytes,
        int maxRequestsPerConnection,
        boolean http2,
        int http2StreamsMax,
        int requestLineBytesMax,
        int headerBytesMax,
        int headerCountMax,
        long bodyBytesMax,
        long cacheBudgetBytes,
        int cacheFileBytesMax,
        Duration cacheRevalidation,
        int cacheMissesMax,
        int openFilesMax,
        int sliceBytes,
        Duration drainDeadline,
        List<String> indexFiles,
        boolean listing,
        List<Fallback> fallbacks,
        boolean hiddenFiles,
        boolean symlinks,
        List<Coding> precompressed,
        boolean gzip,
        int gzipLevel,
        int gzipFileMinBytes,
        int gzipFileMaxBytes,
        List<ErrorPage> errorPages,
        List<HeaderRule> headers,
        String accessLog,
        LogFormat accessLogFormat,
        int accessLogBufferBytes,
        long accessLogRotateBytes,
        Duration accessLogRotateEvery,
        int accessLogKeep,
        String serverName,
        ProxyTrust proxies,
        SiteRules site,
        GateRules gate,
        List<HostedSite> sites,
        ClientLimits limits,
        @Nullable MemoryPlan stingy,
        @Nullable TlsConfig tls) {

    /** How sockets are watched. */
    public enum Transport {
        /** Epoll where there is a native library for this machine, NIO elsewhere. */
        AUTO,
        /** Linux epoll; the start fails where it is not available. */
        EPOLL,
        /** Java NIO selectors, on any machine. */
        NIO
    }

    /** Who accepts connections. */
    public enum Listeners {
        /** One listener on one core, in one color: the papers' shape. Connections are dealt out to all cores in turn. */
        ONE,
        /** One on each core, with SO_REUSEPORT: the kernel chooses the core by a hash of the addresses, and there the connection begins. */
        PER_CORE
    }

    /** Checks every value. */
    public SwsConfig {
        Objects.requireNonNull(root, "root");
        Objects.requireNonNull(bind, "bind");
        Objects.requireNonNull(stealing, "stealing");
        Objects.requireNonNull(stages, "stages");
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(listeners, "listeners");
        Objects.requireNonNull(proxies, "proxies");
        Objects.requireNonNull(site, "site");
        Objects.requireNonNull(gate, "gate");
        Objects.requireNonNull(limits, "limits");
        check(
                limits.connectionRateMaxBytes() == 0 || limits.connectionRateMaxBytes() > writeRateMinBytes,
                "connectionRateMaxBytes must be > writeRateMinBytes (" + writeRateMinBytes + ")",
                "connectionRateMaxBytes",
                limits.connectionRateMaxBytes());
        if (stingy != null) {
            SwsStingy.check(stingy);
        }
        sites = List.copyOf(sites);
        List<String> hosts =
                sites.stream().flatMap(each -> each.hosts().stream()).toList();
        check(
                hosts.stream()
                                .map(each -> each.toLowerCase(Locale.ROOT))
                                .distinct()
                                .count()
                        == hosts.size(),
                "sites must name each host once",
                "hosts",
                hosts);
        check(!bind.isUnresolved(), "bind must be an address that resolves", "bind", bind);
        range("cores", cores, 0, 1024);
        range("backlog", backlog, 1, Integer.MAX_VALUE);
        range("maxClients", maxClients, 1, 1 << 24);
        positive("idleTimeout", idleTimeout);
        positive("headerTimeout", headerTimeout);
        positive("bodyTimeout", bodyTimeout);
        positive("writeTimeout", writeTimeout);
        range("maxRequestsPerConnection", maxRequestsPerConnection, 0, Integer.MAX_VALUE);
        range("http2StreamsMax", http2StreamsMax, 1, 1_000);
        range("requestLineBytesMax", requestLineBytesMax, 64, 1 << 16);
        range("headerBytesMax", headerBytesMax, 128, 1 << 20);
        check(
                headerBytesMax >= requestLineBytesMax,
                "headerBytesMax must be >= requestLineBytesMax (" + requestLineBytesMax + ")",
                "headerBytesMax",
                headerBytesMax);
        range("headerCountMax", headerCountMax, 1, 1 << 16);
        range("bodyBytesMax", bodyBytesMax, 0, Long.MAX_VALUE);
        range("cacheBudgetBytes", cacheBudgetBytes, 0, Long.MAX_VALUE);
        range("cacheFileBytesMax", cacheFileBytesMax, 0, 1 << 20);
        notNegative("cacheRevalidation", cacheRevalidation);
        range("cacheMissesMax", cacheMissesMax, 0, 1 << 20);
        range("openFilesMax", openFilesMax, 0, 1 << 16);
        range("sliceBytes", sliceBytes, 1 << 12, 1 << 30);
        notNegative("drainDeadline", drainDeadline);
        range("clientConnectionsMax", clientConnectionsMax, 0, 1 << 24);
        range("clientRate", clientRate, 0, 1_000_000);
        range("clientBurst", clientBurst, 1, 1_000_000);
        range("clientAddressesMax", clientAddressesMax, 1, 1 << 24);
        range("writeRateMinBytes", writeRateMinBytes, 0, 1 << 20);
        notNegative("overloadTarget", overloadTarget);
        positive("overloadInterval", overloadInterval);
        check(isPath(accessLog), "accessLog must be empty, - or a path", "accessLog", accessLog);
        Objects.requireNonNull(accessLogFormat, "accessLogFormat");
        range("accessLogBufferBytes", accessLogBufferBytes, 1 << 16, 1 << 26);
        range("accessLogRotateBytes", accessLogRotateBytes, 0, Long.MAX_VALUE);
        notNegative("accessLogRotateEvery", accessLogRotateEvery);
        range("accessLogKeep", accessLogKeep, 0, 1000);
        range("gzipLevel", gzipLevel, 1, 9);
        range("gzipFileMinBytes", gzipFileMinBytes, 1, 1 << 20);
        range("gzipFileMaxBytes", gzipFileMaxBytes, 1, 1 << 26);
        fallbacks = List.copyOf(fallbacks);
        check(
                fallbacks.size() <= Fallback.RULES_MAX
                        && fallbacks.stream().map(Fallback::prefix).distinct().count() == fallbacks.size(),
                "fallbacks must name each prefix once, and at most " + Fallback.RULES_MAX,
                "fallbacks",
                fallbacks);
        indexFiles = List.copyOf(indexFiles);
        for (String name : indexFiles) {
            check(
                    !name.isEmpty() && name.indexOf('/') < 0 && name.indexOf('\0') < 0 && !name.startsWith("."),
                    "indexFiles must be plain file names",
                    "indexFiles",
                    name);
        }
        precompressed = precompressed.stream().distinct().toList();
        errorPages = List.copyOf(errorPages);
        check(
                errorPages.stream().map(ErrorPage::status).distinct().count() == errorPages.size(),
                "errorPages must name each status once",
                "errorPages",
                errorPages);
        headers = List.copyOf(headers);
        check(
                headers.size() <= HeaderRule.RULES_MAX,
                "headers must be at most " + HeaderRule.RULES_MAX + " rules",
                "headers",
                headers.size());
        SiteRules.checkFields(headers, site.cors());
        check(
                HeaderRule.fieldsCharsMax(headers) <= HeaderRule.FIELDS_CHARS_MAX,
                "headers must have at most " + HeaderRule.FIELDS_CHARS_MAX + " characters in one response",
                "characters",
                HeaderRule.fieldsCharsMax(headers));
        check(
                serverName.matches("([!#$%&'*+.^_`|~0-9A-Za-z-]+(/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?)?"),
                "serverName must be empty, a token, or token/version",
                "serverName",
                serverName);
    }

    /**
     * Starts a configuration with all defaults.
     *
     * @param root the folder to serve
     * @return a builder
     */
    public static Builder builder(Path root) {
        return new Builder(root);
    }

    /**
     * Tells whether an access log could have that name.
     *
     * @param text empty, "-" or a path
     * @return false if no file can be called so
     */
    public static boolean isPath(String text) {
        try {
            return Path.of(text).toString().length() == 0 || !text.endsWith("/");
        } catch (InvalidPathException notAPath) {
            return false;
        }
    }

    private static void range(String field, long value, long min, long max) {
        String bound = max == Long.MAX_VALUE || max == Integer.MAX_VALUE ? ">= " + min : min + " to " + max;
        check(value >= min && value <= max, field + " must be " + bound, field, value);
    }

    private static void positive(String field, Duration value) {
        Objects.requireNonNull(value, field);
        check(
                value.compareTo(Duration.ZERO) > 0 && value.compareTo(Builder.TIME_MAX) <= 0,
                field + " must be > 0 and at most 1 day",
                field,
                value);
    }

    private static void notNegative(String field, Duration value) {
        Objects.requireNonNull(value, field);
        check(
                !value.isNegative() && value.compareTo(Builder.TIME_MAX) <= 0,
                field + " must be >= 0 and at most 1 day",
                field,
                value);
    }

    private static void check(boolean isValid, String rule, String field, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + field + "=" + value);
        }
    }

    /**
     * Collects the values of a configuration; each setter is documented by the field of {@link SwsConfig} of the same name.
     *
     * <p><b>Threads.</b> Not safe for use by several. <b>Errors.</b> Values are checked by {@link #build()}.
     */
    public static final class Builder {
        /** Longest time any field accepts. */
        public static final Duration TIME_MAX = Duration.ofDays(1);
        /** Default port. */
        public static final int PORT = 8080;
        /** Default number of cores: one per CPU this process may use. */
        public static final int CORES = 0;
        /** Default pinning: none; whoever else runs on a core's CPU would hold up its clients, see {@code docs/benchmarks-sws.md}. */
        public static final boolean PINNED = false;
        /** Default transport. */
        public static final Transport TRANSPORT = Transport.AUTO;
        /** Default backlog, the kernel's own default cap. */
        public static final int BACKLOG = 4096;
        /** Default listeners: which is faster was measured, see {@code docs/benchmarks-sws.md}. */
        public static final Listeners LISTENERS = Listeners.ONE;
        /** Default limit of clients; each idle one costs about 1 KB of heap and a descriptor. */
        public static final int MAX_CLIENTS = 10_000;
        /** Default connections of one client address: unlimited, as behind a proxy all clients have its address. */
        public static final int CLIENT_CONNECTIONS_MAX = 0;
        /** Default request rate of one client address: unlimited. */
        public static final int CLIENT_RATE = 0;
        /** Default burst: what a page with its parts asks for at once. */
        public static final int CLIENT_BURST = 100;
        /** Default number of remembered addresses: some 8 MB. */
        public static final int CLIENT_ADDRESSES_MAX = 65_536;
        /** Default wait that is overload: what a person notices, and some fifty times what 1,000 busy clients make. */
        public static final Duration OVERLOAD_TARGET = Duration.ofMillis(50);
        /** Default time that makes a wait the rule. */
        public static final Duration OVERLOAD_INTERVAL = Duration.ofSeconds(1);
        /** Default idle timeout, nginx's keepalive_timeout. */
        public static final Duration IDLE_TIMEOUT = Duration.ofSeconds(75);
        /** Default header timeout. */
        public static final Duration HEADER_TIMEOUT = Duration.ofSeconds(20);
        /** Default body timeout. */
        public static final Duration BODY_TIMEOUT = Duration.ofSeconds(20);
        /** Default write timeout, nginx's send_timeout. */
        public static final Duration WRITE_TIMEOUT = Duration.ofSeconds(60);
        /** Default slowest reader: 500 bytes a second, what mod_reqtimeout asks of senders. */
        public static final int WRITE_RATE_MIN_BYTES = 500;
        /** Default requests per connection: unlimited. */
        public static final int MAX_REQUESTS_PER_CONNECTION = 0;
        /** Default: HTTP/2 for clients that ask for it. */
        public static final boolean HTTP2 = true;
        /** Default requests at once on one connection: the least that RFC 9113 6.5.2 recommends. */
        public static final int HTTP2_STREAMS_MAX = 100;
        /** Default longest request line, as nginx: 8 KiB. */
        public static final int REQUEST_LINE_BYTES_MAX = 8 << 10;
        /** Default longest head, 32 KiB as nginx's four buffers of 8 KiB. */
        public static final int HEADER_BYTES_MAX = 32 << 10;
        /** Default number of header fields. */
        public static final int HEADER_COUNT_MAX = 100;
        /** Default longest request body, as nginx: 1 MiB. */
        public static final long BODY_BYTES_MAX = 1 << 20;
        /** Default cache budget: 64 MiB. */
        public static final long CACHE_BUDGET_BYTES = 64L << 20;
        /** Default largest file in memory: 64 KiB. */
        public static final int CACHE_FILE_BYTES_MAX = 64 << 10;
        /** Default age of a check: 1 s. */
        public static final Duration CACHE_REVALIDATION = Duration.ofSeconds(1);
        /** Default number of remembered misses. */
        public static final int CACHE_MISSES_MAX = 1024;
        /** Default number of large files kept open. */
        public static final int OPEN_FILES_MAX = 64;
        /** Default slice of a large file: 512 KiB, some 100 microseconds of copying. */
        public static final int SLICE_BYTES = 512 << 10;
        /** Default drain deadline. */
        public static final Duration DRAIN_DEADLINE = Duration.ofSeconds(10);
        /** Default index files. */
        public static final List<String> INDEX_FILES = List.of("index.html");
        /** Default: no listing, as nginx (autoindex off). */
        public static final boolean LISTING = false;
        /** Default fallbacks: none. */
        public static final List<Fallback> FALLBACKS = List.of();
        /** Default: hidden files are not served. */
        public static final boolean HIDDEN_FILES = false;
        /** Default: links that stay inside the root are followed. */
        public static final boolean SYMLINKS = true;
        /** Default: no neighbours are looked for, as nginx (gzip_static off). */
        public static final List<Coding> PRECOMPRESSED = List.of();
        /** Default: nothing is compressed on the fly, as nginx (gzip off). */
        public static final boolean GZIP = false;
        /** Default level, zlib's own. */
        public static final int GZIP_LEVEL = 6;
        /** Default shortest file: what fits into one packet anyway. */
        public static final int GZIP_FILE_MIN_BYTES = 1 << 10;
        /** Default longest file: 1 MiB, some 30 ms of work. */
        public static final int GZIP_FILE_MAX_BYTES = 1 << 20;
        /** Default error pages: the built-in ones. */
        public static final List<ErrorPage> ERROR_PAGES = List.of();
        /** Default header rules: none. */
        public static final List<HeaderRule> HEADERS = List.of();
        /** Default access log: none. */
        public static final String ACCESS_LOG = "";
        /** Default format. */
        public static final LogFormat ACCESS_LOG_FORMAT = LogFormat.COMBINED;
        /** Default of the stages: as SWS has them. */
        public static final Deployment STAGES = new Deployment();

        /** Default room for lines of one thread: 1 MiB, about 5,000. */
        public static final int ACCESS_LOG_BUFFER_BYTES = 1 << 20;
        /** Default size at which the log is rotated. */
        public static final long ACCESS_LOG_ROTATE_BYTES = 100L << 20;
        /** Default rotation by time: none. */
        public static final Duration ACCESS_LOG_ROTATE_EVERY = Duration.ZERO;
        /** Default number of rotated files. */
        public static final int ACCESS_LOG_KEEP = 10;
        /** Default server name. */
        public static final String SERVER_NAME = "SWS";

        private final Path root;
        private InetSocketAddress bind = new InetSocketAddress(loopback(), PORT);
        private @Nullable UnixSocket unixSocket;
        private int cores = CORES;
        private boolean pinned = PINNED;
        private Stealing stealing = Stealing.mely();
        private Deployment stages = STAGES;
        private Transport transport = TRANSPORT;
        private int backlog = BACKLOG;
        private Listeners listeners = LISTENERS;
        private int maxClients = MAX_CLIENTS;
        private int clientConnectionsMax = CLIENT_CONNECTIONS_MAX;
        private int clientRate = CLIENT_RATE;
        private int clientBurst = CLIENT_BURST;
        private int clientAddressesMax = CLIENT_ADDRESSES_MAX;
        private Duration overloadTarget = OVERLOAD_TARGET;
        private Duration overloadInterval = OVERLOAD_INTERVAL;
        private Duration idleTimeout = IDLE_TIMEOUT;
        private Duration headerTimeout = HEADER_TIMEOUT;
        private Duration bodyTimeout = BODY_TIMEOUT;
        private Duration writeTimeout = WRITE_TIMEOUT;
        private int writeRateMinBytes = WRITE_RATE_MIN_BYTES;
        private int maxRequestsPerConnection = MAX_REQUESTS_PER_CONNECTION;
        private boolean http2 = HTTP2;
        private int http2StreamsMax = HTTP2_STREAMS_MAX;
        private int requestLineBytesMax = REQUEST_LINE_BYTES_MAX;
        private int headerBytesMax = HEADER_BYTES_MAX;
        private int headerCountMax = HEADER_COUNT_MAX;
        private long bodyBytesMax = BODY_BYTES_MAX;
        private long cacheBudgetBytes = CACHE_BUDGET_BYTES;
        private int cacheFileBytesMax = CACHE_FILE_BYTES_MAX;
        private Duration cacheRevalidation = CACHE_REVALIDATION;
        private int cacheMissesMax = CACHE_MISSES_MAX;
        private int openFilesMax = OPEN_FILES_MAX;
        private int sliceBytes = SLICE_BYTES;
        private Duration drainDeadline = DRAIN_DEADLINE;
        private List<String> indexFiles = INDEX_FILES;
        private boolean listing = LISTING;
        private List<Fallback> fallbacks = FALLBACKS;
        private boolean hiddenFiles = HIDDEN_FILES;
        private boolean symlinks = SYMLINKS;
        private List<Coding> precompressed = PRECOMPRESSED;
        private boolean gzip = GZIP;
        private int gzipLevel = GZIP_LEVEL;
        private int gzipFileMinBytes = GZIP_FILE_MIN_BYTES;
        private int gzipFileMaxBytes = GZIP_FILE_MAX_BYTES;
        private List<ErrorPage> errorPages = ERROR_PAGES;
        private List<HeaderRule> headers = HEADERS;
        private String accessLog = ACCESS_LOG;
        private LogFormat accessLogFormat = ACCESS_LOG_FORMAT;
        private int accessLogBufferBytes = ACCESS_LOG_BUFFER_BYTES;
        private long accessLogRotateBytes = ACCESS_LOG_ROTATE_BYTES;
        private Duration accessLogRotateEvery = ACCESS_LOG_ROTATE_EVERY;
        private int accessLogKeep = ACCESS_LOG_KEEP;
        private String serverName = SERVER_NAME;
        private ProxyTrust proxies = ProxyTrust.NONE;
        private SiteRules site = SiteRules.DEFAULT;
        private GateRules gate = GateRules.NONE;
        private List<HostedSite> sites = List.of();
        private ClientLimits limits = ClientLimits.DEFAULT;
        private @Nullable MemoryPlan stingy;
        private @Nullable TlsConfig tls;

        Builder(Path root) {
            this.root = Objects.requireNonNull(root, "root");
        }

        /** 127.0.0.1, not whatever "localhost" resolves to: the documented default of the command line. */
        private static InetAddress loopback() {
            try {
                return InetAddress.getByAddress("127.0.0.1", new byte[] {127, 0, 0, 1});
            } catch (java.net.UnknownHostException impossible) {
                throw new AssertionError("4 bytes are an address", impossible);
            }
        }

        /**
         * Sets {@link SwsConfig#bind}.
         *
         * @param value see there
         * @return this
         */
        public Builder bind(InetSocketAddress value) {
            bind = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#unixSocket}.
         *
         * @param value see there
         * @return this
         */
        public Builder unixSocket(@Nullable UnixSocket value) {
            unixSocket = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#cores}.
         *
         * @param value see there
         * @return this
         */
        public Builder cores(int value) {
            cores = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#pinned}.
         *
         * @param value see there
         * @return this
         */
        public Builder pinned(boolean value) {
            pinned = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#stealing}.
         *
         * @param value see there
         * @return this
         */
        public Builder stealing(Stealing value) {
            stealing = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#stages}.
         *
         * @param value any that names stages of {@link SwsServer#stageNames}
         * @return this builder
         */
        public Builder stages(Deployment value) {
            stages = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#transport}.
         *
         * @param value see there
         * @return this
         */
        public Builder transport(Transport value) {
            transport = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#backlog}.
         *
         * @param value see there
         * @return this
         */
        public Builder backlog(int value) {
            backlog = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#listeners}.
         *
         * @param value see there
         * @return this
         */
        public Builder listeners(Listeners value) {
            listeners = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#maxClients}.
         *
         * @param value see there
         * @return this
         */
        public Builder maxClients(int value) {
            maxClients = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#clientConnectionsMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder clientConnectionsMax(int value) {
            clientConnectionsMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#clientRate}.
         *
         * @param value see there
         * @return this
         */
        public Builder clientRate(int value) {
            clientRate = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#clientBurst}.
         *
         * @param value see there
         * @return this
         */
        public Builder clientBurst(int value) {
            clientBurst = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#clientAddressesMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder clientAddressesMax(int value) {
            clientAddressesMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#overloadTarget}.
         *
         * @param value see there
         * @return this
         */
        public Builder overloadTarget(Duration value) {
            overloadTarget = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#overloadInterval}.
         *
         * @param value see there
         * @return this
         */
        public Builder overloadInterval(Duration value) {
            overloadInterval = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#idleTimeout}.
         *
         * @param value see there
         * @return this
         */
        public Builder idleTimeout(Duration value) {
            idleTimeout = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#headerTimeout}.
         *
         * @param value see there
         * @return this
         */
        public Builder headerTimeout(Duration value) {
            headerTimeout = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#bodyTimeout}.
         *
         * @param value see there
         * @return this
         */
        public Builder bodyTimeout(Duration value) {
            bodyTimeout = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#writeTimeout}.
         *
         * @param value see there
         * @return this
         */
        public Builder writeTimeout(Duration value) {
            writeTimeout = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#writeRateMinBytes}.
         *
         * @param value see there
         * @return this
         */
        public Builder writeRateMinBytes(int value) {
            writeRateMinBytes = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#maxRequestsPerConnection}.
         *
         * @param value see there
         * @return this
         */
        public Builder maxRequestsPerConnection(int value) {
            maxRequestsPerConnection = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#http2}.
         *
         * @param value see there
         * @return this
         */
        public Builder http2(boolean value) {
            http2 = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#http2StreamsMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder http2StreamsMax(int value) {
            http2StreamsMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#requestLineBytesMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder requestLineBytesMax(int value) {
            requestLineBytesMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#headerBytesMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder headerBytesMax(int value) {
            headerBytesMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#headerCountMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder headerCountMax(int value) {
            headerCountMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#bodyBytesMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder bodyBytesMax(long value) {
            bodyBytesMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#cacheBudgetBytes}.
         *
         * @param value see there
         * @return this
         */
        public Builder cacheBudgetBytes(long value) {
            cacheBudgetBytes = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#cacheFileBytesMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder cacheFileBytesMax(int value) {
            cacheFileBytesMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#cacheRevalidation}.
         *
         * @param value see there
         * @return this
         */
        public Builder cacheRevalidation(Duration value) {
            cacheRevalidation = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#cacheMissesMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder cacheMissesMax(int value) {
            cacheMissesMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#openFilesMax}.
         *
         * @param value see there
         * @return this
         */
        public Builder openFilesMax(int value) {
            openFilesMax = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#sliceBytes}.
         *
         * @param value see there
         * @return this
         */
        public Builder sliceBytes(int value) {
            sliceBytes = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#drainDeadline}.
         *
         * @param value see there
         * @return this
         */
        public Builder drainDeadline(Duration value) {
            drainDeadline = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#indexFiles}.
         *
         * @param value see there
         * @return this
         */
        public Builder indexFiles(List<String> value) {
            indexFiles = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#listing}.
         *
         * @param value see there
         * @return this
         */
        public Builder listing(boolean value) {
            listing = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#fallbacks}.
         *
         * @param value see there
         * @return this
         */
        public Builder fallbacks(List<Fallback> value) {
            fallbacks = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#hiddenFiles}.
         *
         * @param value see there
         * @return this
         */
        public Builder hiddenFiles(boolean value) {
            hiddenFiles = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#symlinks}.
         *
         * @param value see there
         * @return this
         */
        public Builder symlinks(boolean value) {
            symlinks = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#precompressed}.
         *
         * @param value see there
         * @return this
         */
        public Builder precompressed(List<Coding> value) {
            precompressed = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#gzip}.
         *
         * @param value see there
         * @return this
         */
        public Builder gzip(boolean value) {
            gzip = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#gzipLevel}.
         *
         * @param value see there
         * @return this
         */
        public Builder gzipLevel(int value) {
            gzipLevel = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#gzipFileMinBytes}.
         *
         * @param value see there
         * @return this
         */
        public Builder gzipFileMinBytes(int value) {
            gzipFileMinBytes = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#gzipFileMaxBytes}.
         *
         * @param value see there
         * @return this
         */
        public Builder gzipFileMaxBytes(int value) {
            gzipFileMaxBytes = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#errorPages}.
         *
         * @param value see there
         * @return this
         */
        public Builder errorPages(List<ErrorPage> value) {
            errorPages = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#headers}.
         *
         * @param value see there
         * @return this
         */
        public Builder headers(List<HeaderRule> value) {
            headers = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#accessLog}.
         *
         * @param value see there
         * @return this
         */
        public Builder accessLog(String value) {
            accessLog = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#accessLogFormat}.
         *
         * @param value see there
         * @return this
         */
        public Builder accessLogFormat(LogFormat value) {
            accessLogFormat = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#accessLogBufferBytes}.
         *
         * @param value see there
         * @return this
         */
        public Builder accessLogBufferBytes(int value) {
            accessLogBufferBytes = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#accessLogRotateBytes}.
         *
         * @param value see there
         * @return this
         */
        public Builder accessLogRotateBytes(long value) {
            accessLogRotateBytes = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#accessLogRotateEvery}.
         *
         * @param value see there
         * @return this
         */
        public Builder accessLogRotateEvery(Duration value) {
            accessLogRotateEvery = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#accessLogKeep}.
         *
         * @param value see there
         * @return this
         */
        public Builder accessLogKeep(int value) {
            accessLogKeep = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#serverName}.
         *
         * @param value see there
         * @return this
         */
        public Builder serverName(String value) {
            serverName = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#proxies}.
         *
         * @param value see there
         * @return this
         */
        public Builder proxies(ProxyTrust value) {
            proxies = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#site}.
         *
         * @param value see there
         * @return this
         */
        public Builder site(SiteRules value) {
            site = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#gate}.
         *
         * @param value see there
         * @return this
         */
        public Builder gate(GateRules value) {
            gate = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#sites}.
         *
         * @param value see there
         * @return this
         */
        public Builder sites(List<HostedSite> value) {
            sites = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#limits}.
         *
         * @param value see there
         * @return this
         */
        public Builder limits(ClientLimits value) {
            limits = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#stingy}.
         *
         * @param value see there
         * @return this
         */
        public Builder stingy(@Nullable MemoryPlan value) {
            stingy = value;
            return this;
        }

        /**
         * Sets {@link SwsConfig#tls}.
         *
         * @param value see there
         * @return this
         */
        public Builder tls(@Nullable TlsConfig value) {
            tls = value;
            return this;
        }

        /**
         * Checks the values.
         *
         * @return the configuration
         * @throws IllegalArgumentException naming the field and the value that is out of range
         */
        public SwsConfig build() {
            return new SwsConfig(
                    root,
                    bind,
                    unixSocket,
                    cores,
                    pinned,
                    stealing,
                    stages,
                    transport,
                    backlog,
                    listeners,
                    maxClients,
                    clientConnectionsMax,
                    clientRate,
                    clientBurst,
                    clientAddressesMax,
                    overloadTarget,
                    overloadInterval,
                    idleTimeout,
                    headerTimeout,
                    bodyTimeout,
                    writeTimeout,
                    writeRateMinBytes,
                    maxRequestsPerConnection,
                    http2,
                    http2StreamsMax,
                    requestLineBytesMax,
                    headerBytesMax,
                    headerCountMax,
                    bodyBytesMax,
                    cacheBudgetBytes,
                    cacheFileBytesMax,
                    cacheRevalidation,
                    cacheMissesMax,
                    openFilesMax,
                    sliceBytes,
                    drainDeadline,
                    indexFiles,
                    listing,
                    fallbacks,
                    hiddenFiles,
                    symlinks,
                    precompressed,
                    gzip,
                    gzipLevel,
                    gzipFileMinBytes,
                    gzipFileMaxBytes,
                    errorPages,
                    headers,
                    accessLog,
                    accessLogFormat,
                    accessLogBufferBytes,
                    accessLogRotateBytes,
                    accessLogRotateEvery,
                    accessLogKeep,
                    serverName,
                    proxies,
                    site,
                    gate,
                    sites,
                    limits,
                    stingy,
                    tls);
        }
    }
}
