// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
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
}
