// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;

final class NioBackPressureTest extends BackPressureContract {

    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }

    @Override
    EventLoopGroup newForeignGroup() {
        return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }

    @Override
    Class<? extends ServerChannel> serverChannelType() {
        return NioServerSocketChannel.class;
    }
}
