// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import io.mely.bench.Children;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An SFTP server in a process of its own, on a free port of this machine; or copies of it.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class SftpServerProcess implements AutoCloseable {
    private static final Path SSHD_PROGRAM = Path.of("/usr/sbin/sshd");
    private static final Path SSHD_EMPTY = Path.of("/run/sshd");
    private static final long READY_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NS = 10_000_000;
    private static final int STOP_S = 10;
    private static final int CONNECT_MS = 1_000;

    /** Of {@code /proc/PID/stat}, counted behind the command's name: the process's own ticks, and those of children that have ended. */
    private static final int TICKS_FIRST = 11;

    private static final int TICKS_FIELDS = 4;

    /** Of SFS's statistics. */
    private static final Pattern COPIED =
            Pattern.compile("bytes read: ([0-9,]+)  bytes written: [0-9,]+  bytes copied: ([0-9,]+)");

    private static final double SECONDS_PER_TICK = 0.01;

    /**
     * What it is started with.
     *
     * @param root folder with the file to read
     * @param folder of its own files, such as keys
     * @param keys authorized_keys
     * @param java program
     * @param javaOptions of SFS
     * @param cores of SFS
     * @param cpus what its CPUs are set by: a command before its own
     * @param profile file of the profile of what it did; null: none
     * @param warmSeconds what is left out of that
     */
    record Setting(
            Path root,
            Path folder,
            Path keys,
            String java,
            List<String> javaOptions,
            int cores,
            List<String> cpus,
            @Nullable Path profile,
            long warmSeconds) {}

    private final Engine engine;
    private final List<Process> processes;
    private final List<Integer> ports;
    private final List<Path> outputs = new ArrayList<>();
    private final Path root;

    private SftpServerProcess(Engine engine, List<Process> processes, List<Integer> ports, Path root) {
        this.engine = engine;
        this.processes = processes;
        this.ports = ports;
        this.root = root;
    }

    static boolean isThere(Engine engine) {
        return !engine.isSshd() || Files.isExecutable(SSHD_PROGRAM);
    }

    static SftpServerProcess start(Engine engine, Setting setting) throws IOException {
        List<Process> processes = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        SftpServerProcess server = new SftpServerProcess(engine, processes, ports, setting.root());
        boolean isReady = false;
        try {
            for (int copy = 0; copy < engine.copies(setting.cores()); copy++) {
                int port;
                try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                    port = free.getLocalPort();
                }
                String file = engine.name().replaceAll("\\W", "-") + "-" + setting.cores() + "-" + copy;
                List<String> command = new ArrayList<>(setting.cpus());
                command.addAll(engine.isSshd() ? sshd(setting, port) : sfs(engine, setting, file, port));
                Path output = setting.folder().resolve(file + ".log");
                Process process = Children.endWithUs(new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start());
                processes.add(process);
                ports.add(port);
                server.outputs.add(output);
                server.awaitReady(process, port, output);
            }
            isReady = true;
            return server;
        } finally {
            if (!isReady) {
                server.close();
            }
        }
    }

    private static List<String> sfs(Engine engine, Setting setting, String file, int port) throws IOException {
        Path config = setting.folder().resolve(file + ".conf");
        List<String> lines = new ArrayList<>(List.of("cores=" + engine.coresOfEach(setting.cores())));
        lines.addAll(engine.settings());
        Files.write(config, lines);
        Path profile = setting.profile();
        List<String> command = new ArrayList<>(List.of(setting.java()));
        command.addAll(setting.javaOptions());
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                EngineServer.class.getName(),
                engine.kind(),
                profile == null ? EngineServer.UNRECORDED : profile.toString(),
                String.valueOf(setting.warmSeconds()),
                setting.root().toString(),
                "--config",
                config.toString(),
                "--stats",
                "--port",
                String.valueOf(port),
                "--user",
                System.getProperty("user.name"),
                "--authorized-keys",
                setting.keys().toString(),
                "--host-keys",
                setting.folder().toString()));
        return command;
    }

    private static List<String> sshd(Setting setting, int port) throws IOException {
        Files.createDirectories(SSHD_EMPTY);
        Path config = setting.folder().resolve("sshd_config");
        Files.writeString(
                config, """
                Port %d
                ListenAddress 127.0.0.1
                HostKey %s
                AuthorizedKeysFile %s
                Subsystem sftp internal-sftp
                StrictModes no
                PidFile none
                MaxStartups 1000
                """.formatted(port, setting.folder().resolve("ssh_host_ed25519_key"), setting.keys()));
        return List.of(SSHD_PROGRAM.toString(), "-D", "-e", "-f", config.toString());
    }

    private void awaitReady(Process process, int port, Path output) throws IOException {
        long startNs = System.nanoTime();
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
                return;
            } catch (IOException notYet) {
                if (!process.isAlive() || System.nanoTime() - startNs > READY_NS) {
                    throw new IOException(engine.name() + " did not start: " + Files.readString(output), notYet);
                }
                LockSupport.parkNanos(LOOK_NS);
            }
        }
    }

    /** Where a client goes: copies have the clients in turn. */
    int port(int client) {
        return ports.get(client % ports.size());
    }

    /** The path by which its clients ask for a file. */
    String remote(String file) {
        return engine.isSshd() ? root.resolve(file).toString() : "/" + file;
    }

    /** CPU time so far, of the children too: those are waited for, as sshd has one for each client. */
    double cpuSeconds() throws IOException {
        long ticks = 0;
        for (Process process : processes) {
            while (process.descendants().findAny().isPresent()) {
                LockSupport.parkNanos(LOOK_NS);
            }
            String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            for (int i = 0; i < TICKS_FIELDS; i++) {
                ticks += Long.parseLong(fields[TICKS_FIRST + i]);
            }
        }
        return ticks * SECONDS_PER_TICK;
    }

    /** How often it has copied each byte that was read, in its memory; known once it is closed. NaN of sshd, which does not say. */
    double copiesPerByte() throws IOException {
        long read = 0;
        long copied = 0;
        for (Path each : outputs) {
            Matcher found = COPIED.matcher(Files.readString(each));
            while (found.find()) {
                read += number(found.group(1));
                copied += number(found.group(2));
            }
        }
        return read == 0 ? Double.NaN : (double) copied / read;
    }

    private static long number(String text) {
        return Long.parseLong(text.replace(",", ""));
    }

    @Override
    public void close() {
        processes.forEach(Process::destroy);
        for (Process process : processes) {
            try {
                if (process.waitFor(STOP_S, TimeUnit.SECONDS)) {
                    continue;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            process.destroyForcibly();
        }
    }
}
