// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Deployment;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DeploymentFileTest {
    private static final List<String> STAGES = List.of("Parse", "Write");

    private static Deployment read(String text) throws DeploymentException {
        return DeploymentFile.readText("d.conf", text, STAGES);
    }

    @Test
    void groupsAndStages_areAsTheFileSays() throws DeploymentException {
        Deployment deployment = read("""
                groups {
                  main { policy = cohort, service = gated, most = 4, stacks = true, switch { waiting = 10, unvisited = 5 ms } }
                  calls { policy = pass-through }
                  disk { policy = pool-per-stage, threads = 2, max = 5, sizes { Write = 1 }, tuning { waiting = 10 } }
                }
                stages {
                  Parse { group = calls, priority = 5 }
                  Write { group = disk, capacity = 7, admission { controller = direct, target = 50 ms, scale = 10, rates { start = 20, max = 100 } } }
                }
                """);
        try (Mely mely = deployment.applyTo(Mely.builder().cores(1)).build()) {
            StageOptions parse = mely.stage("Parse", event -> {}).options();
            StageOptions write = mely.stage("Write", event -> {}).options();
            assertThat(parse.group()).isEqualTo("calls");
            assertThat(parse.priority()).isEqualTo(5);
            assertThat(write.group()).isEqualTo("disk");
            assertThat(write.capacity()).isEqualTo(7);
            assertThat(write.admission()).isNotNull();
        }
    }

    // Two events at once: the second one is too much for what admits one, and one that has seen no time yet lets in
    // all.
    @ParameterizedTest
    @CsvSource({
        "'controller = rate, depth = 1', false",
        "'controller = bound, target = 50 ms', true",
        "'controller = direct, target = 50 ms, rates { depth = 1 }', false",
        "'controller = pid, target = 50 ms, rates { depth = 1 }', false",
        "'controller = mm1, target = 50 ms, threads = 2', true",
    })
    void eachController_decides(String controller, boolean isSecondIn) throws DeploymentException {
        Deployment deployment = read("stages { Parse { admission { " + controller + " } } }");
        try (Mely mely = deployment.applyTo(Mely.builder().cores(1)).build()) {
            Stage<String> parse = mely.stage("Parse", event -> {});
            assertThat(parse.offer("x")).isTrue();
            assertThat(parse.offer("x")).isEqualTo(isSecondIn);
        }
    }

    @Test
    void replicasAndPartitions_areAsTheFileSays() throws DeploymentException {
        Deployment copies = read("groups { g { policy = cohort, replicas = 2 } }, stages { Parse { group = g } }");
        Deployment parts = read(
                "groups { g { policy = cohort, partition { Parse = 0, Write = 1 } } }, stages { Parse { group = g }, Write { group = g } }");
        for (Deployment deployment : List.of(copies, parts)) {
            int[] ran = {0};
            try (Mely mely = deployment.applyTo(Mely.builder().cores(2)).build()) {
                Stage<String> write = mely.stage("Write", event -> ran[0]++);
                Stage<String> parse = mely.stage("Parse", event -> write.send(mely.color(1), event));
                parse.send(mely.color(1), "x");
                mely.start();
            }
            assertThat(ran[0]).isEqualTo(1);
        }
        for (Deployment deployment : List.of(copies, parts)) {
            assertThatThrownBy(() -> deployment.applyTo(Mely.builder().cores(3)).build())
                    .hasMessageContaining("cores=3, parts=2");
        }
    }

    static Set<String> policies() {
        return PolicyReader.names();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void eachPolicy_runs(String policy) throws DeploymentException {
        Deployment deployment = read("groups { g { policy = " + policy + " } }, stages { Parse { group = g } }");
        int[] ran = {0};
        try (Mely mely = deployment.applyTo(Mely.builder().cores(1)).build()) {
            Stage<String> parse = mely.stage("Parse", event -> ran[0]++);
            parse.send(mely.color(1), "x");
            mely.start();
        }
        assertThat(ran[0]).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "groups { g { policy = cohrt } } | d.conf:1: groups.g.policy: 'cohrt' is unknown; the nearest is cohort",
                "groups { g { policy = cohort, servce = gated } } | d.conf:1: groups.g.servce: unknown; the nearest known key is service",
                "groups { g { policy = cohort, partition { Prase = 1 } } } | d.conf:1: groups.g.partition.Prase: unknown stage; the nearest is Parse",
                "groups { g { policy = cohort, partition { Parse = -1 } } } | d.conf:1: groups.g.partition.Parse: must be 0 to 1023",
                "groups { g { policy = cohort, replicas = 0 } } | d.conf:1: groups.g: copies must be >= 1: copies=0",
                "groups { g { policy = pool-per-stage, sizes { Prase = 1 } } } | d.conf:1: groups.g.sizes.Prase: unknown stage; the nearest is Parse",
                "groups { g { policy = pool-shared, threads = 0 } } | d.conf:1: groups.g: min must be >= 1: min=0",
                "groups { g { policy = pool-shared, threads = many } } | d.conf:1: groups.g.threads: cannot be \"many\"",
                "groups { main { policy = pass-through } } | d.conf:1: groups.main: the policy of stages without a group must have a queue: policy=pass-through",
                "groups { g = 3 } | d.conf:1: groups.g: must be an object",
                "stages { Pars { group = main } } | d.conf:1: stages.Pars: unknown stage; the nearest is Parse",
                "stages { Parse { group = min } } | d.conf:1: stages.Parse.group: 'min' is unknown; the nearest is main",
                "stages { Parse { capacity = 0 } } | d.conf:1: stages.Parse: capacity must be > 0: capacity=0",
                "stages { Parse { admission { controller = dirct } } } | d.conf:1: stages.Parse.admission.controller: 'dirct' is unknown; the nearest is direct",
                "stages { Parse { admission { rate = 0 } } } | d.conf:1: stages.Parse: rate must be > 0: ratePerS=0.0",
                "stges { } | d.conf:1: stges: unknown; the nearest known key is stages",
            })
    void whatIsWrong_isNamed_withTheNearestName(String text, String problem) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        DeploymentException.class, e -> assertThat(e.problems()).containsExactly(problem));
    }

    @Test
    void eachProblem_hasALine_andItsOwnText() {
        assertThatThrownBy(() -> read("groups {\n  g { policy = x }\n}\nstages {\n  Foo {}\n}\n"))
                .isInstanceOfSatisfying(
                        DeploymentException.class,
                        e -> assertThat(e.problems()).hasSize(2).satisfies(problems -> {
                            assertThat(problems.get(0)).startsWith("d.conf:2: ");
                            assertThat(problems.get(1)).startsWith("d.conf:5: ");
                        }));
    }

    @Test
    void textThatIsNoHocon_andMissingFiles_areSaid() {
        assertThatThrownBy(() -> read("groups {")).isInstanceOf(DeploymentException.class);
        assertThatThrownBy(() -> DeploymentFile.read(Path.of("no/such/file"), STAGES))
                .isInstanceOf(DeploymentException.class)
                .hasMessageContaining("no/such/file");
    }
}
