// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.Commands;
import io.mely.bench.record.ProfileReader;
import io.mely.bench.record.WorkloadProfile;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import io.mely.bench.simulate.workload.Rig;
import io.mely.topology.CacheMap;
import io.mely.topology.Cpus;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code simulate}: workloads by engines on machines that are described in a file. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        description =
                "Runs the production runtime on a virtual machine, in virtual cycles. The same seed gives the same figures.")
public final class SimulateCommand implements Callable<Integer> {
    static final List<String> WORKLOADS = List.of(
            "unbalanced",
            "spread",
            "spread-short",
            "penalty",
            "cache-efficient",
            "ping-pong",
            "chains",
            "sws",
            "sfs",
            "skewed-server",
            "search");

    static final List<String> ENGINES = Rig.engines();
    static final double LOOKAHEAD = 100;

    /** Of the search engine, whose requests take milliseconds. */
    private static final long SEARCH_WARM_US = 10_000_000;

    private static final long SEARCH_MEASURE_US = 20_000_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(names = "--machine", description = "A file like those in config/machines (default: ${DEFAULT-VALUE}).")
    private Path machine = Path.of("config/machines/xeon-e5410x2.conf");

    @Option(
            names = "--workload",
            split = ",",
            description =
                    "unbalanced, spread, spread-short, penalty, cache-efficient, ping-pong, chains, sws, sfs, skewed-server, search"
                            + " (default: unbalanced; with --validate the first seven).")
    private List<String> workloads = List.of();

    @Option(
            names = "--engine",
            split = ",",
            description = "mely-off, mely-base, mely-timeleft, mely-penalty, mely-locality, mely, libasync-smp,"
                    + " libasync-smp-ws, libasync-mp, or all (default: mely).")
    private List<String> engines = List.of();

    @Option(
            names = "--cores",
            split = ",",
            description = "Of the runtime; several are a sweep (default: all of the machine).")
    private List<Integer> cores = List.of();

    @Option(
            names = "--set",
            description =
                    "A parameter of the workload, name=value; name=value,value,... is a sweep. Which there are is in docs/simulator.md.")
    private Map<String, String> parameters = new LinkedHashMap<>();

    @Option(names = "--seed", description = "Of everything random (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(
            names = "--warm-us",
            description = "Virtual time before the figures begin (default: ${DEFAULT-VALUE}; of search 10 s).")
    private long warmUs = 4_000;

    @Option(
            names = "--measure-us",
            description = "Virtual time measured, to the end of a round (default: ${DEFAULT-VALUE}; of search 20 s).")
    private long measureUs = 20_000;

    @Option(
            names = "--lookahead",
            description =
                    "Cycles a core may be ahead of another before it hands over; 0 is exact and slow (default: ${DEFAULT-VALUE}).")
    private double lookahead = LOOKAHEAD;

    @Option(
            names = "--profile",
            description =
                    "What a running application has recorded, instead of a workload; says which policy is best for it.")
    private @Nullable Path profileFile;

    @Option(
            names = "--load",
            split = ",",
            description = "Times the recorded arrivals; several are a sweep (default: 1). Only with --profile.")
    private List<Double> loads = List.of();

    @Option(
            names = "--plot",
            description = "Writes the 99th percentiles by load, or by cores, as SVG. Only with --profile.")
    private @Nullable Path plot;

    @Option(
            names = "--tables",
            description = "The report's Tables 1, 3, 4, 5 and 6, printed and simulated. Ignores the workload options.")
    private boolean isTables;

    @Option(
            names = "--stage-tables",
            description =
                    "The staged-server thesis's search engine by each policy, printed and simulated on eight cores."
                            + " Of the workload options only --set counts.")
    private boolean isStageTables;

    @Option(names = "--seeds", description = "Of --stage-tables: runs of each row (default: ${DEFAULT-VALUE}).")
    private int seeds = 3;

    @Option(
            names = "--calibrate",
            description = "Measures this machine for some minutes, and prints its file, for --machine; with --validate"
                    + " the machine of the runs, in turn with them.")
    private boolean isCalibration;

    @Option(
            names = "--validate",
            description =
                    "Runs workloads here, too, and prints what was measured beside what --machine, or --calibrate, predicts.")
    private boolean isValidation;

    @Option(names = "--rounds", description = "Of --validate (default: ${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(
            names = "--tries",
            description = "Of --validate: real runs at most for one that is undisturbed (default: ${DEFAULT-VALUE}).")
    private int tries = 8;

    @Option(
            names = "--real-ms",
            description = "Of a real run of --validate, and as long to warm up (default: ${DEFAULT-VALUE}).")
    private int realMs = 300;

    @Option(
            names = "--efficiency",
            description = "Draws what --csv of a sweep over cores wrote, into a file beside it.")
    private @Nullable Path efficiency;

    @Option(names = "--compare", description = "Prints every run beside the first.")
    private boolean isComparison;

    @Option(names = "--csv", description = "Writes all figures.")
    private @Nullable Path csv;

