// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.deploy.StageFactory;
import io.mely.images.picture.PictureLimits;
import io.mely.images.store.Store;
import io.mely.policy.PoolPolicy;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsServer;
import io.mely.sws.SwsSettings;
import io.mely.sws.http.HeaderRule;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A server that takes pictures, and makes versions of them.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> Pictures in work take a third of the heap; those that wait for it are uploads, which take a sixth at most ({@link io.mely.sws.Request}).
 */
public final class ImagesServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(ImagesServer.class.getName());

    /** One part of so many of the heap is for pictures in work. A guess: uploads have a sixth, and files, encoders and the server need the rest. */
    private static final int HEAP_PART = 3;

    /** Uploads that wait for memory at once; the next one is answered 503. A guess. */
    private static final int WAITING_MAX = 64;

    private static final List<HeaderRule> HEADERS = List.of(
            new HeaderRule("/images/*/*", "Cache-Control", "public, max-age=31536000, immutable"),
            new HeaderRule("/images/*/*", "Content-Security-Policy", "default-src 'none'; sandbox"));

    private final SwsServer server;
    private final Store store;
    private final Statistics statistics;

    private ImagesServer(SwsServer server, Store store, Statistics statistics) {
        this.server = server;
        this.store = store;
        this.statistics = statistics;
    }

    /**
     * How it is started.
     *
     * @param root folder of the results; it has no other files that are served
     * @param recipe what is made of each picture
     * @param limits of a picture
     * @param uploadBytesMax longest body of a request
     * @param fileBytesMax longest file in it
     * @param filesMax most files and fields in it
     * @param storeBytesMax most bytes of finished pictures
     * @param diskThreads that write to the disk
     * @param isListed whether everybody may see which pictures there are
     */
    public record Config(
            Path root,
            Recipe recipe,
            PictureLimits limits,
            long uploadBytesMax,
            long fileBytesMax,
            int filesMax,
            long storeBytesMax,
            int diskThreads,
            boolean isListed) {}

    /**
     * Starts it.
     *
     * @param config see there
     * @param http of the server; its root is that of the config, and its files and headers are set here
     * @return listening
     * @throws IOException if the folder cannot be used, or the server can't listen
     */
    public static ImagesServer start(Config config, SwsConfig.Builder http) throws IOException {
        Store store = Store.open(config.root(), config.storeBytesMax());
        AtomicReference<ImageStages> made = new AtomicReference<>();
        PixelBudget budget = new PixelBudget(Runtime.getRuntime().maxMemory() / HEAP_PART, WAITING_MAX);
        boolean isStarted = false;
        try {
            SwsServer server = SwsServer.start(
                    forFiles(http, config),
                    builder -> builder.name("images")
                            .policy(
                                    ImageStages.DISK_GROUP,
                                    Policy.of(ImageStages.DISK_GROUP, PoolPolicy.shared(config.diskThreads()))),
                    mely -> {
                        ImageStages stages = new ImageStages(
                                StageFactory.of(mely), mely::color, config.recipe(), config.limits(), budget, store);
                        made.set(stages);
                        return new ImagesApplication(
                                mely,
                                stages,
                                new FormReader(config.fileBytesMax(), config.filesMax()),
                                budget,
                                store,
                                config.uploadBytesMax(),
                                config.isListed());
                    });
            isStarted = true;
            return new ImagesServer(
                    server, store, Objects.requireNonNull(made.get()).statistics());
        } finally {
            if (!isStarted) {
                store.close();
            }
        }
    }

    /** Finished files are served as they are, and do not change. What is refused is read away, so that who sends it reads why. */
    private static SwsConfig forFiles(SwsConfig.Builder http, Config config) {
        return http.set(SwsSettings.INDEX_FILES, List.of())
                .set(SwsSettings.LISTING, false)
                .set(SwsSettings.HIDDEN_FILES, false)
                .set(SwsSettings.SYMLINKS, false)
                .set(SwsSettings.PRECOMPRESSED, List.of())
                .set(SwsSettings.GZIP, false)
                .set(SwsSettings.HEADERS, HEADERS)
                .set(SwsSettings.BODY_MAX, config.uploadBytesMax())
                .build();
    }

    /**
     * Its stages, for deployments.
     *
     * @return names of the server's and of the images'
     */
    public static List<String> stageNames() {
        List<String> names = new ArrayList<>(SwsServer.stageNames());
        names.addAll(ImageStages.NAMES);
        return names;
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
     * The counters of its pictures.
     *
     * @return to be asked for its figures
     */
    public Statistics statistics() {
        return statistics;
    }

    /**
     * Finished pictures.
     *
     * @return their number
     */
    public int pictures() {
        return store.catalogue().size();
    }

    /**
     * Lets uploads and pictures in work come to their end, and stops. What has not by the deadline is given up, and its files are removed.
     *
     * @param deadline for them
     * @return false if some were given up
     */
    public boolean close(Duration deadline) {
        boolean isDrained = server.close(deadline);
        closeStore();
        return isDrained;
    }

    private void closeStore() {
        try {
            store.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the folder could not be closed", e);
        }
    }

    /** Closes with the configured deadline. */
    @Override
    public void close() {
        server.close();
        closeStore();
    }
}
