// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import org.junit.jupiter.api.Test;

final class NioCoreEventLoopGroupTest extends CoreEventLoopGroupContract {
    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.nio();
    }

    /** The best transport is taken, and each says what it is. */
    @Test
    void auto_takesTheBest() {
        CoreEventLoopGroup auto = CoreEventLoopGroup.auto();
        assertThat(auto.transportName()).isEqualTo(Epoll.isAvailable() ? "epoll" : "nio");
        assertThat(auto.isIoType(EpollIoHandler.class)).isEqualTo(Epoll.isAvailable());
        CoreEventLoopGroup nio = CoreEventLoopGroup.nio();
        assertThat(nio.isIoType(NioIoHandler.class)).isTrue();
        assertThat(nio.isIoType(EpollIoHandler.class)).isFalse();
        assertThat(nio.serverChannelType()).isEqualTo(NioServerSocketChannel.class);
        assertThat(nio.toString()).contains("nio").contains("cores=0");
    }
}
