// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.report.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What all commands that start servers and measure them can be told. */
final class ServerOptions {
    @Option(names = "--sws", description = "Its jar (default: ${DEFAULT-VALUE}).")
    private Path swsJar = Path.of("mely-apps/target/sws.jar");

    @Option(
            names = "--deployments",
            description = "Folder with the deployment files of SWS (default: ${DEFAULT-VALUE}).")
    private Path deployments = Path.of("config/stages");

    @Option(names = "--java", description = "That runs SWS, the Netty server and the generator (default: this one).")
    private String java =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @Option(names = "--java-option", description = "Of SWS and the Netty server. May be repeated.")
    private List<String> javaOptions = List.of();

    @Option(names = "--json", description = "Writes all figures.")
    private @Nullable Path json;

    ServerOptions() {}

    String java() {
        return java;
    }

    /**
     * How servers are started.
     *
     * @param site what they serve
     * @param bodyBytes of the file there, if it is one
     * @param cpus that servers may use, as {@code taskset -c} takes them; empty for all
     * @param cores how many these are
     * @param moreOptions of Java, behind those that were asked for
     * @param variables environment of SWS
     */
    Server.Setting setting(
            Site site,
            long bodyBytes,
            String cpus,
            int cores,
            List<String> moreOptions,
            Map<String, String> variables) {
        List<String> options = new ArrayList<>(javaOptions);
        options.addAll(moreOptions);
        return new Server.Setting(
                site.dir(),
                site.root(),
                bodyBytes,
                cpus,
                cores,
                swsJar.toAbsolutePath(),
                deployments.toAbsolutePath(),
                java,
                options,
                variables,
                List.of());
    }

    /** Names of servers, of which {@code sws:*} stands for SWS under each deployment. */
    List<String> expanded(List<String> names) throws IOException {
        List<String> all = new ArrayList<>();
        for (String name : names) {
            if (name.equals(Server.DEPLOYED + "*")) {
                try (Stream<Path> files = Files.list(deployments)) {
                    files.map(file -> file.getFileName().toString())
                            .filter(file -> file.endsWith(".conf"))
                            .sorted()
                            .forEach(file -> all.add(Server.DEPLOYED + file.replaceAll("\\.conf$", "")));
                }
            } else {
                all.add(name);
            }
        }
        return all;
    }

    /** If a file for it was named. */
    void write(Map<String, ?> figures) throws IOException {
        if (json != null) {
            Files.writeString(json, Json.write(figures));
        }
    }
}
