// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.mely.Mely;
import io.mely.StageGraph;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port on which a runtime shows its stage graph: a live page at {@code /}, and {@code /graph.json}, {@code /graph.dot}, {@code /graph.svg}.
 *
 * <pre>
 *   try (AdminServer admin = AdminServer.start(mely, 9090)) { ... }
 * </pre>
 *
 * <p>It shows figures and changes nothing. It has no passwords: it listens on the loopback address, unless it is told otherwise, and answers only requests that name it by that address, by {@code localhost}, or by the name it was
 * given, so that pages of other sites cannot read it.
 *
 * <p><b>Threads.</b> Any; it has some of its own, which end with it. <b>Costs.</b> None while nobody looks; one who looks takes less than a percent of a CPU.
 */
public final class AdminServer implements AutoCloseable {
    private static final int THREADS_MAX = 8;
    private static final int STREAMS_MAX = 4;
    private static final int WAITING_MAX = 64;
    private static final Duration REFRESH = Duration.ofSeconds(1);

    /** Looks at what the threads do, between two refreshes: a share is right to a few percent. One takes a microsecond. */
    private static final int LOOKS = 100;

    /** A load is that of so many seconds, so that a warning of it does not come and go. */
    private static final int WARNING_SECONDS = 10;

    private final Mely mely;
    private final HttpServer server;
    private final ExecutorService threads;
    private final Set<String> hosts;
    private final Semaphore streams = new Semaphore(STREAMS_MAX);
    private final Object closing = new Object();
    private boolean isClosed; // guarded by closing
    private final Page page;
    private final Map<String, Route> routes;

    /**
     * A path that an application adds. Probes and scrapers ask for it by whatever name they know the machine, so the host that a request names is not looked at: it must not tell what a page of another site
     * should not know. <b>Threads.</b> Any.
     */
    @FunctionalInterface
    public interface Route {
        /**
         * Answers a GET.
         *
         * @return made anew for each request
         */
        Answer answer();

        /**
         * What is answered.
         *
         * @param status of HTTP
         * @param type of the body
         * @param body in UTF-8
         */
        record Answer(int status, String type, String body) {}
    }

    private AdminServer(
            Mely mely,
            HttpServer server,
            ExecutorService threads,
            Set<String> hosts,
            Page page,
            Map<String, Route> routes) {
        this.mely = mely;
        this.server = server;
        this.threads = threads;
        this.hosts = hosts;
        this.page = page;
        this.routes = routes;
    }

