// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.Program.Monitored;
import io.mely.cli.Program.Service;
import io.mely.cli.SelfClient;
import io.mely.cli.TemporaryFolder;
import io.mely.cli.Values;
import io.mely.sws.SwsMeters;
import io.mely.sws.SwsServer;
import io.mely.sws.SwsSettings;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A running server of HTTP with an application in it, as the command line sees it.
 *
 * <p><b>Threads.</b> That of the command.
 */
public abstract class HttpService implements Service {
    private final SwsServer http;
    private final Predicate<Duration> close;
    private final Duration drainDeadline;
    private final String rehearsed;
    private final @Nullable TemporaryFolder temporary;

    /**
     * Of a server that has just started.
     *
     * @param http of its requests
     * @param close ends the application and its server within a time
     * @param values of all sources
     * @param rehearsed what a rehearsal asks for; answered with 200
     * @param temporary a folder that is deleted at the end, or null
     */
    protected HttpService(
            SwsServer http,
            Predicate<Duration> close,
            Values values,
            String rehearsed,
            @Nullable TemporaryFolder temporary) {
        this.http = http;
        this.close = close;
        this.rehearsed = rehearsed;
        this.temporary = temporary;
        drainDeadline = values.get(SwsSettings.DRAIN_DEADLINE);
    }

    @Override
    public final Monitored monitored() {
        return new Monitored(http.mely(), new SwsMeters(http));
    }

    @Override
    public final boolean isServing() {
        return http.isServing();
    }

    @Override
    public final void close() {
        boolean unused = close.test(drainDeadline);
        if (temporary != null) {
            temporary.close();
        }
    }

    @Override
    public final boolean rehearse() {
        return new SelfClient(http.localAddress()).isAnswered(SelfClient.http("GET " + rehearsed, ""), "HTTP/1.1 200");
    }
}
