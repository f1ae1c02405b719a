// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.mely.Mely;
import io.mely.Stage;
import io.mely.bench.record.ProfileReader;
import io.mely.bench.record.Recorder;
import io.mely.bench.record.Visits;
import io.mely.bench.record.WorkloadProfile;
import io.mely.bench.record.WorkloadProfile.ColorBand;
import io.mely.bench.record.WorkloadProfile.Dispersion;
import io.mely.bench.record.WorkloadProfile.Sends;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import io.mely.bench.record.WorkloadProfile.TimeBucket;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import io.mely.runtime.Hooks;
import io.mely.spi.NanoClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** A recorded application runs on a virtual machine as the arithmetic of its profile says, and a file that is no profile is refused. */
class ProfileTest {
    private static final String MACHINE = "../config/machines/server-64.conf";

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /**
     * 20,000 requests a second in 100 colors, by Zipf's law: parsed in 4 us, then worked on twice in another color, for 10 us or, one of ten, 100 us. That
     * is 20,000 x (4 + 2 x 19) us = 0.84 cores.
     */
    private static WorkloadProfile known() {
        long requests = 20_000;
        StageLoad parse = new StageLoad(
                "parse",
                0,
                1,
                3,
                0,
                requests,
                requests * 4_000,
                List.of(new TimeBucket(3_968, 4_096, requests)),
                List.of(new Sends("work", false, 2 * requests, requests)),
                requests,
                List.of(new Dispersion(1, 1)));
        StageLoad work = new StageLoad(
                "work",
                20_000,
                1,
                3,
                256,
                2 * requests,
                2 * requests * 19_000,
                List.of(
                        new TimeBucket(9_728, 10_240, 2 * requests * 9 / 10),
                        new TimeBucket(98_304, 102_400, 2 * requests / 10)),
                List.of(),
                0,
                List.of());
        List<ColorBand> bands = new ArrayList<>();
        for (long rank = 1; rank <= 100; rank++) {
            bands.add(new ColorBand(1, List.of(4_000 / rank, 8_000 / rank)));
        }
        return new WorkloadProfile(1, 2, List.of(parse, work), bands, 0);
    }

    private static Experiment experiment(WorkloadProfile profile, String engine, int cores, double load) {
        return new Experiment(
                MachineSpec.read(Path.of(MACHINE)),
                cores,
                "profile",
                engine,
                Map.of("load", load),
                1,
                2_000,
                30_000,
                100,
                false,
                profile,
                null);
    }

    private Path file(WorkloadProfile profile) throws IOException {
        Path file = folder.resolve("profile.json");
        profile.write(file);
        return file;
    }

    private int run(String... args) {
        CommandLine line = SimulateCommand.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        String[] all = Arrays.copyOf(args, args.length + 2);
        all[args.length] = "--machine";
        all[args.length + 1] = MACHINE;
        return line.execute(all);
    }

    @Test
    void file_isReadAsItWasWritten() throws IOException {
        assertThat(ProfileReader.read(file(known()))).isEqualTo(known());
    }

    @Test
    void visits_areTheBalanceOfFlows() {
        Visits visits = Visits.of(known());
        assertThat(visits.isFinite()).isTrue();
        assertThat(visits.eventsPerSecond()).isCloseTo(60_000, within(1e-6));
        assertThat(visits.busyCores()).isCloseTo(0.84, within(1e-9));
    }

    // Arrivals, events and busy time are those of the profile, times the load.
    @ParameterizedTest
    @CsvSource({"2, 1", "4, 2"})
    void simulatedLoad_agreesWithTheArithmetic(int cores, double load) {
        Outcome outcome = experiment(known(), "mely", cores, load).run();
        double requests = outcome.extras().get("answers") / outcome.seconds();
        assertThat(requests).isCloseTo(20_000 * load, within(20_000 * load * 0.08));
        assertThat(outcome.kEventsPerS()).isCloseTo(3 * requests / 1e3, within(requests / 1e3 * 0.05));
        double handlers = outcome.share(Ledger.Activity.HANDLER) * cores;
        assertThat(handlers).isCloseTo(0.84 * load, within(0.84 * load * 0.1));
        assertThat(outcome.sojournNs().getMinValue()).isGreaterThan(3_968 + 9_728);
        assertThat(Planning.keepsUp(outcome)).isTrue();
    }

