// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Property: the servers that SWS is compared with answer every request rightly, and each run of each is in the raw data. */
class CompareCommandTest {
    static boolean has(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }

    /** One short round; returns the exit code. */
    private static int compareBriefly(Path json, String... more) {
        List<String> args = new ArrayList<>(
                List.of("--rounds", "1", "--seconds", "0.5", "--warm-seconds", "0", "--json", json.toString()));
        args.addAll(List.of(more));
        return CompareCommand.execute(args.toArray(String[]::new));
    }

    @Test
    void execute_loadsEachServer(@TempDir Path dir) throws IOException {
        assumeTrue(Epoll.isAvailable() && has("gcc"));
        String servers = has("nginx") ? "netty,c,nginx" : "netty,c";
        Path json = dir.resolve("runs.json");
        Path html = dir.resolve("page.html");
        Path plot = dir.resolve("bars.svg");
        assertThat(compareBriefly(
                        json,
                        "--server",
                        servers,
                        "--beside",
                        "c",
                        "--load",
                        "3x5,2x0",
                        "--html",
                        html.toString(),
                        "--plot",
                        plot.toString()))
                .isZero();
        List<String> runs = Files.readAllLines(json).stream()
                .filter(line -> line.contains("\"server\": "))
                .toList();
        for (String server : servers.split(",", -1)) {
            assertThat(runs.stream().filter(run -> run.contains("\"server\": \"" + server + "\"")))
                    .hasSize(2)
                    .noneMatch(run -> run.contains("\"responses\": 0,"));
        }
        assertThat(html)
                .content()
                .contains("3 clients, 5 requests a connection", "2 clients, endless connections", "x c");
        assertThat(plot)
                .content()
                .contains(
                        "3 clients, 5 requests a connection, requests/s", "2 clients, endless connections, p99 in ms");
    }

    @Test
    void deployments_areExpanded_eachOnce() throws IOException {
        ServerOptions options = new ServerOptions();
        new CommandLine(options).parseArgs("--deployments", "../config/stages");
        List<String> names = options.expanded(List.of("nginx", "sws:*", "sws:mg1"));
        assertThat(names).startsWith("nginx").contains("sws:cohort", "sws:seda").endsWith("sws:mg1");
        assertThat(names.stream().filter("sws:mg1"::equals)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x5", "0x5", "100x5", "1x", "1x0", "ax5", "5"})
    void large_isAPercentAndASize(String large) {
        assertThat(CompareCommand.execute("--server", "c", "--large", large)).isEqualTo(2);
    }

    /** Of the large file a part of the requests ask, and get it whole. */
    @Test
    void execute_asksForALargeFile_nowAndThen(@TempDir Path dir) throws IOException {
        assumeTrue(Epoll.isAvailable() && has("nginx"));
        Path json = dir.resolve("runs.json");
        assertThat(compareBriefly(json, "--server", "nginx", "--load", "2x0", "--large", "20x300000"))
                .isZero();
        String run = Files.readString(json);
        double bytes = number(run, "bytes");
        double responses = number(run, "responses");
        assertThat(bytes / responses).isBetween(10_000.0, 200_000.0);
    }

    private static double number(String json, String key) {
        Matcher found = Pattern.compile("\"" + key + "\": ([0-9.E]+)").matcher(json);
        assertThat(found.find()).as(key).isTrue();
        return Double.parseDouble(found.group(1));
    }

    /** What a run receives of a large file counts, whole or not; its length is checked where it is whole. */
    @Test
    void execute_countsPartsOfLargeFiles(@TempDir Path dir) throws IOException {
        assumeTrue(Epoll.isAvailable() && has("gcc"));
        Path json = dir.resolve("runs.json");
        assertThat(compareBriefly(json, "--server", "c", "--beside", "c", "--load", "2x0", "--bytes", "3000000"))
                .isZero();
        assertThat(json).content().contains("\"receivedBytes\": ").doesNotContain("\"receivedBytes\": 0,");
    }

    @Test
    void execute_saysThatAServerDoesNotStart() {
        assumeTrue(Epoll.isAvailable());
        assertThat(CompareCommand.execute("--server", "sws", "--sws", "/nowhere.jar"))
                .isEqualTo(1);
        assertThat(CompareCommand.execute("--server", "nobody")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--load 5", "--load 0x5", "--cpus 0", "--rounds 0"})
    void execute_refuses(String args) {
        assertThat(CompareCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }
}
