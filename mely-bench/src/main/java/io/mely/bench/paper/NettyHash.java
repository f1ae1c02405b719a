// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Netty's event loops; a key stays with its loop. */
final class NettyHash implements KeyedExecutor {
    private final Setup setup;
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop[] loops;

    NettyHash(Setup setup) {
        this.setup = setup;
        group = new MultiThreadIoEventLoopGroup(setup.workers(), NioIoHandler.newFactory());
        loops = new EventLoop[setup.workers()];
        for (int i = 0; i < loops.length; i++) {
            loops[i] = group.next();
        }
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        loops[setup.homes().applyAsInt(key)].execute(event);
    }

    @Override
    public boolean hasTimers() {
        return true;
    }

    @Override
    public Cancel schedule(int key, int kind, long delayNs, Runnable event) {
        ScheduledFuture<?> timer = loops[setup.homes().applyAsInt(key)].schedule(event, delayNs, TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
