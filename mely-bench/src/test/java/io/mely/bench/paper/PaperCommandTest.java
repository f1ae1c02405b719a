// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: the command runs every workload, its checks hold, and it writes what it promises. */
class PaperCommandTest {
    private static final String[] TINY = {
        "--rounds",
        "1",
        "--warm-ms",
        "0",
        "--measure-ms",
        "5",
        "--colors",
        "300",
        "--penalty-colors",
        "8",
        "--array-bytes",
        "16384",
        "--part-bytes",
        "4096",
        "--arrays",
        "10",
        "--sort-ints",
        "256",
        // Where threads outnumber CPUs, a hop can take a slice of the kernel's.
        "--hops",
        "200",
        "--chain-hops",
        "3"
    };

    /** Of fan-in one of nine, which differ in numbers only. */
    private static final String KEYED = "fan-in-2x64,ping-pong,chains,timers,priorities,idle-wake,skewed-server";

    private static final List<String> WITH_TIMERS = List.of("mely", "netty-hash", "pekko", "forkjoin-mailbox");

    private static int execute(String... more) {
        return executeAfter(0, more);
    }

    private static int executeAfter(int warmRounds, String... more) {
        List<String> args = new ArrayList<>(Arrays.asList(TINY));
        args.add("--warm-rounds=" + warmRounds);
        args.addAll(Arrays.asList(more));
        return PaperCommand.execute(args.toArray(String[]::new));
    }

    static List<String> engines() {
        return List.copyOf(Engines.all().keySet());
    }

    /** In one go, so that what is measured once a round is measured once. */
    @ParameterizedTest
    @ValueSource(strings = {"paper,spread-short", KEYED})
    void execute_runsEveryWorkloadByEveryContender(String workloads, @TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        assertThat(execute("--workload", workloads, "--json", json.toString())).isZero();
        Set<String> ran = Pattern.compile("\"workload\": \"([^\"]*)\"[^{}]*?\"engine\": \"([^\"]*)\"")
                .matcher(Files.readString(json))
                .results()
                .map(run -> run.group(1) + " by " + run.group(2))
                .collect(Collectors.toSet());
        List<String> names = Arrays.stream(workloads
                        .replace("paper", "unbalanced,spread,penalty,cache-efficient")
                        .split(","))
                .toList();
        for (String workload : names) {
            assertThat(engines().stream().filter(engine -> !ran.contains(workload + " by " + engine)))
                    .as("contenders that did not run %s", workload)
                    .allMatch(engine -> workload.equals("timers") && !WITH_TIMERS.contains(engine));
        }
    }

    @Test
    void execute_writesJsonAndPage(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        Path html = dir.resolve("page.html");
        assertThat(execute(
                        "--engine",
                        "mely,one-thread",
                        "--workload",
                        "paper," + KEYED,
                        "--json",
                        json.toString(),
                        "--html",
                        html.toString()))
                .isZero();
        assertThat(Files.readString(json))
                .contains(
                        "\"engine\": \"mely\"",
                        "\"engine\": \"one-thread\"",
                        "\"steals\"",
                        "\"commit\"",
                        "\"cpu model\"",
                        "\"extras\"");
        assertThat(Files.readString(html))
                .contains(
                        "<svg",
                        "unbalanced",
                        "skewed-server",
                        "p99.9 us",
                        "x mely",
                        "penalty",
                        "cache-efficient",
                        Report.MISSES)
                .doesNotContain("http://", "https://", "<script");
    }

    @Test
    void execute_reportsNoWarmUp(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        assertThat(executeAfter(1, "--workload", "spread-short", "--engine", "one-thread", "--json", json.toString()))
                .isZero();
        assertThat(Files.readString(json))
                .contains("\"rounds\": \"1 after 1\"")
                .containsOnlyOnce("\"round\":")
                .contains("\"round\": 0,", "\"lostCpus\"", "\"JIT %\"", "\"width\"")
                .doesNotContain("busiest"); // it counts nothing
    }

    // Without steals all of it stays where it begins.
    @Test
    void execute_reportsTheBusiestCore(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        assertThat(execute("--workload", "unbalanced", "--engine", "mely-nosteal", "--json", json.toString()))
                .isZero();
        assertThat(Files.readString(json)).containsPattern("\"busiest %\": 100(\\.0)?\\D");
    }

    @Test
    void execute_forksEachRun(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        String[] forks = {"--forks", "--workload", "unbalanced,ping-pong", "--json", json.toString()};
        assertThat(execute(with(forks, "--engine", "mely,one-thread"))).isZero();
        String runs = Files.readString(json);
        assertThat(runs).contains("each in a JVM of its own", "driver ns/ev");
        for (String workload : List.of("unbalanced", "ping-pong")) {
            for (String engine : List.of("mely", "one-thread")) {
                assertThat(runs)
                        .containsPattern("\"workload\": \"" + workload + "\"[^{}]*\"engine\": \"" + engine + "\"");
            }
        }
    }

    @Test
    void execute_refusesWarmRoundsBelowNone() {
        assertThat(PaperCommand.execute("--warm-rounds", "-2")).isEqualTo(2);
    }

    /** What the load depends on is measured by the parent, once for all contenders. */
    @Test
    void execute_forkedSkewedServer_hasTheSameLoadForAll(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        String[] forks = {"--forks", "--workload", "skewed-server", "--json", json.toString()};
        assertThat(execute(with(forks, "--engine", "one-thread,netty-hash"))).isZero();
        List<String> loads = Pattern.compile("\"load %\": ([0-9.]+)")
                .matcher(Files.readString(json))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(loads).hasSize(2);
        assertThat(loads.get(0)).isEqualTo(loads.get(1));
    }

