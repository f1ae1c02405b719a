// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.deploy.stingy.DeclarationCheck;
import io.mely.deploy.stingy.MemoryPlan;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;

/** {@link SwsServerContract} with buffers in the cores' caches, for one request on each core. No event allocates otherwise than the plan says. */
class StingySwsServerTest extends SwsServerContract {
    private static final MemoryPlan PLAN = SwsStingy.plan(20_000);
    private static final DeclarationCheck CHECK = new DeclarationCheck(PLAN);

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @Override
    DeclarationCheck declarations() {
        return CHECK;
    }

    @Override
    void start(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        super.start(builder -> change.apply(builder.stingy(PLAN)));
    }

    @AfterAll
    static void declarationHolds() {
        assertThat(CHECK.mismatches()).isEmpty();
    }
}
