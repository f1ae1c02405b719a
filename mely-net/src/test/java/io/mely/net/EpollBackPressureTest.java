// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import org.junit.jupiter.api.BeforeAll;

final class EpollBackPressureTest extends BackPressureContract {
    @BeforeAll
    static void needsEpoll() {
        assumeTrue(Epoll.isAvailable());
    }

    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.epoll();
    }

    @Override
    EventLoopGroup newForeignGroup() {
        return new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    }

    @Override
    Class<? extends ServerChannel> serverChannelType() {
        return EpollServerSocketChannel.class;
    }
}
