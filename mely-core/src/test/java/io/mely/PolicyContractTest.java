// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.util.stream.Stream;

// The colored policy with every way of stealing, the central queue, and a group with threads of its own.
class PolicyContractTest extends PolicyContract {
    @Override
    protected Stream<Setting> settings() {
        return Stream.of(
                colored("mely-off", Stealing.off()),
                colored("mely-base", Stealing.base()),
                colored("mely-timeleft", new Stealing(true, false, true, false)),
                colored("mely-penalty", new Stealing(true, false, false, true)),
                colored("mely-locality", new Stealing(true, true, false, false)),
                colored("mely", Stealing.mely()),
                new Setting("central-queue", Policy.centralQueue(), false, false),
                new Setting("threads", Policy.of("threads", ThreadsGroup::new), false, false));
    }

    private static Setting colored(String name, Stealing stealing) {
        return new Setting(name, Policy.colored(stealing), true, true);
    }
}
