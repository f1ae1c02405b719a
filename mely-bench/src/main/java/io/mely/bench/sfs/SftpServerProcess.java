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

/**
 * An SFTP server in a process of its own, on a free port of this machine.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class SftpServerProcess implements AutoCloseable {
    /** OpenSSH's server. */
    static final String SSHD = "sshd";

    /** SFS; behind a colon settings of its configuration, such as {@code sfs:stealing=off}. */
    static final String SFS = "sfs";

    private static final Path SSHD_PROGRAM = Path.of("/usr/sbin/sshd");
    private static final Path SSHD_EMPTY = Path.of("/run/sshd");
    private static final long READY_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NS = 10_000_000;
    private static final int STOP_S = 10;
    private static final int CONNECT_MS = 1_000;

    /** Of {@code /proc/PID/stat}, counted behind the command's name: the process's own ticks, and those of children that have ended. */
    private static final int TICKS_FIRST = 11;

    private static final int TICKS_FIELDS = 4;
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
     */
    record Setting(Path root, Path folder, Path keys, String java, List<String> javaOptions, int cores) {}

    private final String name;
    private final Process process;
    private final int port;
    private final Path root;

    private SftpServerProcess(String name, Process process, int port, Path root) {
        this.name = name;
        this.process = process;
        this.port = port;
        this.root = root;
    }

    static boolean isThere(String name) {
        return !name.equals(SSHD) || Files.isExecutable(SSHD_PROGRAM);
    }

    static boolean isKnown(String name) {
        return name.equals(SSHD) || name.equals(SFS) || name.startsWith(SFS + ":");
    }

    static SftpServerProcess start(String name, Setting setting) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        List<String> command = name.equals(SSHD) ? sshd(setting, port) : sfs(name, setting, port);
        Path output = setting.folder().resolve(name.replaceAll("\\W", "-") + ".log");
        Process process = Children.endWithUs(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start());
        SftpServerProcess server = new SftpServerProcess(name, process, port, setting.root());
        server.awaitReady(output);
        return server;
    }

    private static List<String> sfs(String name, Setting setting, int port) throws IOException {
        Path config = setting.folder().resolve(name.replaceAll("\\W", "-") + ".conf");
        List<String> lines = new ArrayList<>();
        int colon = name.indexOf(':');
        if (colon >= 0) {
            lines.addAll(List.of(name.substring(colon + 1).split(";", -1)));
        }
        Files.write(config, lines);
        List<String> command = new ArrayList<>(List.of(setting.java()));
        command.addAll(setting.javaOptions());
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.mely.sfs.cli.Main",
                setting.root().toString(),
                "--config",
                config.toString(),
                "--port",
                String.valueOf(port),
                "--cores",
                String.valueOf(setting.cores()),
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

    private void awaitReady(Path output) throws IOException {
        long startNs = System.nanoTime();
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
                return;
            } catch (IOException notYet) {
                if (!process.isAlive() || System.nanoTime() - startNs > READY_NS) {
                    throw new IOException(name + " did not start: " + Files.readString(output), notYet);
                }
                LockSupport.parkNanos(LOOK_NS);
            }
        }
    }

    int port() {
        return port;
    }

    /** The path by which its clients ask for a file. */
    String remote(String file) {
        return name.equals(SSHD) ? root.resolve(file).toString() : "/" + file;
    }

    /** CPU time so far, of the children too: those are waited for, as sshd has one for each client. */
    double cpuSeconds() throws IOException {
        while (process.descendants().findAny().isPresent()) {
            LockSupport.parkNanos(LOOK_NS);
        }
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = 0;
        for (int i = 0; i < TICKS_FIELDS; i++) {
            ticks += Long.parseLong(fields[TICKS_FIRST + i]);
        }
        return ticks * SECONDS_PER_TICK;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (process.waitFor(STOP_S, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