    @Option(names = "--json", description = "Writes all figures.")
    private @Nullable Path json;

    @Option(
            names = "--timeline",
            description =
                    "Writes a page, or if it ends in .svg a picture, of what each core did in the end of the last run.")
    private @Nullable Path timeline;

    private @Nullable WorkloadProfile profile;

    @Option(names = "--timeline-us", description = "How much of it (default: ${DEFAULT-VALUE}).")
    private double timelineUs = 500;

    private SimulateCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code simulate}
     * @return 0; 2 for wrong options or a wrong machine file
     */
    public static int execute(String... args) {
        return Commands.execute(new SimulateCommand(), args);
    }

    static CommandLine commandLine() {
        return new CommandLine(new SimulateCommand());
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (isCalibration && !isValidation) {
            return calibrate();
        }
        if (efficiency != null) {
            return draw(efficiency);
        }
        readProfile();
        if (isValidation) {
            return validate();
        }
        MachineSpec described = machineOrUsage();
        PrintWriter out = spec.commandLine().getOut();
        PapersTables tables = new PapersTables(described, seed);
        StageTables stageTables = stageTables(described);
        List<Experiment> experiments =
                isTables ? tables.experiments() : isStageTables ? stageTables.experiments() : experiments(described);
        List<Outcome> outcomes = new ArrayList<>();
        Set<String> untried = experiments.stream().map(Experiment::workload).collect(Collectors.toSet());
        for (Experiment experiment : experiments) {
            spec.commandLine()
                    .getErr()
                    .printf(
                            "%d of %d: %s by %s on %d cores%n",
                            outcomes.size() + 1,
                            experiments.size(),
                            experiment.workload(),
                            experiment.engine(),
                            experiment.cores());
            spec.commandLine().getErr().flush();
            Outcome outcome = experiment.run();
            outcomes.add(outcome);
            untried.remove(experiment.workload());
            if (untried.isEmpty()) {
                checkParameters();
            }
            if (isTables) {
                tables.put(outcome);
            } else if (isStageTables) {
                stageTables.put(outcome);
            }
        }
        out.print(isTables ? tables.text() : isStageTables ? stageTables.text() : text(outcomes));
        out.flush();
        write(csv, Results.csv(outcomes));
        write(json, Results.json(outcomes));
        write(plot, Planning.svg(outcomes));
        if (timeline != null) {
            Outcome last = outcomes.get(outcomes.size() - 1);
            boolean isPicture = timeline.toString().endsWith(".svg");
            write(timeline, isPicture ? Timeline.picture(last, timelineUs) : Timeline.html(last, timelineUs));
        }
        return 0;
    }

    private StageTables stageTables(MachineSpec described) {
        if (isStageTables && (described.cpus() < StageTables.CORES || seeds < 1)) {
            throw new ParameterException(
                    spec.commandLine(), "--stage-tables needs a machine of eight CPUs or more, and seeds >= 1");
        }
        Map<String, Double> set = new LinkedHashMap<>();
        if (isStageTables) {
            parameters.forEach((name, value) -> set.put(name, number(name, value)));
        }
        return new StageTables(described, set, seed, seeds, warmUs("search"), measureUs("search"));
    }

    private long warmUs(String workload) {
        return workload.equals("search") && !isGiven("--warm-us") ? SEARCH_WARM_US : warmUs;
    }

    private long measureUs(String workload) {
        return workload.equals("search") && !isGiven("--measure-us") ? SEARCH_MEASURE_US : measureUs;
    }

    private int draw(Path swept) throws IOException {
        try {
            Path drawn =
                    swept.resolveSibling(String.valueOf(swept.getFileName()).replaceFirst("\\.csv$", "") + ".svg");
            Files.writeString(drawn, Efficiency.svg(swept));
            return 0;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private int calibrate() throws IOException, InterruptedException {
        try (Calibration calibration = calibrationOrUsage(Tries.Quartile.LOWER)) {
            calibration.measure();
            print(calibration.text());
        }
        return 0;
    }

    private int validate() throws IOException, InterruptedException {
        List<String> chosen = engines.isEmpty() ? Validation.ENGINES : engines;
        List<String> names = workloads.isEmpty() ? Validation.WORKLOADS : workloads;
        names.forEach(workload -> check("--workload", workload, Validation.WORKLOADS));
        chosen.forEach(engine -> check("--engine", engine, ENGINES));
        if (rounds < 1 || tries < 1 || realMs < 1) {
            throw new ParameterException(spec.commandLine(), "rounds, tries and real-ms must be >= 1");
        }
        if (isCalibration && isGiven("--machine")) {
            throw new ParameterException(
                    spec.commandLine(), "--calibrate finds the file of --validate: no --machine beside it");
        }
        String file;
        Validation validation;
        if (isCalibration) {
            try (Calibration calibration = calibrationOrUsage(Tries.Quartile.MEDIAN)) {
                validation = validation(Cpus.allowed().size());
                calibration.begin();
                validation.measure(names, chosen, calibration::round);
                file = calibration.text();
            }
            print(file + System.lineSeparator());
            validation.predict(MachineSpec.parse(file));
        } else {
            MachineSpec described = machineOrUsage();
            file = Files.readString(machine);
            validation = validation(described.cpus());
            validation.measure(names, chosen, () -> {});
            validation.predict(described);
        }
        print(Validation.text(validation.rows()));
        if (json != null) {
            write(json, Validation.json(validation.rows(), file));
        }
        return 0;
    }

    private Validation validation(int cpus) {
        return new Validation(cpus, rounds, tries, realMs, spec.commandLine().getErr());
    }

    private Calibration calibrationOrUsage(Tries.Quartile quartile) throws IOException {
        try {
            return new Calibration(CacheMap.ofThisMachine(Cpus.allowed()), quartile);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private void print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
    }

    private MachineSpec machineOrUsage() {
        try {
            return MachineSpec.read(machine);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /** A profile is a workload; its load is a parameter. */
    private void readProfile() throws IOException {
        if (profileFile == null) {
            if (!loads.isEmpty() || plot != null) {
                throw new ParameterException(spec.commandLine(), "--load and --plot need --profile");
            }
            return;
        }
        if (isGiven("--workload") || isTables) {
            throw new ParameterException(spec.commandLine(), "--profile is a workload: no --workload, no --tables");
        }
        try {
            profile = ProfileReader.read(profileFile);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        workloads = List.of("profile");
        if (!isGiven("--engine")) {
            engines = Planning.POLICIES;
        }
        if (loads.stream().anyMatch(load -> !(load > 0))) {
            throw new ParameterException(spec.commandLine(), "--load must be > 0: " + loads);
        }
        if (!loads.isEmpty()) {
            parameters.put("load", loads.stream().map(String::valueOf).collect(Collectors.joining(",")));
        }
    }

    private boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    private String text(List<Outcome> outcomes) {
        if (profile != null) {
            return new Planning(profile).text(outcomes);
        }
        StringBuilder text = new StringBuilder(Results.header()).append('\n');
        outcomes.forEach(
                outcome -> text.append(Results.line(outcome)).append('\n').append(Results.movers(outcome)));
        for (int i = 1; isComparison && i < outcomes.size(); i++) {
            text.append('\n').append(Results.comparison(outcomes.get(0), outcomes.get(i)));
        }
        return text.toString();
    }

    /** Every combination: workloads, engines, numbers of cores, values of each parameter. */
    private List<Experiment> experiments(MachineSpec described) {
        List<Map<String, Double>> settings = new ArrayList<>();
        settings.add(Map.of());
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            List<Map<String, Double>> more = new ArrayList<>();
            for (Map<String, Double> setting : settings) {
                for (String value : parameter.getValue().split(",", -1)) {
                    Map<String, Double> next = new LinkedHashMap<>(setting);
                    next.put(parameter.getKey(), number(parameter.getKey(), value));
                    more.add(next);
                }
            }
            settings = more;
        }
        List<Experiment> all = new ArrayList<>();
        for (String workload : workloads.isEmpty() ? List.of("unbalanced") : workloads) {
            if (profile == null) {
                check("--workload", workload, WORKLOADS);
            }
            for (Map<String, Double> setting : settings) {
                for (int count : cores.isEmpty() ? List.of(described.cpus()) : cores) {
                    for (String engine : enginesOfSweep()) {
                        check("--engine", engine, ENGINES);
                        all.add(experiment(described, count, workload, engine, setting));
                    }
                }
            }
        }
        return all;
    }

    /** Once each workload has run: what none of them has asked for would change nothing. */
    private void checkParameters() {
        for (String name : parameters.keySet()) {
            if (!Experiment.asked().contains(name)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--set " + name + ": no such parameter; there are " + String.join(", ", Experiment.asked()));
            }
        }
    }

    private List<String> enginesOfSweep() {
        return engines.contains("all") ? ENGINES : engines.isEmpty() ? List.of("mely") : engines;
    }

    private Experiment experiment(
            MachineSpec described, int count, String workload, String engine, Map<String, Double> setting) {
        long measure = measureUs(workload);
        if (profile != null && !isGiven("--measure-us")) {
            measure = new Planning(profile).measureUs(setting.getOrDefault("load", 1.0));
        }
        try {
            return new Experiment(
                    described,
                    count,
                    workload,
                    engine,
                    setting,
                    seed,
                    warmUs(workload),
                    measure,
                    lookahead,
                    timeline != null,
                    profile,
                    null);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private double number(String name, String value) {
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new ParameterException(spec.commandLine(), "--set " + name + " needs numbers: " + value, e);
        }
    }

    private void check(String option, String value, List<String> allowed) {
        if (!allowed.contains(value)) {
            throw new ParameterException(
                    spec.commandLine(), option + " must be one of " + String.join(", ", allowed) + ": " + value);
        }
    }

    private static void write(@Nullable Path file, String text) throws IOException {
        if (file != null) {
            Files.writeString(file, text);
        }
    }
}
