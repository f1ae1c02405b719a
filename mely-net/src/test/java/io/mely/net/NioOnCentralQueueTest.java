// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.Policy;

final class NioOnCentralQueueTest extends OnMelyContract {
    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }

    @Override
    Policy policy() {
        return Policy.centralQueue();
    }
}
