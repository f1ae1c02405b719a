// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * A channel on a selector, made edge-triggered: the loop takes back the interest in what it reports, and the color shows interest again
 * when a call has found nothing left.
 */
abstract class NioHandle extends LoopHandle implements NioIoHandle {
    private final SelectableChannel channel;

    NioHandle(CoreEventLoopGroup group, SelectableChannel channel) {
        super(group);
        this.channel = channel;
    }

    /** What to wait for at first. Asked after the color can see the registration, so it has what was awaited before. */
    abstract int firstOps();

    /** Reports what is ready. */
    abstract void onReadyOps(int ops);

    @Override
    public final SelectableChannel selectableChannel() {
        return channel;
    }

    @Override
    final void onRegistered(IoRegistration registration) {
        SelectionKey key = registration.attachment();
        key.interestOpsOr(firstOps()); // not set: the color has the registration already, and may have shown interest
    }

    @Override
    final void onEvent(IoRegistration registration, IoEvent event) {
        int ops = ((NioIoEvent) event).ops().value();
        try {
            SelectionKey key = registration.attachment();
            key.interestOpsAnd(~ops);
        } catch (CancelledKeyException e) {
            return; // closed meanwhile
        }
        onReadyOps(
                ops); // after the interest is taken back: pairs with awaitWritable, which shows it after it has said so
    }

    /** Waits for this, too. Any thread. */
    final void interest(int op) {
        IoRegistration registration = registration();
        if (registration == null) {
            return; // part of firstOps
        }
        try {
            SelectionKey key = registration.attachment();
            if ((key.interestOpsOr(op) & op) == 0) {
                loop().wakeup(); // a selector that waits does not see it otherwise
            }
        } catch (CancelledKeyException e) {
            // closed meanwhile, and the color was told
        }
    }

    @Override
    void closeDescriptor() throws IOException {
        channel.close();
    }

    /** The exception to throw for one of the JDK's, which has no numbers. */
    static IOException translate(IOException e) {
        return e instanceof ClosedChannelException ? e : new PeerGoneException(String.valueOf(e.getMessage()), e);
    }
}
