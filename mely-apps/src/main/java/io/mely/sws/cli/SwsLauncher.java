// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.MelyBuilder;
import io.mely.MelyStats;
import io.mely.cli.Program;
import io.mely.cli.Text;
import io.mely.stingy.StingyStats;
import io.mely.sws.InheritedSocket;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsMeters;
import io.mely.sws.SwsServer;
import io.mely.sws.SwsSettings;
import io.mely.sws.SwsStats;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The real server behind {@link Server}. */
final class SwsLauncher {
    private SwsLauncher() {}

    /**
     * Starts a server.
     *
     * @param config what it is told
     * @param runtime changes what its runtime is built from
     * @param inherited sockets to listen at; none: as the configuration says
     * @return the server, listening
     * @throws IOException when it can't listen or read its root
     */
    static Server start(SwsConfig config, UnaryOperator<MelyBuilder> runtime, List<InheritedSocket> inherited)
            throws IOException {
        return new Running(SwsServer.start(config, runtime, inherited), transportOf(config));
    }

    private static String transportOf(SwsConfig config) {
        return switch (config.get(SwsSettings.TRANSPORT)) {
            case AUTO -> Epoll.isAvailable() ? "epoll" : "nio";
            case EPOLL -> "epoll";
            case NIO -> "nio";
        };
    }

    private record Running(SwsServer server, String transport) implements Server {
        @Override
        public InetSocketAddress localAddress() {
            return server.localAddress();
        }

        @Override
        public List<String> places() {
            return server.places().stream().map(Text::escape).toList();
        }

        @Override
        public @Nullable InetSocketAddress redirectAddress() {
            return server.redirectAddress();
        }

        @Override
        public void reload(SwsConfig next) throws IOException {
            server.reload(next);
        }

        @Override
        public void reopenLog() throws IOException {
            server.reopenLog();
        }

        @Override
        public boolean isServing() {
            return server.isServing();
        }

        @Override
        public boolean close(Duration deadline) {
            return server.close(deadline);
        }

        @Override
        public Program.Monitored monitored() {
            return new Program.Monitored(server.mely(), new SwsMeters(server));
        }

        @Override
        public MelyStats stats() {
            return server.stats();
        }

        @Override
        public SwsStats counters() {
            return server.requestStats();
        }

        @Override
        public @Nullable StingyStats buffers() {
            return server.bufferStats();
        }
    }
}
