// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.report.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code idle}: what a server keeps for a connection that has asked once and now says nothing. */
@Command(
        name = "idle",
        mixinStandardHelpOptions = true,
        description =
                "Opens connections, asks once on each, leaves them alone, and prints the server's memory for one.")
public final class IdleCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final int BYTES = 1_024;
    private static final int TIMEOUT_MS = 60_000;
    private static final long LOOK_NS = 10_000_000;

    /** Connections before the first look: what the first ones need is not for one of them. */
    private static final int WARM_CONNECTIONS = 500;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(
            names = "--server",
            split = ",",
            description = "Of those of the command compare (default: sws, nginx, netty, c).")
    private List<String> names = List.of("sws", "nginx", "netty", "c");

    @Option(names = "--connections", description = "(default: ${DEFAULT-VALUE})")
    private int connections = 10_000;

    @Option(names = "--cores", description = "Of each server (default: as many as CPUs).")
    private int cores = Runtime.getRuntime().availableProcessors();

    private IdleCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code idle}
     * @return 0; 1 if it could not run, which includes connections that were not kept; 2 for wrong options
     */
    public static int execute(String... args) {
        return Commands.execute(new IdleCommand(), args);
    }

    /** The memory of a server at one time; the JVM's part is null for others. */
    private record Look(
            long residentBytes, int descriptors, @Nullable JvmMemory jvm) {
        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("residentBytes", residentBytes);
            all.put("descriptors", descriptors);
            if (jvm != null) {
                all.put("heapBytes", jvm.heapBytes());
                all.put("nativeBytes", jvm.nativeBytes());
                all.put("directBytes", jvm.directBytes());
            }
            return all;
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (connections < 1 || cores < 1) {
            throw new ParameterException(spec.commandLine(), "connections and cores must be >= 1");
        }
        PrintWriter out = spec.commandLine().getOut();
        Map<String, String> environment = Environment.describe();
        environment.put("connections", Integer.toString(connections));
        List<Map<String, Object>> runs = new ArrayList<>();
        try (Site site = Site.create()) {
            site.write(CompareCommand.FILE, BYTES, 1);
            Server.Setting setting = options.setting(
                    site,
                    BYTES,
                    "",
                    cores,
                    List.of(JvmMemory.OPTION),
                    Map.of("SWS_MAX_CLIENTS", Integer.toString(connections + WARM_CONNECTIONS)));
            environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
            out.printf("%n%8s  %12s  %12s  %12s%n", "server", "resident B", "heap B", "native B");
            for (String name : names) {
                runs.add(measure(name, setting, out));
            }
        } catch (IOException | IllegalArgumentException e) {
            spec.commandLine().getErr().println("idle: " + e.getMessage());
            return CANNOT_RUN;
        }
        out.printf(
                "%nFor one connection. Resident: of the server's processes, by the kernel. Heap: live objects after a"
                        + " collection; native: all else the JVM counts.%n");
        out.flush();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", environment);
        all.put("runs", runs);
        options.write(all);
        return 0;
    }

    private Map<String, Object> measure(String name, Server.Setting setting, PrintWriter out)
            throws IOException, InterruptedException {
        try (Server server = Server.start(name, setting)) {
            int alone = server.descriptors();
            close(open(server, WARM_CONNECTIONS));
            awaitDescriptors(server, alone + WARM_CONNECTIONS / 10);
            Look before = look(server);
            List<Socket> kept = open(server, connections);
            try {
                Look after = look(server);
                if (after.descriptors() - before.descriptors() < connections) {
                    throw new IOException(name + " has not kept all connections: descriptors before and after: "
                            + before.descriptors() + ", " + after.descriptors());
                }
                JvmMemory was = before.jvm();
                JvmMemory is = after.jvm();
                out.printf(
                        "%8s  %12s  %12s  %12s%n",
                        name,
                        each(after.residentBytes() - before.residentBytes()),
                        was == null || is == null ? "-" : each(is.heapBytes() - was.heapBytes()),
                        was == null || is == null ? "-" : each(is.nativeBytes() - was.nativeBytes()));
                out.flush();
                Map<String, Object> run = new LinkedHashMap<>();
                run.put("server", name);
                run.put("before", before.json());
                run.put("after", after.json());
                return run;
            } finally {
                close(kept);
            }
        }
    }

    /** The server has seen that connections were closed. */
    private static void awaitDescriptors(Server server, int most) throws IOException {
        long startNs = System.nanoTime();
        while (server.descriptors() > most) {
            if (System.nanoTime() - startNs > TIMEOUT_MS * 1_000_000L) {
                throw new IOException(server.name + " keeps connections that were closed: descriptors: "
                        + server.descriptors() + ", at most " + most + " expected");
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    private String each(long bytes) {
        return String.format(Locale.ROOT, "%,.0f", (double) bytes / connections);
    }

    private Look look(Server server) throws IOException, InterruptedException {
        boolean isJvm = server.name.startsWith("sws") || server.name.equals("netty");
        JvmMemory jvm = isJvm ? JvmMemory.of(options.java(), server.pid()) : null;
        return new Look(server.residentBytes(), server.descriptors(), jvm);
    }

    private static List<Socket> open(Server server, int count) throws IOException {
        byte[] request = ("GET /" + CompareCommand.FILE + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port);
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Socket socket = new Socket();
            sockets.add(socket);
            socket.connect(address, TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            socket.getOutputStream().write(request);
            readResponse(socket.getInputStream());
        }
        return sockets;
    }

    /** The head, then the body. */
    private static void readResponse(InputStream in) throws IOException {
        int emptyLine = 0;
        for (int i = 0; emptyLine < 4; i++) {
            int c = in.read();
            if (c < 0) {
                throw new IOException("closed after " + i + " bytes of the head");
            }
            emptyLine = c == (emptyLine % 2 == 0 ? '\r' : '\n') ? emptyLine + 1 : c == '\r' ? 1 : 0;
        }
        int body = in.readNBytes(BYTES).length;
        if (body < BYTES) {
            throw new IOException("closed after " + body + " bytes of the body");
        }
    }

    private static void close(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