    @Test
    void execute_runsEachShapeOfTheSkewedServer(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        assertThat(execute("--workload", "skewed", "--engine", "mely,one-thread", "--json", json.toString()))
                .isZero();
        assertThat(Files.readString(json))
                .contains(
                        "\"skewed-server\"",
                        "\"skewed-50\"",
                        "\"skewed-20us-1ms\"",
                        "\"skewed-5us-5ms\"",
                        "\"skewed-2us-200us\"",
                        "\"skewed-slow-keys\"");
    }

    /** Nothing is compiled in the JVM that runs it, and the report says which seconds of its life it covers. */
    @Test
    void execute_cold_saysWhichSecondsOfTheJvmItCovers(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        String[] cold = {"--cold", "--workload", "unbalanced,skewed-server", "--json", json.toString()};
        assertThat(execute(with(cold, "--engine", "mely-untold"))).isZero();
        String runs = Files.readString(json);
        assertThat(runs)
                .contains("each in a JVM of its own", "\"cold\"")
                .containsPattern("\"workload\": \"unbalanced\".*\"JVM from s\": .*\"ns/ev, 0-1 ms\": ")
                .containsPattern("\"workload\": \"skewed-server\".*\"JVM from s\": .*\"JVM to s\": ");
    }

    @Test
    void execute_cold_refusesWarmRounds_andWhatIsNeitherInRoundsNorAnOpenLoop() {
        assertThat(executeAfter(1, "--cold", "--workload", "unbalanced", "--engine", "one-thread"))
                .isEqualTo(2);
        assertThat(execute("--cold", "--workload", "fan-in-1x64", "--engine", "one-thread"))
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--rounds=0", "--measure-ms=0", "--warm-ms=-1", "--timeout-s=0", "--workers=0"})
    void execute_refusesNoTime(String option) {
        assertThat(PaperCommand.execute("--quick", "--workload", "spread", "--engine", "one-thread", option))
                .isEqualTo(2);
    }

    @Test
    void execute_checkComparesStealingOnWithOff(@TempDir Path dir) throws IOException {
        Path json = dir.resolve("runs.json");
        Path html = dir.resolve("page.html");
        String[] check = {
            "--check", "--workload", "ping-pong,spread-short", "--json", json.toString(), "--html", html.toString()
        };
        // Nothing is below the first bound, nothing above the second.
        assertThat(execute(with(check, "--bound", "0"))).isZero();
        assertThat(Files.readString(json)).contains("mely-nosteal-again", "\"isMet\": true", "\"noise\"");
        assertThat(Files.readString(html)).contains("off / off", "within");
        assertThat(execute(with(check, "--bound", "1e9"))).isEqualTo(4);
        assertThat(Files.readString(json)).contains("\"isMet\": false");
    }

    private static String[] with(String[] args, String... more) {
        List<String> all = new ArrayList<>(Arrays.asList(args));
        all.addAll(Arrays.asList(more));
        return all.toArray(String[]::new);
    }

    @Test
    void execute_refusesUnknownName() {
        assertThat(execute("--engine", "nobody")).isEqualTo(2);
        assertThat(execute("--workload", "nothing")).isEqualTo(2);
    }

    /** Order within a color, which the paper's own workloads hardly exercise, for every contender. */
    @ParameterizedTest
    @MethodSource("engines")
    void execute_keepsOrderOfColor(String engine) {
        keepsOrder(Engines.all().get(engine), 200);
    }

    /** Also where keys share a color. */
    @Test
    void execute_foldedKeys_keepOrder() {
        keepsOrder(FoldedKeys.onto(20, Engines.all().get("mely")), 200);
        keepsOrder(Engines.byName().get("mely-4096"), 5_000);
        keepsOrder(Engines.byName().get("forkjoin-mailbox-4096"), 5_000);
        keepsOrder(Engines.byName().get("agrona-hash-4096"), 5_000);
    }

    /** Nor does it take stages that are told apart, or any stage at all. */
    @ParameterizedTest
    @ValueSource(strings = {"mely-untold", "mely-executor"})
    void execute_untoldMely_keepsOrder(String engine) {
        keepsOrder(Engines.byName().get(engine), 200);
    }

    @Test
    void execute_runsEveryWorkloadByUntoldMely() {
        assertThat(execute("--engine", "mely-untold,mely-executor", "--workload", "paper,spread-short," + KEYED))
                .isZero();
    }

    /** Of what has fewer keys by its name, too. */
    @Test
    void family_isOfThoseWithFewerKeys_too() {
        for (String engine : Engines.all().keySet()) {
            assertThat(Engines.byName()).containsKeys(engine, engine + "-4096");
            assertThat(Engines.family(engine + "-4096")).isEqualTo(Engines.family(engine));
        }
        assertThat(Engines.family("jctools-hash-4096")).isEqualTo(Engines.Family.BY_HASH);
    }

    private static void keepsOrder(Function<Setup, KeyedExecutor> make, int colors) {
        Workload workload = new Unbalanced(Unbalanced.Options.paper()
                .withColors(colors)
                .withEventsPerColor(20)
                .withHomes(2));
        Setup setup = new Setup(
                2,
                false,
                workload.keys(),
                key -> workload.home(key) % 2,
                workload.needsHomes(),
                workload.kinds(),
                workload.pendingMax());
        try (KeyedExecutor executor = make.apply(setup)) {
            assertThat(workload.run(executor, 0, 20_000_000, 30_000_000_000L).events())
                    .isPositive();
        }
    }
}
