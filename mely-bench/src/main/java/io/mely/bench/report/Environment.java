// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import io.mely.Version;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where a measurement was made: without it a figure says nothing. */
public final class Environment {
    private Environment() {}

    /**
     * Looks around.
     *
     * @return names and values in the order to show them; the caller may add
     * @throws IOException if the machine's description cannot be read
     */
    public static Map<String, String> describe() throws IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("mely", Version.version());
        environment.put("commit", commit());
        environment.put("started", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        environment.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        environment.put(
                "flags", String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        environment.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        environment.put("cpu model", cpuModel());
        environment.put("cpus", Integer.toString(Runtime.getRuntime().availableProcessors()));
        environment.put("load at start", Double.toString(load()));
        return environment;
    }

    /** The machine's load average over a minute; -1 if unknown. */
    public static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    /** As the build found it; ends in "-dirty" if the checkout had changes. */
    private static String commit() throws IOException {
        try (InputStream in = Environment.class.getResourceAsStream("commit.txt")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    private static String cpuModel() throws IOException {
        Path info = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(info)) {
            return System.getProperty("os.arch");
        }
        return Files.readAllLines(info).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(System.getProperty("os.arch"));
    }
}
