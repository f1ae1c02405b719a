// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

final class NioLoopHandOverTest extends LoopHandOverContract {
    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }
}
