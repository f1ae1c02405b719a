// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.HashMap;
import java.util.Map;

/** This machine, read once: that costs more than simulating it, or a schedule of a model, and says the same each time. */
final class Machines {
    private static final Map<String, Machine> READ = new HashMap<>();

    private Machines() {}

    static synchronized Machine of(RuntimeConfig config) {
        return READ.computeIfAbsent(config.cores() + "/" + config.tuning().spinNs(), key -> Machine.of(config));
    }
}
