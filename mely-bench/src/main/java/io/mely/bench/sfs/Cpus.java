// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The CPUs of this process, dealt out to a server and its clients by {@code taskset}. */
final class Cpus {
    private static final Pattern ALLOWED = Pattern.compile("^Cpus_allowed_list:\\s*(.*)$", Pattern.MULTILINE);
    private static final Pattern RANGE = Pattern.compile("(\\d+)(?:-(\\d+))?");
    private static final Pattern MHZ = Pattern.compile("^cpu MHz\\s*:\\s*([0-9.]+)", Pattern.MULTILINE);

    private Cpus() {}

    /** Those that this process may use. */
    static List<Integer> allowed() throws IOException {
        return allowed(Files.readString(Path.of("/proc/self/status")));
    }

    static List<Integer> allowed(String status) throws IOException {
        Matcher line = ALLOWED.matcher(status);
        if (!line.find()) {
            throw new IOException("/proc/self/status does not list CPUs");
        }
        List<Integer> cpus = new ArrayList<>();
        Matcher range = RANGE.matcher(line.group(1));
        while (range.find()) {
            int from = Integer.parseInt(range.group(1));
            int to = range.group(2) == null ? from : Integer.parseInt(range.group(2));
            for (int cpu = from; cpu <= to; cpu++) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    /** What sets the CPUs of a server of so many cores: the first ones. */
    static List<String> ofServer(List<Integer> cpus, int cores) {
        return cores >= cpus.size() ? List.of() : on(cpus.subList(0, cores));
    }

    /** What sets those of its clients: the others; all, if there are no others. */
    static List<String> ofClients(List<Integer> cpus, int cores) {
        return cores >= cpus.size() ? List.of() : on(cpus.subList(cores, cpus.size()));
    }

    private static List<String> on(List<Integer> cpus) {
        return List.of("taskset", "-c", cpus.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    /** What the first CPU runs at, as the kernel says; NaN if it does not. */
    static double megahertz() throws IOException {
        Matcher line = MHZ.matcher(Files.readString(Path.of("/proc/cpuinfo")));
        return line.find() ? Double.parseDouble(line.group(1)) : Double.NaN;
    }
}
