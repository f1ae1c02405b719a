// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.concurrent.TimeUnit;

/** Netty's own: what the contract asks of colors is what programs have today. */
final class DefaultEventExecutorGroupTest extends EventExecutorGroupContract {
    @Override
    EventExecutorGroup open() {
        return new DefaultEventExecutorGroup(2);
    }

    @Override
    void close() throws Exception {
        group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    }
}
