// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.MelyStats;
import io.mely.cli.Addresses;
import io.mely.cli.Program;
import io.mely.stingy.StingyStats;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsStats;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running server, as far as the command line has to know; tests put another behind it.
 *
 * <p><b>Threads.</b> Any.
 */
interface Server {
    /** Starts servers. */
    @FunctionalInterface
    interface Launcher {
        /**
         * Starts one.
         *
         * @param config what it is told
         * @return the server, listening
         * @throws IOException when it can't listen or read its root
         */
        Server start(SwsConfig config) throws IOException;
    }

    /** Where it listens, with the real port. */
    InetSocketAddress localAddress();

    /** Where it listens, in words: addresses with their ports, {@code unix:} with a path. */
    default List<String> places() {
        return List.of(Addresses.authority(localAddress()));
    }

    /** Whether it goes on; false after its runtime has broken down, which the log tells. */
    boolean isServing();

    /** Where it redirects clients without TLS; null if it does not. */
    @Nullable
    InetSocketAddress redirectAddress();

    /**
     * Takes over what it can of another configuration, and reads the files of TLS again.
     *
     * @param next the configuration
     * @throws IOException saying what is wrong; all goes on as it was
     */
    void reload(SwsConfig next) throws IOException;

    /**
     * Opens the access log again.
     *
     * @throws IOException if that can't be; lines go on to the one that is open
     */
    void reopenLog() throws IOException;

    /** How sockets are watched: {@code epoll} or {@code nio}. */
    String transport();

    /**
     * Stops accepting, lets running responses end, stops.
     *
     * @param deadline for the responses
     * @return false when some were cut
     */
    boolean close(Duration deadline);

    /** What operators see of it; null of one without a runtime. */
    Program.@Nullable Monitored monitored();

    /** The runtime's counters. */
    MelyStats stats();

    /** The server's counters. */
    SwsStats counters();

    /** Those of its buffers in the cores' caches; null if there are none. */
    default @Nullable StingyStats buffers() {
        return null;
    }
}
