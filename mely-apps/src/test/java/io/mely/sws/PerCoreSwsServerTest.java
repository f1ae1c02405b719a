// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.io.IOException;
import java.util.function.UnaryOperator;

/** {@link SwsServerContract} with a listener on each core. */
class PerCoreSwsServerTest extends SwsServerContract {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @Override
    void start(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        super.start(builder -> change.apply(builder.set(SwsSettings.LISTENERS, SwsConfig.Listeners.PER_CORE)));
    }
}
