// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.TestExecutor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.SerializedBufferCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;
import org.openjdk.jcstress.infra.runners.TestConfig;
import org.openjdk.jcstress.infra.runners.TestList;
import org.openjdk.jcstress.os.OSSupport;
import org.openjdk.jcstress.os.Scheduler;
import org.openjdk.jcstress.os.SchedulingClass;
import org.openjdk.jcstress.os.topology.Topology;
import org.openjdk.jcstress.vm.CompileMode;
import org.openjdk.jcstress.vm.VMSupport;

/**
 * No case of a module shows a forbidden outcome, and every case is able to fail: its broken twin shows what is forbidden. Cases run in JVMs of their own. A module has a subclass.
 *
 * <p>{@code -Dmely.jcstress.cases=regex} chooses, {@code -Dmely.jcstress.options="-time 1000 -iters 5"} adds options of jcstress.
 */
public abstract class MemoryModelContract {
    private static final String TWIN = "Twin";

    /** What a run shows is a matter of chance on a busy machine: so many more rounds for a twin that has shown nothing yet. */
    private static final int MORE_ROUNDS = 5;

    /** A case with fewer samples gets more rounds, too. It warms up only, if its JVM got no CPU. */
    private static final long SAMPLES_MIN = 10_000;

    private static final int MESSAGES_MAX = 20;

    /** A campaign takes an hour: one that is cut short has said what it saw until then. */
    private static final int RUNS_TO_SAY = 100;

    private static final String FAST = "-m quick -iters 1 -time 150 -sc false -pth false -jvmArgs -XX:+UseSerialGC";
    private static final String CAMPAIGN = "-m quick -iters 1 -time 300 -pth false";

    private final Map<String, Sum> sums = new TreeMap<>();
    private final List<String> wrong = new ArrayList<>();
    private int toRun;
    private int hasRun;

    /** What one case has shown, over all configurations. */
    private static final class Sum {
        final Map<String, GradingResult> outcomes = new TreeMap<>();
        long samples;
        int runs;

        boolean isInteresting() {
            return outcomes.values().stream()
                    .anyMatch(outcome -> outcome.expect == Expect.ACCEPTABLE_INTERESTING && outcome.count > 0);
        }

        void add(GradingResult outcome) {
            GradingResult before = outcomes.get(outcome.id);
            long count = outcome.count + (before == null ? 0 : before.count);
            outcomes.put(outcome.id, new GradingResult(outcome.id, outcome.expect, count, outcome.description));
        }
    }

    @Test
    public void cases_inOneConfiguration() throws Exception {
        run(FAST, false);
    }

    // Every compilation mode of every actor, in every JVM configuration jcstress knows.
    @Test
    @Tag("slow")
    public void cases_inAllConfigurations() throws Exception {
        run(CAMPAIGN, true);
    }

    @Test
    public void everyCase_hasItsTwin() {
        Set<String> cases = new TreeSet<>(TestList.tests());
        for (String name : TestList.tests()) {
            cases.remove(name.endsWith(TWIN) ? name.substring(0, name.length() - TWIN.length()) : name + TWIN);
        }
        assertThat(cases).filteredOn(name -> name.endsWith(TWIN)).isEmpty();
        assertThat(cases).isEmpty();
    }

    private void run(String preset, boolean isSplit) throws Exception {
        long startNs = System.nanoTime();
        Options opts =
                new Options(System.getProperty("mely.jcstress.options", preset).split("[ ,]+"));
        assertThat(opts.parse()).isTrue();
        OSSupport.init();
        VMSupport.initFlags(opts);
        if (isSplit) {
            VMSupport.detectAvailableVMConfigs(opts.isSplitCompilation(), opts.getJvmArgs(), opts.getJvmArgsPrepend());
        }
        Scheduler scheduler = new Scheduler(Topology.get(), opts.getCPUCount());
        Pattern chosen = Pattern.compile(System.getProperty("mely.jcstress.cases", ""));
        List<TestConfig> configs = new ArrayList<>();
        for (String name : TestList.tests()) {
            if (chosen.matcher(name).find()) {
                configs.addAll(configsOf(TestList.getInfo(name), opts, scheduler, isSplit));
            }
        }
        assertThat(configs).as("cases that match " + chosen).isNotEmpty();
        Collections.shuffle(configs);
        execute(configs, opts, scheduler);
        for (int i = 0; i < MORE_ROUNDS; i++) {
            configs.removeIf(config -> isDone(config.name));
            if (!configs.isEmpty()) {
                execute(configs, opts, scheduler);
            }
        }
        print(System.nanoTime() - startNs);
        assertThat(wrong).isEmpty();
        assertThat(sums.keySet())
                .as("twins that never showed what their case forbids")
                .noneMatch(name -> name.endsWith(TWIN) && !sums.get(name).isInteresting());
    }

