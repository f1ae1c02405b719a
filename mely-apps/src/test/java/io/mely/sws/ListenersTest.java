// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.MelyStats.CoreStats;
import io.mely.Stealing;
import io.mely.sws.SwsConfig.Listeners;
import io.mely.sws.SwsConfig.Transport;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several listeners at one port: {@link PerCoreSwsServerTest} and {@link PerCoreLimitsTest} have what is the same with one. */
class ListenersTest extends SwsServerHarness {
    private static final int CORES = 4;

    @Override
    Transport transport() {
        return Transport.AUTO;
    }

    /** Clients that all connect at once. */
    private static int count(int clients, ToIntFunction<Integer> each) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                int number = i;
                calls.add(() -> each.applyAsInt(number));
            }
            int sum = 0;
            for (Future<Integer> call : threads.invokeAll(calls)) {
                sum += call.get();
            }
            return sum;
        } finally {
            threads.shutdown();
        }
    }

    private int isServed(RawClient client) {
        try {
            return client.get("/a.html").response().status() == 200 ? 1 : 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<RawClient> connections(int number) throws IOException {
        List<RawClient> connections = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            connections.add(connect());
        }
        return connections;
    }

    // Without stealing a connection stays where it was accepted: if all cores have events, all have accepted.
    @ParameterizedTest
    @EnumSource(Transport.class)
    void perCore_connectionsReachAllCores(Transport transport) throws Exception {
        start(builder -> builder.set(SwsSettings.CORES, CORES)
                .set(SwsSettings.TRANSPORT, transport)
                .set(SwsSettings.LISTENERS, Listeners.PER_CORE)
                .set(SwsSettings.STEALING, Stealing.off()));
        List<RawClient> clients = connections(32 * CORES);
        assertThat(count(clients.size(), i -> isServed(clients.get(i)))).isEqualTo(clients.size());
        await(() -> server.requestStats().exchanges() == 0);
        assertThat(server.stats().cores()).hasSize(CORES).allMatch(core -> core.run() > 0);
        long events = server.stats().cores().stream().mapToLong(CoreStats::run).sum();
        assertThat(events).isGreaterThan(clients.size());
        assertThat(server.requestStats().accepted()).isEqualTo(clients.size());
    }

    // The limit is one of the server, not of a listener: of a crowd at once exactly so many are served.
    @Test
    void perCore_maxClients_isExact() throws Exception {
        slowClock(); // a client that takes a second to ask may have to give way
        start(builder -> builder.set(SwsSettings.CORES, CORES)
                .set(SwsSettings.LISTENERS, Listeners.PER_CORE)
                .set(SwsSettings.MAX_CLIENTS, 21));
        List<RawClient> clients = connections(100);
        // Each has begun its next request when it is answered, so nobody is idle and gives way.
        assertThat(count(clients.size(), i -> {
                    try {
                        clients.get(i).send("GET /a.html HTTP/1.1\r\n" + HOST + "\r\nGET");
                        return clients.get(i).response().status() == 200 ? 1 : 0;
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }))
                .isEqualTo(21);
        assertThat(server.requestStats().refused()).isEqualTo(79);
    }

    // And so is that of an address.
    @Test
    void perCore_clientConnectionsMax_isExact() throws Exception {
        start(builder -> builder.set(SwsSettings.CORES, CORES)
                .set(SwsSettings.LISTENERS, Listeners.PER_CORE)
                .set(SwsSettings.CLIENT_CONNECTIONS_MAX, 13));
        List<RawClient> clients = connections(100);
        assertThat(count(clients.size(), i -> isServed(clients.get(i)))).isEqualTo(13);
        assertThat(server.requestStats().responses4xx()).isEqualTo(87);
    }

    // Who has connected before the close is answered, whichever listener has it in its queue.
    @Test
    void perCore_close_answersWhoeverWaits() throws Exception {
        start(builder -> builder.set(SwsSettings.CORES, CORES).set(SwsSettings.LISTENERS, Listeners.PER_CORE));
        List<RawClient> clients = connections(100);
        for (RawClient each : clients) {
            each.get("/a.html");
        }
        AtomicBoolean isDrained = new AtomicBoolean();
        Thread closer = new Thread(() -> isDrained.set(server.close(PATIENCE)));
        closer.start();
        await(() -> closer.getState() == Thread.State.TIMED_WAITING || !closer.isAlive()); // for those to be answered
        for (RawClient each : clients) {
            assertThat(each.response().text()).isEqualTo("hello");
            each.close(); // who is answered is waited for
        }
        closer.join();
        assertThat(isDrained).isTrue();
    }

    // The port could be shared with another server of the same user, who would not know.
    @Test
    void perCore_portInUse_isRefused() throws IOException {
        start(builder -> builder.set(SwsSettings.LISTENERS, Listeners.PER_CORE));
        assertThatThrownBy(() -> SwsServer.start(SwsConfig.builder(root)
                        .bind(server.localAddress())
                        .set(SwsSettings.LISTENERS, Listeners.PER_CORE)
                        .build()))
                .isInstanceOf(BindException.class)
                .hasMessageContaining(String.valueOf(server.localAddress().getPort()));
    }
}
