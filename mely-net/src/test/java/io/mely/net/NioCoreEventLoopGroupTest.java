// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

final class NioCoreEventLoopGroupTest extends CoreEventLoopGroupContract {
    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }
}
