// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.deploy.stingy.DeclarationCheck;
import io.mely.deploy.stingy.MemoryPlan;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** {@link StingySwsServerTest} with the plan of 1 MiB, whose regions have buffers for reading, too. */
@Tag("slow")
class AmpleStingySwsServerTest extends SwsServerContract {
    private static final MemoryPlan PLAN = SwsStingy.plan(1 << 20);
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
