// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Children;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A load generator in a process of its own, on CPUs of its own if that is asked for; it stays, so that it has been compiled when it matters.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Generator implements AutoCloseable {
    private static final Injector.Progress SILENT = (responses, errors) -> {};

    private final Process process;
    private final Master master;

    private Generator(Process process, Master master) {
        this.process = process;
        this.master = master;
    }

    /**
     * Starts one, and waits until it listens.
     *
     * @param java that runs it
     * @param cpus as {@code taskset -c} takes them; empty for all
     */
    static Generator start(String java, String cpus) throws IOException {
        List<String> command = new ArrayList<>();
        if (!cpus.isEmpty()) {
            command.addAll(List.of("taskset", "-c", cpus));
        }
        command.addAll(List.of(
                java, "-cp", System.getProperty("java.class.path"), "io.mely.bench.Main", "load", "--slave", "0"));
        Process process = Children.endWithUs(new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
        try {
            BufferedReader says =
                    new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
            String line = says.readLine();
            if (line == null || !line.startsWith("slave at ")) {
                throw new IOException("the generator does not start: " + line);
            }
            int port = Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
            return new Generator(
                    process, new Master(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))));
        } catch (IOException | RuntimeException e) {
            process.destroy();
            throw e;
        }
    }

    /** As {@link Injector#run}. */
    Result run(Plan plan) throws IOException, InterruptedException {
        return master.run(plan, SILENT);
    }

    /** How many CPUs a list such as 0,2-3 names; all if it is empty. */
    static int count(String cpus) {
        if (cpus.isEmpty()) {
            return Runtime.getRuntime().availableProcessors();
        }
        int count = 0;
        for (String part : cpus.split(",", -1)) {
            String[] ends = part.split("-", 2);
            count += Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]) + 1;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        master.close();
    }
}
