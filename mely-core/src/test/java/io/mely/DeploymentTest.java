// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.policy.PoolPolicy;
import io.mely.policy.PoolSize;
import io.mely.policy.VisitPolicy;
import io.mely.runtime.Tuning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeploymentTest {
    private static List<String> run(Deployment deployment) {
        List<String> ran = new ArrayList<>();
        try (Mely mely = deployment.applyTo(Mely.builder().cores(1)).build()) {
            Stage<String> second = mely.stage("second", event -> ran.add("second"));
            Stage<String> first = mely.stage("first", event -> {
                second.send(event);
                ran.add("first");
            });
            first.send(mely.color(1), "x");
            mely.start();
        }
        return ran;
    }

    @Test
    void aStageIsCalled_byDeploymentAlone() {
        Deployment none = new Deployment();
        assertThat(run(none)).containsExactly("first", "second");
        Deployment calls = none.withGroup("calls", Policy.passThrough())
                .withStage("second", options -> options.withGroup("calls"));
        assertThat(run(calls)).containsExactly("second", "first");
        assertThat(run(none)).as("it is a copy").containsExactly("first", "second");
    }

    @Test
    void deployment_winsOverTheProgram_andChangesAddUp() {
        Deployment deployment = new Deployment()
                .withGroup("staged", Policy.of("cohort", VisitPolicy.cohort()))
                .withStage("s", options -> options.withGroup("staged"))
                .withStage("s", options -> options.withCapacity(options.capacity() + 1));
        MelyBuilder builder = deployment.applyTo(Mely.builder()).policy("staged", Policy.passThrough());
        try (Mely mely = builder.build()) {
            Stage<String> stage = mely.stage("s", StageOptions.defaults().withCapacity(4), event -> {});
            assertThat(stage.options().group()).isEqualTo("staged");
            assertThat(stage.options().capacity()).isEqualTo(5);
            assertThat(mely.stage("other", event -> {}).options()).isEqualTo(StageOptions.defaults());
        }
        assertThat(deployment.stageNames()).containsExactly("s");
    }

    @Test
    void policyOfTheDeployment_keepsTheProgramsTuning_ofTheCores() {
        Policy program = Policy.colored(Stealing.off()).withThreadsPerCore(1).withSpin(Duration.ZERO);
        Deployment other = new Deployment().withGroup("main", Policy.colored(Stealing.base()));
        Tuning tuning = other.applyTo(Mely.builder().policy(program)).config().tuning();
        assertThat(tuning).isEqualTo(program.tuning().with(Stealing.base()));
        Policy tuned = Policy.centralQueue().withThreadsPerCore(3);
        Deployment itsOwn = new Deployment().withGroup("main", tuned);
        assertThat(itsOwn.applyTo(Mely.builder().policy(program)).config().tuning())
                .isEqualTo(tuned.tuning());
    }

    @Test
    void threadsOfPools_areCounted() {
        List<String> stages = List.of("a", "b", "c");
        assertThat(new Deployment().threadsMax(stages)).isZero();
        Deployment cores = new Deployment().withGroup("main", Policy.of("cohort", VisitPolicy.cohort()));
        assertThat(cores.threadsMax(stages)).isZero();
        Policy two =
                Policy.of("pools", PoolPolicy.perStage(PoolSize.between(1, 2)).withSize("b", PoolSize.fixed(7)));
        assertThat(cores.withGroup("disk", two).threadsMax(stages))
                .as("of no stage")
                .isZero();
        assertThat(cores.withGroup("disk", two)
                        .withStage("b", options -> options.withGroup("disk"))
                        .withStage("c", options -> options.withGroup("disk"))
                        .threadsMax(stages))
                .isEqualTo(9);
        Deployment all = new Deployment().withGroup("main", two).withGroup("calls", Policy.passThrough());
        assertThat(all.withStage("c", options -> options.withGroup("calls")).threadsMax(stages))
                .as("what colors execute, and a stage that may not always be called")
                .isEqualTo(2 + 2 + 7 + 2);
        assertThat(new Deployment()
                        .withGroup("main", Policy.of("one", PoolPolicy.shared(5)))
                        .threadsMax(stages))
                .isEqualTo(5);
    }

    @Test
    void badArguments_areNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Deployment().withGroup("main", Policy.passThrough()))
                .withMessageContaining("pass-through");
        Deployment unknown = new Deployment().withStage("s", options -> options.withGroup("nowhere"));
        try (Mely mely = unknown.applyTo(Mely.builder()).build()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> mely.stage("s", event -> {}))
                    .withMessageContaining("nowhere");
        }
    }
}
