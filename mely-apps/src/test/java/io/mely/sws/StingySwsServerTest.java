// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.deploy.stingy.DeclarationCheck;
import io.mely.deploy.stingy.MemoryPlan;
import org.junit.jupiter.api.AfterAll;

/** With room for one request on each core. */
class StingySwsServerTest extends PlannedSwsServerContract {
    private static final MemoryPlan PLAN = SwsStingy.plan(20_000);
    private static final DeclarationCheck CHECK = new DeclarationCheck(PLAN);

    StingySwsServerTest() {
        super(PLAN, CHECK);
    }

    @AfterAll
    static void declarationHolds() {
        assertThat(CHECK.mismatches()).isEmpty();
    }
}
