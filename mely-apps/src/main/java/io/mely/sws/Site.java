// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Mely;
import io.mely.spi.NanoClock;
import io.mely.sws.files.AlwaysFields;
import io.mely.sws.files.ErrorPageFile;
import io.mely.sws.files.ErrorPageLoader;
import io.mely.sws.files.Fallback;
import io.mely.sws.files.Fallbacks;
import io.mely.sws.files.FileCache;
import io.mely.sws.files.FileRules;
import io.mely.sws.files.Gzip;
import io.mely.sws.files.NativeMemory;
import io.mely.sws.files.Withheld;
import io.mely.sws.http.Coding;
import io.mely.sws.http.Cors;
import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.ErrorResponses;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.HostNames;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.ServerFields;
import io.mely.sws.rules.Gate;
import io.mely.sws.rules.GateRules;
import io.mely.sws.rules.Realm;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is served, and what is said of it: all that a reload replaces at once. A handler looks at one of these from its beginning to its end.
 *
 * <p><b>Threads.</b> Any; immutable but for the cache.
 */
final class Site {
    private static final System.Logger LOG = System.getLogger(Site.class.getName());

    final ErrorResponses errors;
    private final ErrorResponses plainErrors;
    private final ErrorResponses doorErrors;
    private final ErrorResponses plainDoorErrors;
    private final Map<Integer, ErrorPageFile> pages;
    private final Map<Integer, ErrorPageFile> plainPages;
    final FileCache cache;

    /** Null if there are none. */
    final @Nullable Fallbacks fallbacks;

    /** Null if there are none. */
    final @Nullable AlwaysFields always;

    /** Null if any name will do. */
    final @Nullable HostNames hosts;

    /** While so much room is left, or an error page needs more, the next pipelined response goes into the same write. */
    private static final int ROOM_MIN = 2 << 10;

    final int roomMin;

    /** Most ranges in a request. */
    final int rangesMax;

    /** Null if all paths are open and lead to themselves. */
    final @Nullable Gate gate;

    /**
     * What all sites of one server share.
     *
     * @param fields of every answer
     * @param plainFields the same without TLS
     * @param cacheBytes budget of all caches
     * @param openFilesMax most large files kept open
     * @param memory for files
     * @param threadsMax most threads that run handlers at once
     * @param mely runs what compresses
     * @param clock of the runtime
     */
    record Shared(
            ServerFields fields,
            ServerFields plainFields,
            long cacheBytes,
            int openFilesMax,
            NativeMemory memory,
            int threadsMax,
            Mely mely,
            NanoClock clock) {}

    /**
     * Makes one, with an empty cache.
     *
     * @param config of the site
     * @param shared with the others
     * @param sites how many there are
     * @param withheld files of the whole server, and logs of it
     * @param before realms of the sites that this one and the others replace
     * @throws IOException if a file that it needs can't be read
     */
    Site(SwsConfig config, Shared shared, int sites, Withheld withheld, Map<String, Realm> before) throws IOException {
        boolean hasFallbacks = !config.get(SwsSettings.FALLBACKS).isEmpty();
        errors = new ErrorResponses(shared.fields(), Map.of(), hasFallbacks);
        boolean isPlain = shared.fields().equals(shared.plainFields());
        plainErrors = isPlain ? errors : new ErrorResponses(shared.plainFields(), Map.of(), hasFallbacks);
        Map<Integer, ErrorResponses.Page> doorPages =
                ErrorPageLoader.load(config.root(), config.get(SwsSettings.ERROR_PAGES));
        doorErrors = new ErrorResponses(shared.fields(), doorPages, hasFallbacks);
        plainDoorErrors = isPlain ? doorErrors : new ErrorResponses(shared.plainFields(), doorPages, hasFallbacks);
        pages = pages(config, shared.fields(), shared);
        plainPages = isPlain ? pages : pages(config, shared.plainFields(), shared);
        roomMin = Math.max(
                ROOM_MIN,
                errors.bytesMax()
                        + PreparedResponse.OPTION_BYTES_MAX
                        + (config.gate().logins().isEmpty() ? 0 : Realm.CHALLENGE_BYTES_MAX)
                        + (int) HeaderRule.fieldsCharsMax(config.get(SwsSettings.HEADERS_ALWAYS))
                        + (config.get(SwsSettings.CORS).isEmpty() ? 0 : Cors.BYTES_MAX));
        assert roomMin <= Exchange.OUT_BYTES : roomMin; // any error page fits into the output of a request without any
        fallbacks = hasFallbacks ? new Fallbacks(config.get(SwsSettings.FALLBACKS)) : null;
        boolean hasAlways = !config.get(SwsSettings.HEADERS_ALWAYS).isEmpty()
                || !config.get(SwsSettings.CORS).isEmpty();
        always = hasAlways
                ? new AlwaysFields(config.get(SwsSettings.HEADERS_ALWAYS), new Cors(config.get(SwsSettings.CORS)))
                : null;
        hosts = config.get(SwsSettings.HOSTS).isEmpty() ? null : new HostNames(config.get(SwsSettings.HOSTS));
        rangesMax = config.get(SwsSettings.RANGES_MAX);
        gate = config.gate().equals(GateRules.NONE) ? null : new Gate(config.gate(), names(config), before);
        for (Path each : withheld.below(config.root())) {
            LOG.log(Level.WARNING, "in the folder that is served, and answered 404: {0}", each);
        }
        cache = new FileCache(
                files(config, shared.fields(), withheld),
                new FileCache.Limits(
                        shared.cacheBytes() / sites,
                        config.bytes(SwsSettings.CACHE_FILE_MAX),
                        shared.openFilesMax() / sites,
                        config.get(SwsSettings.CACHE_MISSES_MAX),
                        config.nanos(SwsSettings.CACHE_REVALIDATION)),
                shared.memory(),
                errors,
                shared.threadsMax(),
                System::currentTimeMillis,
                work -> shared.mely().blocking(shared.mely().defaultColor(), Executors.callable(work)));
    }

