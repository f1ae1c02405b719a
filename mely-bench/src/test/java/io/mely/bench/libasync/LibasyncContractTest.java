// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.PolicyContract;
import java.util.stream.Stream;

// libasync's engines keep what every policy promises.
class LibasyncContractTest extends PolicyContract {
    @Override
    protected Stream<Setting> settings() {
        return Stream.of(
                new Setting("libasync-smp", Libasync.smp(false), true, true),
                new Setting("libasync-smp-ws", Libasync.smp(true), true, true),
                new Setting("libasync-mp", Libasync.mp(), true, true));
    }
}
