// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.deploy.stingy.DeclarationCheck;
import io.mely.deploy.stingy.MemoryPlan;
import java.io.IOException;
import java.util.function.UnaryOperator;

/** {@link SwsServerContract} with buffers in the cores' caches, by a plan. Its classes look at the end whether an event has allocated otherwise than the plan says. */
abstract class PlannedSwsServerContract extends SwsServerContract {
    private final MemoryPlan plan;
    private final DeclarationCheck check;

    PlannedSwsServerContract(MemoryPlan plan, DeclarationCheck check) {
        this.plan = plan;
        this.check = check;
    }

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @Override
    DeclarationCheck declarations() {
        return check;
    }

    @Override
    void start(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        super.start(builder -> change.apply(builder.stingy(plan)));
    }
}
