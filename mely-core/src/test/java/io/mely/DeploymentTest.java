// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.policy.VisitPolicy;
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
