// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

final class NioCorePollerTest extends CorePollerContract {
    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }
}
