// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.util.stream.Stream;

// The colored policy with every way of stealing, the central queue, and a group with threads of its own.
class PolicyContractTest extends PolicyContract {
    @Override
    protected Stream<Setting> settings() {
        return Stream.of(
                new Setting("mely-off", Policy.colored(Stealing.off()), true),
                new Setting("mely-base", Policy.colored(Stealing.base()), true),
                new Setting("mely-timeleft", Policy.colored(new Stealing(true, false, true, false)), true),
                new Setting("mely-penalty", Policy.colored(new Stealing(true, false, false, true)), true),
                new Setting("mely-locality", Policy.colored(new Stealing(true, true, false, false)), true),
                new Setting("mely", Policy.colored(), true),
                new Setting("central-queue", Policy.centralQueue(), false),
                new Setting("threads", Policy.of("threads", ThreadsGroup::new), false));
    }
}
