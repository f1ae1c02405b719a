// SPDX-License-Identifier: Apache-2.0
package io.mely.search;

import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.search.index.DamagedIndexException;
import io.mely.search.index.IndexFolder;
import io.mely.search.index.SearchIndex;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsServer;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A server that searches an index, and serves the files of a site beside it.
 *
 * <p>A new generation of the index is used as soon as it is there: the folder is looked at in a blocking call between two periods. One that is damaged is left alone, and said.
 *
 * <p><b>Threads.</b> Any.
 */
public final class SearchServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(SearchServer.class.getName());

    private final IndexFolder folder;
    private final Duration reload;
    private final SwsServer server;
    private final SearchApplication application;
    private final Mely mely;
    private @Nullable Path refused; // a generation that is damaged
    private boolean isClosed;

    private SearchServer(
            IndexFolder folder, Duration reload, SwsServer server, SearchApplication application, Mely mely) {
        this.folder = folder;
        this.reload = reload;
        this.server = server;
        this.application = application;
        this.mely = mely;
    }

    /**
     * How it is started.
     *
     * @param http of the server; its root is the site
     * @param folder of the index
     * @param cacheBytes of finished answers, &gt;= 0
     * @param isSiteServed whether files are served; without them {@code /} is the search page
     * @param reload time between two looks for a new index; 0: it never looks
     */
    public record Config(SwsConfig http, IndexFolder folder, long cacheBytes, boolean isSiteServed, Duration reload) {}

    /**
     * Starts it.
     *
     * @param config see there
     * @return listening
     * @throws IOException if there is no index, it is damaged, or the server can't listen
     */
    public static SearchServer start(Config config) throws IOException {
        SearchIndex index = SearchIndex.open(config.folder());
        AtomicReference<SearchApplication> made = new AtomicReference<>();
        AtomicReference<Mely> runtime = new AtomicReference<>();
        SwsServer server;
        try {
            server = SwsServer.start(config.http(), builder -> builder.name("search"), mely -> {
                runtime.set(mely);
                SearchApplication application =
                        new SearchApplication(mely, index, config.cacheBytes(), !config.isSiteServed());
                made.set(application);
                return application;
            });
        } catch (IOException | RuntimeException | Error e) {
            index.close();
            throw e;
        }
        SearchServer search = new SearchServer(
                config.folder(),
                config.reload(),
                server,
                Objects.requireNonNull(made.get()),
                Objects.requireNonNull(runtime.get()));
        search.lookLater();
        return search;
    }

    /**
     * Its stages, for deployments.
     *
     * @return names of the server's and of the search's
     */
    public static List<String> stageNames() {
        List<String> names = new ArrayList<>(SwsServer.stageNames());
        names.addAll(SearchStages.NAMES);
        names.add("Suggester");
        return names;
    }

    // ------------------------------------------------------------------ new generations

    private void lookLater() {
        if (!reload.isZero()) {
            mely.defaultColor().schedule(reload, () -> {
                CompletableFuture<Boolean> unused =
                        mely.blocking(mely.defaultColor(), this::look).whenComplete((isNew, failure) -> lookLater());
            });
        }
    }

    /**
     * Uses the current generation, if it is another one. Waits for the disk.
     *
     * @return whether there was a new one
     */
    public synchronized boolean look() {
        if (isClosed) {
            return false;
        }
        try {
            Path current = folder.current();
            if (current.equals(application.index().generation()) || current.equals(refused)) {
                return false;
            }
            try {
                application.use(SearchIndex.open(folder));
                refused = null;
                LOG.log(Level.INFO, "another index: {0}", application.index());
                return true;
            } catch (IOException e) {
                refused = e instanceof DamagedIndexException ? current : null; // the others may pass
                LOG.log(Level.WARNING, "the new index is not used: " + e.getMessage());
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the index cannot be looked at: " + e.getMessage());
        }
        return false;
    }

    // ------------------------------------------------------------------ the server

    /**
     * The index in use.
     *
     * @return its pages
     */
    public int pages() {
        return application.index().pages();
    }

    /**
     * The server of its requests.
     *
     * @return running
     */
    public SwsServer http() {
        return server;
    }

    /**
     * Where it listens.
     *
     * @return with the real port
     */
    public InetSocketAddress localAddress() {
        return server.localAddress();
    }

    /**
     * The counters of its runtime.
     *
     * @return a copy
     */
    public MelyStats stats() {
        return server.stats();
    }

    /**
     * Lets queries under way end, and stops.
     *
     * @param deadline for them
     * @return false if some were cut
     */
    public boolean close(Duration deadline) {
        boolean isDrained = server.close(deadline);
        closeIndex();
        return isDrained;
    }

    private synchronized void closeIndex() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            application.index().close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the index could not be closed", e);
        }
    }

    /** Closes with the configured deadline. */
    @Override
    public void close() {
        server.close();
        closeIndex();
    }
}
