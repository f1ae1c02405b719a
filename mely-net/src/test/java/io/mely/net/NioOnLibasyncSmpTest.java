// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.Engine;

final class NioOnLibasyncSmpTest extends OnMelyContract {
    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }

    @Override
    Engine engine() {
        return Engine.LIBASYNC_SMP;
    }
}
