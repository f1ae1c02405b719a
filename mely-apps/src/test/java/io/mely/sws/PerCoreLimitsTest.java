// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.io.IOException;
import java.util.function.UnaryOperator;

/** {@link LimitsTest} with a listener on each core: what is counted, is counted over all of them. */
class PerCoreLimitsTest extends LimitsTest {
    @Override
    void start(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        super.start(builder -> change.apply(builder.set(SwsSettings.LISTENERS, SwsConfig.Listeners.PER_CORE)));
    }
}
