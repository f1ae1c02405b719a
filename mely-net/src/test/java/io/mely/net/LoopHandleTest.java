// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The one promise that needs two threads to break: no descriptor is closed under a call. */
@Timeout(120)
final class LoopHandleTest {
    /** A descriptor that notices a call on it after its end. */
    private static final class Watched extends LoopHandle implements NioIoHandle {
        final Pipe pipe;
        final AtomicInteger told = new AtomicInteger();
        final AtomicInteger closings = new AtomicInteger();
        final AtomicInteger inCall = new AtomicInteger();
        final AtomicInteger closedInCall = new AtomicInteger();
        final CountDownLatch registered = new CountDownLatch(1);
        boolean isRefusedByKernel;

        Watched(CoreEventLoopGroup group) throws Exception {
            super(group);
            pipe = Pipe.open();
            pipe.source().configureBlocking(false);
        }

        @Override
        void onRegistered(IoRegistration registration) throws IOException {
            if (isRefusedByKernel) {
                throw new IOException("planted");
            }
            registration.submit(NioIoOps.READ);
            registered.countDown();
        }

        @Override
        void onEvent(IoRegistration registration, IoEvent event) {}

        @Override
        boolean onReport(int ready) {
            told.incrementAndGet();
            return true;
        }

        @Override
        void closeDescriptor() throws IOException {
            closings.incrementAndGet();
            if (inCall.get() != 0) {
                closedInCall.incrementAndGet();
            }
            pipe.source().close();
            pipe.sink().close();
        }

        @Override
        public SelectableChannel selectableChannel() {
            return pipe.source();
        }

        void call(Runnable work) throws ClosedChannelException {
            enter();
            try {
                inCall.set(1);
                work.run();
                inCall.set(0);
            } finally {
                exit();
            }
        }
    }

    /** The shutdown of the loop waits for a call that is under way. */
    @Test
    void shutdown_waitsForACall() throws Exception {
        CoreEventLoopGroup group = CoreEventLoopGroup.nio();
        HandCores cores = HandCores.started(group, 1);
        Watched watched = new Watched(group);
        watched.registerWith(0);
        assertThat(watched.registered.await(60, TimeUnit.SECONDS)).isTrue();
        watched.call(() -> {
            cores.core(0).stopSoon();
            Await.until("the loop waits", () -> !watched.isNotClosed());
            assertThat(watched.closings.get()).isZero();
        });
        cores.close();
        assertThat(watched.closings.get()).isPositive();
        assertThat(watched.closedInCall.get()).isZero();
        assertThat(watched.told.get()).isEqualTo(1);
        assertThatThrownBy(() -> watched.call(() -> {})).isInstanceOf(ClosedChannelException.class);
    }

    /** A close from outside the color, which the loop refuses as it ends, waits for a call that is under way. */
    @Test
    void close_refusedByTheLoopWaitsForACall() throws Exception {
        CoreEventLoopGroup group = CoreEventLoopGroup.nio();
        HandCores cores = HandCores.started(group, 1);
        CoreEventLoop loop = group.coreLoop(0);
        Watched watched = new Watched(group);
        watched.registerWith(0);
        assertThat(watched.registered.await(60, TimeUnit.SECONDS)).isTrue();
        CountDownLatch ending = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        loop.execute(new Runnable() {
            @Override
            public void run() {
                if (!loop.isShuttingDown()) {
                    loop.execute(this);
                    return;
                }
                ending.countDown();
                Await.until("the close", () -> goesOn.getCount() == 0);
            }
        });
        cores.core(0).stopSoon();
        assertThat(ending.await(60, TimeUnit.SECONDS)).isTrue();
        Thread closer = new Thread(watched::close);
        watched.call(() -> {
            closer.start();
            Await.until(
                    "it waits, or has closed",
                    () -> !closer.isAlive() || closer.getState() == Thread.State.TIMED_WAITING);
        });
        closer.join(60_000);
        goesOn.countDown();
        cores.close();
        assertThat(watched.closedInCall.get()).isZero();
        assertThat(watched.closings.get()).isPositive();
        assertThat(watched.told.get()).as("the color has closed it itself").isZero();
    }

