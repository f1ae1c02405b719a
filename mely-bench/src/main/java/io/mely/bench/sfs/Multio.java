// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import io.mely.bench.Children;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The papers' load: clients with a connection each, all of which read one file that is in the server's memory. They are OpenSSH's {@code sftp}, which keeps nothing of it. They log in first; then all
 * begin at once, and the master, which is this, takes each one's time.
 *
 * @param folder with the clients' keys, and for what they say
 * @param cipher in SSH
 * @param cpus what sets the CPUs of clients: a command before their own
 * @param file that is read
 * @param bytes its length
 */
record Multio(Path folder, String cipher, List<String> cpus, String file, double bytes) {
    private static final int CLIENT_TIMEOUT_S = 300;
    private static final long LOOK_NS = 1_000_000;
    private static final double NANO = 1e9;
    private static final String LOGGED_IN = "Remote working directory";

    /** What each client had, and what they cost the server. */
    record Round(List<Double> clientBytesPerS, double bytesPerS, double cpuNsPerByte) {
        /** The slowest one's part of the fastest one's throughput. */
        double slowestShare() {
            double most =
                    clientBytesPerS.stream().max(Comparator.naturalOrder()).orElseThrow();
            return clientBytesPerS.stream().min(Comparator.naturalOrder()).orElseThrow() / most;
        }
    }

    private record Client(Process process, BufferedWriter commands, Path output, CompletableFuture<Long> endNs) {}

    Round run(SftpServerProcess server, int count) throws IOException, InterruptedException {
        double cpuBefore = server.cpuSeconds(); // their logins count, as those of sshd can't be told apart
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(begin(server, i));
        }
        for (Client each : clients) {
            awaitLogin(each);
        }
        long startNs = System.nanoTime();
        for (Client each : clients) {
            each.commands.write("get " + server.remote(file) + " /dev/null\n");
            each.commands.close();
        }
        for (Client each : clients) {
            if (!each.process.waitFor(CLIENT_TIMEOUT_S, TimeUnit.SECONDS)) {
                throw new IOException("a client did not end: " + Files.readString(each.output));
            }
            if (each.process.exitValue() != 0) {
                throw new IOException("a client failed: " + Files.readString(each.output));
            }
        }
        List<Double> speeds = new ArrayList<>();
        long endNs = startNs;
        for (Client each : clients) {
            long ended = each.endNs.join();
            endNs = Math.max(endNs, ended);
            speeds.add(bytes * NANO / (ended - startNs));
        }
        double cpuS = server.cpuSeconds() - cpuBefore;
        return new Round(speeds, bytes * count * NANO / (endNs - startNs), cpuS * NANO / (bytes * count));
    }

    private Client begin(SftpServerProcess server, int index) throws IOException {
        Path output = folder.resolve("client-" + index + ".log");
        List<String> command = new ArrayList<>(cpus);
        command.addAll(List.of(
                "sftp",
                "-q",
                "-c",
                cipher,
                "-P",
                String.valueOf(server.port(index)),
                "-F",
                "none",
                "-i",
                folder.resolve("id").toString(),
                "-o",
                "IdentitiesOnly=yes",
                "-o",
                "StrictHostKeyChecking=no",
                "-o",
                "UserKnownHostsFile=/dev/null",
                "-b",
                "-",
                System.getProperty("user.name") + "@127.0.0.1"));
        Process process = Children.endWithUs(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start());
        BufferedWriter commands = process.outputWriter(StandardCharsets.UTF_8);
        commands.write("pwd\n");
        commands.flush();
        return new Client(process, commands, output, process.onExit().thenApply(ended -> System.nanoTime()));
    }

    private static void awaitLogin(Client client) throws IOException {
        long startNs = System.nanoTime();
        while (!Files.readString(client.output).contains(LOGGED_IN)) {
            if (!client.process.isAlive() || System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(CLIENT_TIMEOUT_S)) {
                throw new IOException("a client could not log in: " + Files.readString(client.output));
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }
}
