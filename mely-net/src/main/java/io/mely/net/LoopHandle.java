// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One descriptor on one core's loop, used by a color that may run elsewhere.
 *
 * <pre>
 *            registerWith                  on the loop
 *    NEW ──────────────────► REGISTERING ───────────────► OPEN
 *     │ close: closes the       │ close: the loop closes    │ close: the loop closes the descriptor and deregisters
 *     │ descriptor              │ the descriptor when it    │ the loop shuts down: the same, then it tells the color
 *     ▼                         ▼ gets there                ▼
 *   CLOSED ◄──────────────────────────────────────────────────
 *
 *   NEW          one color
 *   REGISTERING  the color reads and writes; the loop registers
 *   OPEN         the color reads and writes; the loop reports
 *   CLOSED       the color may not touch the descriptor; whoever made this transition closes it, or has the loop do it
 * </pre>
 *
 * <h2>No call on a closed number</h2>
 *
 * The kernel gives a closed number to the next connection, so a late write would reach a stranger. The color closes by its last touch and
 * can't be late. The loop's shutdown can come while a color, on another core, is in the middle of a call (a handler that runs on when the
 * runtime's closing deadline has passed). So each call enters first: it sets {@code isInCall}, then reads the state. The closing
 * loop sets the state, then waits for the flag. Both are volatile: one sees the other.
 *
 * <p>One caller at a time, which is what a color is.
 */
abstract class LoopHandle implements IoHandle {
    private static final Logger LOGGER = System.getLogger(LoopHandle.class.getName());

    private static final int NEW = 0;
    private static final int REGISTERING = 1;
    private static final int OPEN = 2;
    private static final int CLOSED = 3;

    /** Looks at a call under way before the waiting loop gives its CPU away. Guess: longer than any call that does not read a disk. */
    private static final int SPINS_MAX = 1_000;

    private static final long PAUSE_NS = 100_000;

    private static final VarHandle STATE;
    private static final VarHandle IN_CALL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(LoopHandle.class, "state", int.class);
            IN_CALL = lookup.findVarHandle(LoopHandle.class, "isInCall", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CoreEventLoopGroup group;
    private volatile int state;
    private volatile boolean isInCall;
    private volatile int core = -1;
    private volatile @Nullable IoRegistration registration;

    LoopHandle(CoreEventLoopGroup group) {
        this.group = group;
    }

    // ------------------------------------------------------------------ for the transports

    /** Asks the loop for the first reports. On the loop. */
    abstract void onRegistered(IoRegistration registration) throws IOException;

    /** Reports what the loop saw. On the loop; may throw. */
    abstract void onEvent(IoRegistration registration, IoEvent event);

    /** Reports that there will be no more reports: the color is to find out by a call. On the loop; may throw. */
    abstract void onLoopGone();

    /** Closes the descriptor. Idempotent; on the loop, or by the color if there is no loop. */
    abstract void closeDescriptor() throws IOException;

    final CoreEventLoopGroup group() {
        return group;
    }

    /** The registration, once it is complete. */
    final @Nullable IoRegistration registration() {
        return registration;
    }

    final CoreEventLoop loop() {
        return group.coreLoop(core);
    }

    /** Enters a call on the descriptor. */
    final void enter() throws ClosedChannelException {
        // first the exit to come: if the stack has no room for it, it overflows before the flag is set, and not after
        exit();
        isInCall = true; // volatile: before the state is read; pairs with closeByLoop
        if (state == CLOSED) {
            exit();
            throw new ClosedChannelException();
        }
    }

    /** Leaves a call on the descriptor. */
    final void exit() {
        IN_CALL.setRelease(this, false);
    }

    // ------------------------------------------------------------------ for the color

    /** See {@link ColoredSocket#register}. */
    final void registerWith(int core) throws IOException {
        CoreEventLoop loop = group.coreLoop(core);
        int was = (int) STATE.compareAndExchange(this, NEW, REGISTERING);
        if (was == CLOSED) {
            throw new ClosedChannelException();
        }
        if (was != NEW) {
            throw new IllegalStateException("register() once only: " + this);
        }
        this.core = core;
        if (loop.inEventLoop()) {
            registerOnLoop(loop);
            return;
        }
        try {
            loop.execute(() -> registerOnLoop(loop));
        } catch (RejectedExecutionException e) {
            state = CLOSED;
            closeQuietly();
            throw e;
        }
    }

    private void registerOnLoop(CoreEventLoop loop) {
        Future<IoRegistration> future = loop.register(this); // complete, as this is the loop's thread
        if (!future.isSuccess()) {
            if (!loop.isShuttingDown()) { // else it has refused
                registerFailed(future.cause());
            }
            closeByLoop();
            return;
        }
        IoRegistration registration = future.getNow();
        this.registration = registration;
        if (!STATE.compareAndSet(this, REGISTERING, OPEN)) {
            deregister(registration); // closed meanwhile
            return;
        }
        try {
            onRegistered(registration);
        } catch (Exception e) {
            registerFailed(e);
            registration.cancel(); // first, unlike elsewhere: the color may be about to wait for room
        }
    }

    /** The kernel refuses, for want of memory or by its limit of watches. */
    private void registerFailed(@Nullable Throwable cause) {
        LOGGER.log(Logger.Level.WARNING, "could not be registered, and is closed: " + this, cause);
    }

    /** Takes it off the loop. */
    private void deregister(IoRegistration registration) {
        CoreEventLoop loop = loop();
        if (loop.inEventLoop()) {
            deregisterOnLoop(registration);
            return;
        }
        try {
            loop.execute(() -> deregisterOnLoop(registration));
        } catch (RejectedExecutionException e) {
            closeByLoop(); // in its place; of a listener, which anybody may close, the color may be in a call
        }
    }

    /** The descriptor goes first: the kernel takes a closed one out of the epoll set by itself, so there is one call less. */
    private void deregisterOnLoop(IoRegistration registration) {
        closeByLoop();
        registration.cancel();
    }

    final int coreOrNone() {
        return core;
    }

    final boolean isNotClosed() {
        return state != CLOSED;
    }

    /**
     * The color's last touch. The loop calls it too, after {@link #unregistered}; then it does nothing.
     */
    @Override
    public final void close() {
        int was = (int) STATE.getAndSet(this, CLOSED);
        if (was == NEW) {
            closeQuietly();
        } else if (was == OPEN) {
            IoRegistration registration = this.registration;
            assert registration != null : "set before OPEN";
            deregister(registration);
        }
    }

    // ------------------------------------------------------------------ on the loop

    @Override
    public final void handle(IoRegistration registration, IoEvent event) {
        if (state == CLOSED) {
            return;
        }
        try {
            onEvent(registration, event);
        } catch (Throwable e) { // an exception that left here would put the loop to sleep for a second
            LOGGER.log(Logger.Level.ERROR, "a readiness handler failed: " + this, e);
        }
    }

    @Override
    public final void unregistered() {
        closeByLoop();
    }

    private void closeByLoop() {
        int was = (int) STATE.getAndSet(this, CLOSED); // volatile: before the flag is read; pairs with enter
        for (int spins = 0; isInCall; spins++) {
            if (spins < SPINS_MAX) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, PAUSE_NS);
            }
        }
        closeQuietly();
        if (was != CLOSED) {
            try {
                onLoopGone();
            } catch (Throwable e) {
                LOGGER.log(Logger.Level.ERROR, "a readiness handler failed: " + this, e);
            }
        }
    }

    private void closeQuietly() {
        try {
            closeDescriptor();
        } catch (IOException e) {
            LOGGER.log(Logger.Level.DEBUG, "could not be closed: " + this, e);
        }
    }
}
