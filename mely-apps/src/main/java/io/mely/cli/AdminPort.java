// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.admin.AdminServer;
import io.mely.admin.AdminServer.Route;
import io.mely.cli.Program.Monitored;
import io.mely.cli.Program.Service;
import io.mely.metrics.MelyMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What operators see of a program, on an address of its own: the live page, {@code /livez}, {@code /readyz} and {@code /metrics}.
 *
 * <p><b>Threads.</b> That of the command; those of the port answer.
 */
final class AdminPort implements AutoCloseable {
    private static final String TEXT = "text/plain; charset=utf-8";

    /** What Prometheus calls its text format. */
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    private final AdminServer server;
    private final AtomicBoolean isStopping;

    private AdminPort(AdminServer server, AtomicBoolean isStopping) {
        this.server = server;
        this.isStopping = isStopping;
    }

    /**
     * Opens the port, if there is to be one.
     *
     * @return null if it is off
     * @throws StartException if it can't be opened
     */
    static @Nullable AdminPort open(Values values, Service service) throws StartException {
        String setting = values.get(CommonSettings.ADMIN);
        Monitored monitored = setting.equals(CommonSettings.OFF) ? null : service.monitored();
        if (monitored == null) {
            return null;
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new MelyMetrics(monitored.mely()).bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        monitored.meters().bindTo(registry);
        AtomicBoolean isStopping = new AtomicBoolean();
        Map<String, Route> routes = Map.of(
                "/livez", () -> health(service.isServing(), "it has broken down; the log says why"),
                "/readyz", () -> health(service.isServing() && !isStopping.get(), "it is stopping"),
                "/metrics", () -> new Route.Answer(200, METRICS, registry.scrape()));
        try {
            AdminServer server = AdminServer.start(monitored.mely(), addressOf(setting), "localhost", routes);
            System.getLogger(AdminPort.class.getName())
                    .log(Level.INFO, "admin page and metrics on {0}", Addresses.url(server.address()));
            return new AdminPort(server, isStopping);
        } catch (UnknownHostException unknown) {
            throw new StartException(values.describe(CommonSettings.ADMIN) + ": no such host or network interface");
        } catch (IOException failed) {
            throw new StartException(values.describe(CommonSettings.ADMIN) + ": " + failed.getMessage());
        }
    }

    private static Route.Answer health(boolean isGood, String why) {
        return isGood ? new Route.Answer(200, TEXT, "ok\n") : new Route.Answer(503, TEXT, why + "\n");
    }

    /** Whether text is {@code PORT} or {@code HOST:PORT}, or says that there is no port. */
    static boolean isSetting(String text) {
        if (text.equals(CommonSettings.OFF)) {
            return true;
        }
        int colon = text.lastIndexOf(':');
        return (colon < 0 || Addresses.isHost(text.substring(0, colon)))
                && text.substring(colon + 1).matches("[0-9]{1,5}")
                && Integer.parseInt(text.substring(colon + 1)) <= 65_535;
    }

    private static InetSocketAddress addressOf(String setting) throws UnknownHostException {
        int colon = setting.lastIndexOf(':');
        String host = colon < 0 ? "127.0.0.1" : setting.substring(0, colon);
        return new InetSocketAddress(Addresses.lookUp(host), Integer.parseInt(setting.substring(colon + 1)));
    }

    /** Where it listens. */
    InetSocketAddress address() {
        return server.address();
    }

    /** From now on it is not ready for more. */
    void stopping() {
        isStopping.set(true);
    }

    @Override
    public void close() {
        server.close();
    }
}