    // Clients in a closed loop have the cores work all the time, and no more than they can.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void clientsInAClosedLoop_keepTheCoresBusy(int cores) {
        Experiment closed = new Experiment(
                MachineSpec.read(Path.of(MACHINE)),
                cores,
                "profile",
                "mely",
                Map.of("clients", 64.0, "roundTripUs", 10.0),
                1,
                2_000,
                30_000,
                100,
                false,
                known(),
                null);
        Outcome outcome = closed.run();
        double handlers = outcome.share(Ledger.Activity.HANDLER) * cores;
        assertThat(handlers).isBetween(0.9 * cores, 1.0 * cores);
        double requests = outcome.extras().get("answers") / outcome.seconds();
        assertThat(requests * 42e-6).as("of 42 us each").isCloseTo(handlers, within(handlers * 0.1));
        assertThat(Planning.keepsUp(outcome)).isTrue();
    }

    @Test
    void moreThanTheCoresCanDo_fallsBehind() {
        Outcome outcome = experiment(known(), "mely", 2, 4).run();
        assertThat(Planning.keepsUp(outcome)).isFalse();
        assertThat(Planning.best(List.of(outcome))).isEmpty();
    }

    @Test
    void bestPolicy_hasTheLowestPercentile() throws IOException {
        String svg = folder.resolve("p99.svg").toString();
        String csv = folder.resolve("all.csv").toString();
        Path file = file(known());
        assertThat(run(
                        "--profile",
                        file.toString(),
                        "--cores",
                        "4",
                        "--load",
                        "1,3",
                        "--measure-us",
                        "10000",
                        "--engine",
                        "mely-off,mely",
                        "--plot",
                        svg,
                        "--csv",
                        csv))
                .isZero();
        // a request waits for a color behind long ones of its core, unless that is stolen
        assertThat(out.toString())
                .contains("recorded: 1.0 s on 2 cores, 20000 requests/s, 60000 events/s, handlers busy on 0.84 cores")
                .contains("4 cores of 64-core server, load 3")
                .contains("best policy: mely, p99 ");
        assertThat(Files.readString(Path.of(svg))).startsWith("<svg xmlns=").contains("times the recorded load");
        assertThat(Files.readAllLines(Path.of(csv))).hasSize(1 + 4);
    }

    // What the real runtime records, a virtual one can run.
    @Test
    void realRecording_isSimulated() throws Exception {
        int events = 2_000;
        CountDownLatch ran = new CountDownLatch(2 * events);
        Recorder recorder = new Recorder(NanoClock.SYSTEM, Duration.ZERO);
        try (Mely mely =
                Hooks.NONE.withObservers(recorder).on(Mely.builder()).cores(1).build()) {
            Stage<Integer> second = mely.stage("second", number -> ran.countDown());
            Stage<Integer> first = mely.stage("first", number -> {
                second.offer(mely.colorAt(events + number), number); // by key two may meet in one color
                ran.countDown();
            });
            for (int i = 0; i < events; i++) {
                first.offer(mely.colorAt(i), i);
            }
            mely.start();
            assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
        }
        WorkloadProfile profile = recorder.profile();
        assertThat(profile.runs()).isEqualTo(2 * events);
        assertThat(profile.stages().get(0).sends()).containsExactly(new Sends("second", false, events, events));
        assertThat(profile.stages().get(0).arrivals()).isEqualTo(events);
        Path file = file(profile);
        assertThat(run("--profile", file.toString(), "--cores", "1", "--engine", "mely"))
                .isZero();
        assertThat(out.toString()).contains("recorded: ", "1 cores of 64-core server");
    }

    @Test
    void filesThatAreNoProfile_areRefused() throws IOException {
        String text = known().toJson();
        checkRefused(text.substring(0, text.length() / 2), "cannot read profile");
        checkRefused("", "cannot read profile");
        checkRefused(text.replace("\"version\": 1", "\"version\": 2"), "it has version 2, and this program reads 1");
        checkRefused(text.replace("mely-profile", "other"), "does not say \"format\": \"mely-profile\"");
        checkRefused(text.replace("\"seconds\"", "\"minutes\""), "unknown key minutes");
        checkRefused(text.replace("\"arrivals\": 20000", "\"arrivals\": 0"), "nothing arrived");
        checkRefused(
                text.replace("\"to\": \"work\"", "\"to\": \"nobody\""), "must go to a stage of the profile: nobody");
        checkRefused(text.replace("[3968, 4096, 20000]", "[3968, 4096]"), "needs 3 numbers");
        checkRefused(text.replace("[3968, 4096, 20000]", "[3968, 4096, \"x\"]"), "cannot read profile");
        checkRefused(text.replace("\"to\": \"work\"", "\"to\": \"parse\""), "never ends");
        checkRefused(new WorkloadProfile(1, 2, List.of(), List.of(), 0).toJson(), "it is empty: no event ran");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProfileReader.read(folder.resolve("none")))
                .withMessageContaining("no such profile");
    }

    private void checkRefused(String text, String message) throws IOException {
        Path file = folder.resolve("wrong.json");
        Files.writeString(file, text);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProfileReader.read(file))
                .withMessageContaining(message)
                .withMessageContaining(file.toString());
    }

    @Test
    void wrongOptions_areRefused() throws IOException {
        assertThat(run("--load", "2")).isEqualTo(2);
        assertThat(err.toString()).contains("need --profile");
        String file = file(known()).toString();
        assertThat(run("--profile", folder.resolve("none").toString())).isEqualTo(2);
        assertThat(err.toString()).contains("no such profile");
        assertThat(run("--profile", file, "--workload", "sws")).isEqualTo(2);
        assertThat(run("--profile", file, "--load", "0")).isEqualTo(2);
        assertThat(run("--profile", file, "--engine", "melly")).isEqualTo(2);
    }
}
