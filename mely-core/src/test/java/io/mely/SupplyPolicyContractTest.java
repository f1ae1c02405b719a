// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;

// The contract of policies for stages whose events wait for a supply: nothing is lost, colors stay serial and in order.
// Priorities are left out: what has waited goes before what is ready.
class SupplyPolicyContractTest extends PolicyContractTest {
    private static final int CORES_MAX = 8;

    /** Of the stages of the contract. */
    private static final List<String> STAGES = List.of(
            "s",
            "normal",
            "work",
            "others",
            "meets",
            "keyed",
            "inner",
            "outer",
            "serial",
            "chain",
            "bounded",
            "single",
            "single-0",
            "throws",
            "p",
            "late");

    private final List<HoardingSupply> made = new CopyOnWriteArrayList<>();

    @Override
    protected Stream<Setting> settings() {
        return super.settings()
                .map(setting ->
                        new Setting(setting.name(), setting.policy(), setting.isSerial(), false, this::changeBuilder));
    }

    /** A third: most of them wait, which takes far longer than they do. */
    @Override
    protected int stressEvents() {
        return super.stressEvents() / 3;
    }

    private MelyBuilder changeBuilder(MelyBuilder builder) {
        Deployment deployment = new Deployment();
        for (String stage : STAGES) {
            HoardingSupply supply = new HoardingSupply(CORES_MAX);
            made.add(supply);
            deployment = deployment.withStage(stage, options -> options.withSupply(supply));
        }
        return deployment.applyTo(builder);
    }

    @AfterAll
    void events_haveWaited_andEveryObjectIsThere() {
        assertThat(made).allMatch(HoardingSupply::isWhole);
        assertThat(made.stream().mapToLong(HoardingSupply::refused).sum()).isPositive();
        assertThat(made.stream().mapToLong(HoardingSupply::passed).sum()).isPositive();
    }
}
