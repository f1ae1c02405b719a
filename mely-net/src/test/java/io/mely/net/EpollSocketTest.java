// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;

final class EpollSocketTest extends ColoredSocketContract {
    @BeforeAll
    static void needsEpoll() {
        assumeTrue(Epoll.isAvailable());
    }

    @Override
    CoreEventLoopGroup newGroup() {
        return CoreEventLoopGroup.epoll();
    }

    @Override
    boolean isNoDelay(ColoredSocket socket) throws IOException {
        return ((EpollSocket) socket).socket.isTcpNoDelay();
    }

    @Override
    boolean knowsSilence() {
        return Posix.isAvailable();
    }
}
