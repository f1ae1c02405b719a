// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.deploy.stingy.DeclarationCheck;
import io.mely.deploy.stingy.MemoryPlan;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** {@link StingySwsServerTest} with the plan of 1 MiB, whose regions have buffers for reading, too. */
@Tag("slow")
class AmpleStingySwsServerTest extends PlannedSwsServerContract {
    private static final MemoryPlan PLAN = SwsStingy.plan(1 << 20);
    private static final DeclarationCheck CHECK = new DeclarationCheck(PLAN);

    AmpleStingySwsServerTest() {
        super(PLAN, CHECK);
    }

    @AfterAll
    static void declarationHolds() {
        assertThat(CHECK.mismatches()).isEmpty();
    }
}
