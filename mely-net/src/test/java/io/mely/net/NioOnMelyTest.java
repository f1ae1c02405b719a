// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

final class NioOnMelyTest extends OnMelyContract {
    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }
}
