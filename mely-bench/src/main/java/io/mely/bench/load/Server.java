// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Children;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A server under comparison: a process of its own, and what the kernel says of its CPU time. */
final class Server implements AutoCloseable {
    /** Where the folder of a measurement has a certificate for those that speak TLS. */
    static final String CERTIFICATE = "cert.pem";

    static final String KEY = "key.pem";

    /** nginx that speaks HTTP/2 without TLS, and nothing else. */
    static final String NGINX_H2C = "nginx-h2c";

    /** How names begin of SWS under a deployment. */
    static final String DEPLOYED = "sws:";

    /** SWS with buffers in the cores' caches. */
    private static final String STINGY = "sws-stingy";

    /** The same under a deployment. */
    private static final String STINGY_DEPLOYED = STINGY + ":";

    /** Those that are run with a small heap, beside abusive clients. */
    static final List<String> HEAPED = List.of("images", "search");

    private static final long READY_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NS = 10_000_000;
    private static final int CONNECT_MS = 1_000;
    private static final int ANSWER_MS = 20_000;
    private static final String STATUS_OK = "HTTP/1.1 200";
    private static final int STOP_S = 10;
    /** The same on every Linux that Java runs on: {@code getconf CLK_TCK}. */
    private static final long NS_PER_TICK = 10_000_000;

    /** Of {@code /proc/PID/stat}, counted behind the command's name. */
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;

    final String name;
    final int port;
    private final Process process;
    private final Path output;

    private Server(String name, int port, Process process, Path output) {
        this.name = name;
        this.port = port;
        this.process = process;
        this.output = output;
    }

    /**
     * What is compared, and with what.
     *
     * @param dir for programs, logs and configurations
     * @param root the folder that is served, with one file
     * @param bodyBytes of that file
     * @param cpus that servers may use, as {@code taskset -c} takes them; empty for all
     * @param cores how many these are
     * @param swsJar the server of ours
     * @param deployments folder of the files that {@code sws:NAME} runs under
     * @param java that runs it
     * @param javaOptions of SWS and of the Netty peer
     * @param variables environment of SWS, which may set any of its keys
     * @param prefix what its command begins with
     */
    record Setting(
            Path dir,
            Path root,
            long bodyBytes,
            String cpus,
            int cores,
            Path swsJar,
            Path deployments,
            String java,
            List<String> javaOptions,
            Map<String, String> variables,
            List<String> prefix) {
        /** The same behind another beginning. */
        Setting withPrefix(List<String> other) {
            return new Setting(
                    dir, root, bodyBytes, cpus, cores, swsJar, deployments, java, javaOptions, variables, other);
        }
    }