    /** By what other names a file may be found. */
    private Gate.Names names(SwsConfig config) {
        return new Gate.Names(
                config.get(SwsSettings.INDEX_FILES),
                config.get(SwsSettings.TRY_SUFFIXES),
                config.get(SwsSettings.PRECOMPRESSED).stream()
                        .map(Coding::suffix)
                        .distinct()
                        .toList(),
                path -> fallbacks == null ? null : fallbacks.of(path));
    }

    private static FileCache.Rules files(SwsConfig config, ServerFields fields, Withheld withheld) {
        return new FileCache.Rules(
                config.root(),
                config.get(SwsSettings.INDEX_FILES),
                config.get(SwsSettings.LISTING),
                config.get(SwsSettings.HIDDEN_FILES),
                config.get(SwsSettings.SYMLINKS),
                config.get(SwsSettings.PRECOMPRESSED).stream().distinct().toList(),
                config.get(SwsSettings.HEADERS),
                fields,
                config.get(SwsSettings.GZIP)
                        ? new Gzip(
                                config.get(SwsSettings.GZIP_LEVEL),
                                config.bytes(SwsSettings.GZIP_FILE_MIN),
                                config.bytes(SwsSettings.GZIP_FILE_MAX))
                        : Gzip.OFF,
                config.get(SwsSettings.FALLBACKS).stream().map(Fallback::file).collect(Collectors.toSet()),
                new FileRules(
                        config.get(SwsSettings.TRY_SUFFIXES),
                        withheld,
                        config.get(SwsSettings.TYPES),
                        config.get(SwsSettings.NOSNIFF),
                        config.get(SwsSettings.HEADERS_ALWAYS),
                        new Cors(config.get(SwsSettings.CORS))));
    }

    private static Map<Integer, ErrorPageFile> pages(SwsConfig config, ServerFields fields, Shared shared) {
        Map<Integer, ErrorPageFile> pages = new HashMap<>();
        for (ErrorPage each : config.get(SwsSettings.ERROR_PAGES)) {
            pages.put(
                    each.status(),
                    new ErrorPageFile(
                            each,
                            config.root(),
                            fields,
                            !config.get(SwsSettings.FALLBACKS).isEmpty(),
                            config.nanos(SwsSettings.CACHE_REVALIDATION),
                            shared.clock().nanoTime()));
        }
        return pages;
    }

    /** The configured page of a status as it is now; null if there is none. */
    ErrorPageFile.@Nullable Page page(int status, Link link, long nowNs) {
        ErrorPageFile file = (link.isSecure() ? pages : plainPages).get(status);
        return file == null ? null : file.page(nowNs);
    }

    /** For those who are not let in. */
    ErrorResponses doorErrors(Link link) {
        return link.isSecure() ? doorErrors : plainDoorErrors;
    }

    /** As they go by a link. */
    ErrorResponses errors(Link link) {
        return link.isSecure() ? errors : plainErrors;
    }
}