    /** Many shutdowns against many short calls: never one inside the other. */
    @Test
    void shutdown_racesWithCalls() throws Exception {
        AtomicLong calls = new AtomicLong();
        for (int round = 0; round < 200; round++) {
            CoreEventLoopGroup group = CoreEventLoopGroup.nio();
            HandCores cores = HandCores.started(group, 1);
            Watched watched = new Watched(group);
            watched.registerWith(0);
            assertThat(watched.registered.await(60, TimeUnit.SECONDS)).isTrue();
            Thread color = new Thread(() -> {
                try {
                    while (true) {
                        watched.call(calls::incrementAndGet);
                    }
                } catch (ClosedChannelException e) {
                    // the end
                }
            });
            color.start();
            cores.close();
            color.join(60_000);
            assertThat(color.isAlive()).isFalse();
            assertThat(watched.closedInCall.get()).isZero();
            assertThat(watched.told.get()).isEqualTo(1);
        }
        assertThat(calls.get()).isPositive();
    }

    /** A close by the color and one by the loop's shutdown, at the same time: closed, and told at most once. */
    @Test
    void close_racesWithShutdownAndRegistration() throws Exception {
        for (int round = 0; round < 300; round++) {
            CoreEventLoopGroup group = CoreEventLoopGroup.nio();
            HandCores cores = HandCores.started(group, 1);
            Watched watched = new Watched(group);
            Thread color = new Thread(() -> {
                try {
                    watched.registerWith(0);
                } catch (Exception e) {
                    // refused: closed by this
                }
                watched.close();
            });
            color.start();
            if (round % 2 == 0) {
                cores.close();
            }
            color.join(60_000);
            cores.close();
            Await.until("closed", () -> watched.closings.get() > 0);
            assertThat(watched.pipe.source().isOpen()).isFalse();
            assertThat(watched.told.get()).isLessThanOrEqualTo(1);
        }
    }

    /** A call that the stack has no room for has ended, too: the close does not wait for it. */
    @Test
    void close_afterAStackOverflow() throws Exception {
        CoreEventLoopGroup group = CoreEventLoopGroup.nio();
        HandCores cores = HandCores.started(group, 1);
        for (int round = 0; round < 50; round++) {
            Watched watched = new Watched(group);
            watched.registerWith(0);
            assertThat(watched.registered.await(60, TimeUnit.SECONDS)).isTrue();
            Thread color = new Thread(
                    null,
                    () -> {
                        try {
                            recurse(watched, 0);
                        } catch (StackOverflowError e) {
                            // as planned
                        }
                        watched.close();
                    },
                    "color",
                    256 << 10);
            color.start();
            color.join(60_000);
            int nr = round;
            Await.until("closed, round " + nr, () -> watched.closings.get() > 0);
        }
        cores.close();
    }

    private static int recurse(Watched watched, int depth) {
        try {
            watched.call(() -> {});
        } catch (ClosedChannelException e) {
            throw new AssertionError(e);
        }
        return depth == Integer.MAX_VALUE ? depth : recurse(watched, depth + 1) + 1;
    }

    /** A registration that the kernel refuses closes the descriptor and tells the color, who finds out by its next call. */
    @Test
    void register_refusedByKernel() throws Exception {
        Logger log = Logger.getLogger(LoopHandle.class.getName());
        log.setLevel(Level.OFF);
        CoreEventLoopGroup group = CoreEventLoopGroup.nio();
        try (HandCores cores = HandCores.started(group, 1)) {
            Watched refused = new Watched(group);
            refused.isRefusedByKernel = true;
            refused.registerWith(0);
            Await.until("told", () -> refused.told.get() == 1);
            assertThat(refused.closings.get()).isPositive();
            assertThat(refused.isNotClosed()).isFalse();
            assertThatThrownBy(() -> refused.call(() -> {})).isInstanceOf(ClosedChannelException.class);

            Watched unfit = new Watched(group); // a selector refuses channels that block
            unfit.pipe.source().configureBlocking(true);
            unfit.registerWith(0);
            Await.until("told", () -> unfit.told.get() == 1);
            assertThat(unfit.closings.get()).isPositive();
            assertThat(cores.core(0).isAlive()).isTrue();
        } finally {
            log.setLevel(null);
        }
    }
}