    /** A port that is free now. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * Starts one, and waits until it has answered a request.
     *
     * @param name sws, sws-tls, sws-tls-jdk, nginx-tls, nginx-h2c, sws-off, sws-base, sws-log, sws-per-core, sws-copies, sws-pinned, sws-stingy, sws:NAME or sws-stingy:NAME of a deployment, images, search, nginx, c or netty
     * @throws IOException if it does not start; its output is in the message
     */
    static Server start(String name, Setting setting) throws IOException, InterruptedException {
        int port = freePort();
        List<String> command = new ArrayList<>(setting.prefix());
        if (!setting.cpus().isEmpty()) {
            command.addAll(List.of("taskset", "-c", setting.cpus()));
        }
        boolean isDeployed = name.startsWith(DEPLOYED) || name.startsWith(STINGY_DEPLOYED);
        switch (isDeployed ? "sws" : name) {
            case "sws",
                    "sws-tls",
                    "sws-tls-jdk",
                    "sws-off",
                    "sws-base",
                    "sws-log",
                    "sws-per-core",
                    "sws-copies",
                    "sws-pinned",
                    STINGY -> {
                command.add(setting.java());
                command.addAll(setting.javaOptions());
                command.addAll(List.of(
                        "-jar",
                        setting.swsJar().toString(),
                        "--root",
                        setting.root().toString(),
                        "--port",
                        Integer.toString(port),
                        "--cores",
                        Integer.toString(setting.cores()),
                        "--stealing",
                        switch (name) {
                            case "sws-off", "sws-copies" -> "off";
                            case "sws-base" -> "base";
                            default -> "mely";
                        }));
            }
            case "images", "search" -> {
                command.add(setting.java());
                command.addAll(setting.javaOptions());
                command.addAll(List.of(
                        "-jar",
                        setting.swsJar().toString(),
                        "--port",
                        Integer.toString(port),
                        "--cores",
                        Integer.toString(setting.cores())));
                command.addAll(List.of("--root", setting.root().toString()));
                if (name.equals("search")) {
                    command.addAll(
                            List.of("--index", setting.dir().resolve("index").toString()));
                }
            }
            case "netty" -> {
                command.add(setting.java());
                command.addAll(setting.javaOptions());
                command.addAll(List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        NettyPeer.class.getName(),
                        Integer.toString(port),
                        setting.root().toString(),
                        Integer.toString(setting.cores())));
            }
            case "nginx", "nginx-tls", NGINX_H2C ->
                command.addAll(List.of(
                        "nginx",
                        "-p",
                        setting.dir().toString(),
                        "-c",
                        writeNginx(setting, port, name).toString(),
                        "-g",
                        "daemon off;"));
            case "c" ->
                command.addAll(List.of(
                        compile(setting.dir()).toString(),
                        Integer.toString(port),
                        Long.toString(setting.bodyBytes()),
                        Integer.toString(setting.cores())));
            default -> throw new IllegalArgumentException("no such server: " + name);
        }
        Path output = setting.dir().resolve(name.replace(':', '-') + ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(setting.variables());
        if (name.startsWith(STINGY)) {
            builder.environment().put("SWS_STINGY", "on");
        }
        if (isDeployed) {
            Path file = setting.deployments().resolve(name.substring(name.indexOf(':') + 1) + ".conf");
            builder.environment().put("SWS_STAGES", file.toString());
        } else if (name.equals("sws-log")) {
            builder.environment()
                    .put("SWS_ACCESS_LOG", setting.dir().resolve("access.log").toString());
            builder.environment().put("SWS_ACCESS_LOG_KEEP", "1");
        } else if (name.equals("sws-per-core") || name.equals("sws-copies")) {
            builder.environment().put("SWS_LISTENERS", "per-core");
        } else if (name.startsWith("sws-tls")) {
            builder.environment()
                    .put(
                            "SWS_TLS_CERTIFICATES",
                            setting.dir().resolve(CERTIFICATE) + " "
                                    + setting.dir().resolve(KEY));
            builder.environment().put("SWS_TLS_ENGINE", name.endsWith("jdk") ? "jdk" : "boringssl");
        } else if (name.equals("sws-pinned")) {
            builder.environment().put("SWS_PINNED", "true");
        }
        Process process = Children.endWithUs(builder.start());
        Server server = new Server(name, port, process, output);
        try {
            server.awaitReady(
                    switch (name) {
                        case "images" -> "/statistics";
                        case "search" -> "/search";
                        default -> "/" + CompareCommand.FILE;
                    });
        } catch (IOException e) {
            server.kill();
            throw e;
        }
        return server;
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Server.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("not in the jar: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Path writeNginx(Setting setting, int port, String name) throws IOException {
        boolean isSecure = name.equals("nginx-tls");
        return Files.writeString(
                setting.dir().resolve(name + ".conf"),
                resource("nginx.conf")
                        .replace("@NAME@", name)
                        .replace("@WORKERS@", Integer.toString(setting.cores()))
                        .replace("@PORT@", Integer.toString(port))
                        .replace("@PROTOCOL@", isSecure ? "ssl http2" : name.equals(NGINX_H2C) ? "http2" : "")
                        .replace("@CERTIFICATE@", isSecure ? resource("nginx-tls.conf") : "")
                        .replace("@DIR@", setting.dir().toString())
                        .replace("@ROOT@", setting.root().toString()));
    }

    private static Path compile(Path dir) throws IOException, InterruptedException {
        Path source = Files.writeString(dir.resolve("constant.c"), resource("constant.c"));
        Path program = dir.resolve("constant");
        File log = dir.resolve("gcc.out").toFile();
        Process gcc = new ProcessBuilder("gcc", "-O2", "-o", program.toString(), source.toString(), "-lpthread")
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        if (gcc.waitFor() != 0) {
            throw new IOException("gcc: " + Files.readString(log.toPath()));
        }
        return program;
    }

    private void awaitReady(String path) throws IOException {
        for (long endNs = System.nanoTime() + READY_NS; endNs - System.nanoTime() > 0; ) {
            if (!process.isAlive()) {
                throw new IOException(name + " does not start: " + Files.readString(output));
            }
            try (Socket plain = new Socket()) {
                plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
                plain.setSoTimeout(ANSWER_MS);
                Socket socket = name.contains("-tls") ? Insecure.socket(plain) : plain;
                if (name.equals(NGINX_H2C) ? isOkByHttp2(socket, path) : isOk(socket, path)) {
                    return;
                }
                throw new IOException("not 200");
            } catch (IOException e) {
                LockSupport.parkNanos(LOOK_NS);
            }
        }
        throw new IOException(name + " does not answer: " + Files.readString(output));
    }

    private static boolean isOk(Socket socket, String path) throws IOException {
        socket.getOutputStream().write(SecureClients.get(path));
        byte[] begin = socket.getInputStream().readNBytes(STATUS_OK.length());
        return new String(begin, StandardCharsets.ISO_8859_1).equals(STATUS_OK);
    }

    private static boolean isOkByHttp2(Socket socket, String path) throws IOException {
        Http2Wire wire = new Http2Wire(socket.getInputStream(), socket.getOutputStream());
        wire.begin();
        wire.send(Http2Wire.get(1, path));
        Http2Wire.Frame head = wire.readAnswer();
        return head.type == Http2Wire.HEADERS && (head.payload[0] & 0xff) == Http2Wire.STATUS_200;
    }

    /** CPU time of the process and of its children so far, in steps of 10 ms. */
    long cpuNs() throws IOException {
        long ticks = 0;
        for (long pid : pids()) {
            ticks += ticks(pid);
        }
        return ticks * NS_PER_TICK;
    }

    private static long ticks(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        // The name is in brackets, and may have blanks.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
    }

    long pid() {
        return process.pid();
    }

    /** Descriptors of the process and of its children. */
    int descriptors() throws IOException {
        int open = 0;
        for (long pid : pids()) {
            try (Stream<Path> each = Files.list(Path.of("/proc/" + pid + "/fd"))) {
                open += (int) each.count();
            }
        }
        return open;
    }

    /** Memory of the process and of its children; what they share counts once. */
    long residentBytes() throws IOException {
        long kib = 0;
        for (long pid : pids()) {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
                if (line.startsWith("Pss:")) {
                    kib += Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
        }
        return kib << 10;
    }

    private List<Long> pids() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .map(ProcessHandle::pid)
                .toList();
    }

    /** What it has printed. */
    String output() throws IOException {
        return Files.readString(output);
    }

    /** After its end. */
    int exitCode() {
        return process.exitValue();
    }

    /** Ends it now. */
    void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(STOP_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }
}