    private boolean isDone(String name) {
        Sum sum = sums.get(name);
        return name.endsWith(TWIN) ? sum.isInteresting() : sum.samples >= SAMPLES_MIN;
    }

    private static List<TestConfig> configsOf(TestInfo info, Options opts, Scheduler scheduler, boolean isSplit) {
        List<TestConfig> configs = new ArrayList<>();
        List<SchedulingClass> classes =
                scheduler.scheduleClasses(info.threads(), opts.getCPUCount(), opts.affinityMode());
        assertThat(classes).as("CPUs for " + info.name()).isNotEmpty();
        for (SchedulingClass scheduling : classes) {
            if (!isSplit) {
                configs.add(new TestConfig(opts, info, 0, opts.getJvmArgs(), CompileMode.UNIFIED, scheduling));
                continue;
            }
            for (VMSupport.Config jvm : VMSupport.getAvailableVMConfigs()) {
                for (int mode :
                        CompileMode.casesFor(info.threads(), VMSupport.c1Available(), VMSupport.c2Available())) {
                    if (!jvm.onlyIfC2() || CompileMode.hasC2(mode, info.threads())) {
                        configs.add(new TestConfig(opts, info, 0, jvm.args(), mode, scheduling));
                    }
                }
            }
        }
        return configs;
    }

    private void execute(List<TestConfig> configs, Options opts, Scheduler scheduler) throws Exception {
        toRun += configs.size();
        SerializedBufferCollector sink = new SerializedBufferCollector(this::add); // calls it from one thread
        new TestExecutor(opts.verbosity(), sink, scheduler).runAll(configs);
        sink.close();
        for (TestConfig config : configs) {
            if (!sums.containsKey(config.name)) {
                wrong.add(config.name + ": no result");
                sums.put(config.name, new Sum());
            }
        }
    }

    private void add(TestResult result) {
        hasRun++;
        grade(result);
        if (hasRun % RUNS_TO_SAY == 0) {
            System.out.println("jcstress: " + hasRun + " of " + toRun + " runs, wrong: " + wrong);
        }
    }

    private void grade(TestResult result) {
        Sum sum = sums.computeIfAbsent(result.getName(), name -> new Sum());
        sum.runs++;
        sum.samples += result.getTotalCount();
        if (result.status() != Status.NORMAL) {
            List<String> said = new ArrayList<>(result.getMessages());
            said.addAll(result.getVmErr());
            wrong.add(result.getName() + ": " + result.status() + " "
                    + String.join("\n", said.subList(0, Math.min(MESSAGES_MAX, said.size()))));
            return;
        }
        result.grading().gradingResults.values().forEach(sum::add);
        for (String message : result.grading().failureMessages) {
            wrong.add(result.getName() + " " + result.getConfig().jvmArgs + ": " + message);
        }
    }

    private void print(long elapsedNs) {
        long samples = 0;
        int runs = 0;
        for (Map.Entry<String, Sum> entry : sums.entrySet()) {
            Sum sum = entry.getValue();
            samples += sum.samples;
            runs += sum.runs;
            StringBuilder line = new StringBuilder(entry.getKey()).append(':');
            for (GradingResult outcome : sum.outcomes.values()) {
                if (outcome.count > 0) {
                    String mark = outcome.expect == Expect.ACCEPTABLE
                            ? ""
                            : outcome.expect == Expect.ACCEPTABLE_INTERESTING ? " shown" : " FORBIDDEN";
                    line.append(" (")
                            .append(outcome.id)
                            .append(") ")
                            .append(outcome.count)
                            .append(mark);
                }
            }
            System.out.println(line);
        }
        long twins = sums.keySet().stream().filter(name -> name.endsWith(TWIN)).count();
        System.out.println(String.format(
                Locale.ROOT,
                "jcstress: %d cases, %d twins, %d runs, %,d samples, %d s, JDK %s",
                sums.size() - twins,
                twins,
                runs,
                samples,
                elapsedNs / 1_000_000_000,
                System.getProperty("java.version")));
    }
}
