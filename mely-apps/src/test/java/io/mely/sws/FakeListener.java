// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredListener;
import io.mely.net.ColoredSocket;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The listener of a test that steps the server.
 *
 * @param queue gives who waits next, or null
 */
record FakeListener(Supplier<@Nullable ColoredSocket> queue) implements ColoredListener {
    @Override
    public @Nullable ColoredSocket accept() {
        return queue.get();
    }

    @Override
    public InetSocketAddress localAddress() {
        return new InetSocketAddress(0);
    }

    @Override
    public int core() {
        return 0;
    }

    @Override
    public void close() {}

    @Override
    public boolean isOpen() {
        return true;
    }
}
