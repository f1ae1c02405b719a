// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

final class NioBackPressureTest extends BackPressureContract {

    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }
}