    /**
     * Opens the port on the loopback address.
     *
     * @param mely to show
     * @param port 0 for any
     * @return open
     * @throws IOException if the port cannot be opened
     */
    public static AdminServer start(Mely mely, int port) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        return start(mely, new InetSocketAddress(loopback, port), "localhost");
    }

    /**
     * Opens the port on an address. Whoever can reach it sees the figures.
     *
     * @param mely to show
     * @param at address and port
     * @param host name by which browsers reach it
     * @return open
     * @throws IOException if the port cannot be opened
     */
    public static AdminServer start(Mely mely, InetSocketAddress at, String host) throws IOException {
        return start(mely, at, host, Map.of());
    }

    /**
     * Opens the port on an address, with further paths. Whoever can reach it sees the figures.
     *
     * @param mely to show
     * @param at address and port
     * @param host name by which browsers reach it
     * @param routes by path, such as {@code /metrics}
     * @return open
     * @throws IOException if the port cannot be opened
     */
    public static AdminServer start(Mely mely, InetSocketAddress at, String host, Map<String, Route> routes)
            throws IOException {
        Page page = Page.read();
        HttpServer server = HttpServer.create(at, WAITING_MAX);
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS_MAX, THREADS_MAX, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), body -> {
                    Thread thread = new Thread(body, "mely-admin-" + number.getAndIncrement());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        Set<String> hosts = new HashSet<>();
        hosts.add(host.toLowerCase(Locale.ROOT));
        InetAddress address = server.getAddress().getAddress();
        hosts.add(address.getHostAddress());
        if (address.isLoopbackAddress()) {
            hosts.add("127.0.0.1");
            hosts.add("::1");
        }
        AdminServer admin = new AdminServer(mely, server, threads, Set.copyOf(hosts), page, Map.copyOf(routes));
        server.setExecutor(threads);
        server.createContext("/", admin::answer);
        server.start();
        return admin;
    }

    /**
     * Where it listens.
     *
     * @return with the port that was opened
     */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /**
     * The port.
     *
     * @return the one that was opened
     */
    public int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            exchange.getResponseHeaders().set("Cross-Origin-Resource-Policy", "same-origin");
            exchange.getResponseHeaders().set("Referrer-Policy", "no-referrer");
            if (!routes.containsKey(exchange.getRequestURI().getPath())
                    && !isOurs(exchange.getRequestHeaders().getFirst("Host"))) {
                send(exchange, 421, "text/plain", "this host is not served here\n");
                return;
            }
            String method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "text/plain", "GET and HEAD only\n");
                return;
            }
            answerPath(exchange, exchange.getRequestURI().getPath());
        }
    }

    private boolean isOurs(String host) {
        if (host == null) {
            return false;
        }
        int port = host.lastIndexOf(':');
        String name = port > host.lastIndexOf(']') ? host.substring(0, port) : host;
        String bare = name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
        return hosts.contains(bare.toLowerCase(Locale.ROOT));
    }

    private void answerPath(HttpExchange exchange, String path) throws IOException {
        Route route = routes.get(path);
        if (route != null) {
            Route.Answer answer = route.answer();
            send(exchange, answer.status(), answer.type(), answer.body());
            return;
        }
        switch (path) {
            case "/" -> {
                exchange.getResponseHeaders().set("Content-Security-Policy", page.policy());
                send(exchange, 200, "text/html; charset=utf-8", page.bytes());
            }
            case "/graph.json" -> {
                StageGraph graph = mely.graph();
                String json = GraphJson.of(graph, graph, graph.warnings(), mely.stats(), mely.colors(), null);
                send(exchange, 200, "application/json", json);
            }
            case "/graph.dot" -> send(exchange, 200, "text/vnd.graphviz; charset=utf-8", GraphDot.of(mely.graph()));
            case "/graph.svg" -> send(exchange, 200, "image/svg+xml; charset=utf-8", GraphSvg.of(mely.graph()));
            case "/events" -> stream(exchange);
            default -> {
                List<String> paths = new ArrayList<>(List.of("/", "/graph.json", "/graph.dot", "/graph.svg"));
                paths.addAll(new TreeSet<>(routes.keySet()));
                send(exchange, 404, "text/plain", "there is " + String.join(", ", paths) + "\n");
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        send(exchange, status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    /** Server-sent events: each second what has happened in it. */
    private void stream(HttpExchange exchange) throws IOException {
        if (exchange.getRequestMethod().equals("HEAD") || !streams.tryAcquire()) {
            send(exchange, 503, "text/plain", "too many look\n");
            return;
        }
        try {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            out.write("retry: 1000\n\n".getBytes(StandardCharsets.UTF_8)); // ms
            out.flush();
            Deque<StageGraph> before = new ArrayDeque<>(List.of(mely.graph()));
            Samples samples = new Samples();
            while (looks(samples)) {
                StageGraph now = mely.graph();
                List<StageGraph.Warning> warnings = now.warnings(now.since(before.getFirst()));
                String json =
                        GraphJson.of(now, now.since(before.getLast()), warnings, mely.stats(), mely.colors(), samples);
                out.write(("event: graph\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
                samples.nextSecond();
                before.addLast(now);
                if (before.size() > WARNING_SECONDS) {
                    before.removeFirst();
                }
            }
        } finally {
            streams.release();
        }
    }

    /** Until the next refresh, looking at what the threads do. False if it is closed. */
    private boolean looks(Samples samples) {
        for (int i = 0; i < LOOKS; i++) {
            if (!waits(REFRESH.dividedBy(LOOKS))) {
                return false;
            }
            samples.add(mely.activity(), System.nanoTime());
        }
        return true;
    }

    /** False if it is closed. */
    private boolean waits(Duration time) {
        synchronized (closing) {
            long leftNs = time.toNanos();
            long untilNs = System.nanoTime() + leftNs;
            try {
                while (!isClosed && leftNs > 0) {
                    TimeUnit.NANOSECONDS.timedWait(closing, leftNs);
                    leftNs = untilNs - System.nanoTime();
                }
            } catch (InterruptedException e) {
                return false;
            }
            return !isClosed;
        }
    }

    /** Closes the port, and ends what is under way. */
    @Override
    public void close() {
        synchronized (closing) {
            isClosed = true;
            closing.notifyAll();
        }
        server.stop(0);
        threads.shutdown();
    }
}
