// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

final class NioSocketTest extends ColoredSocketContract {
    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }

    @Override
    boolean isNoDelay(ColoredSocket socket) throws IOException {
        return ((SocketChannel) ((NioSocket) socket).selectableChannel()).getOption(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    boolean knowsSilence() {
        return false;
    }
}
