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
 *            registerWith                  on the loop                 the loop shuts down: closes
 *    NEW ──────────────────► REGISTERING ───────────────► OPEN ───────────────────────────────────► GONE
 *     │ close: closes the       │ close: the loop closes    │ close: the loop closes  the descriptor,
 *     │ descriptor              │ the descriptor when it    │ the descriptor and      tells the color
 *     ▼                         ▼ gets there                ▼ deregisters
 *   CLOSED ◄─────────────────────────────────────────────────
 *
 *   NEW          one color
 *   REGISTERING  the color reads and writes; the loop registers, or is shut down as in OPEN
 *   OPEN         the color reads and writes; the loop reports
 *   GONE         the color may not touch the descriptor; the loop closes it, and reports that
 *   CLOSED       the color may not touch the descriptor; whoever made this transition closes it, or has the loop do it; no report
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
    private static final int GONE = 3;
    private static final int CLOSED = 4;

    private static final int EVERYTHING = ColoredSocket.READ | ColoredSocket.WRITE | ColoredSocket.HANGUP;

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

    /** What was reported and refused. On the loop. */
    private int owed;

    /** In the list of those with refused reports. On the loop. */
    private boolean isOwing;

    /** The next in that list; the list's. */
    @Nullable
    LoopHandle nextOwing;

    LoopHandle(CoreEventLoopGroup group) {
        this.group = group;
    }

    // ------------------------------------------------------------------ for the transports

    /** Asks the loop for the first reports. On the loop. */
    abstract void onRegistered(IoRegistration registration) throws IOException;

    /** Makes a {@link #report} of what the loop saw. On the loop; may throw. */
    abstract void onEvent(IoRegistration registration, IoEvent event);

    /** Asks the handler to tell the color. On the loop; may throw. */
    abstract boolean onReport(int ready);

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
        if (state >= GONE) {
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
        if (was >= GONE) {
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
        return state < GONE;
    }

    /**
     * The color's last touch. The loop calls it too, after {@link #unregistered}; then it does nothing.
     */
    @Override
    public final void close() {
        int was = closeAs(CLOSED);
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
        if (!isNotClosed()) {
            return;
        }
        try {
            onEvent(registration, event);
        } catch (Throwable e) { // an exception that left here would put the loop to sleep for a second
            LOGGER.log(Logger.Level.ERROR, "an event of the loop was not understood: " + this, e);
        }
    }

    /** Tells the color; what is refused is offered again later, with what has become ready by then. */
    final void report(int ready) {
        owed |= ready;
        if (!isOwing && !reportNow() && !isOwing) { // asked again: the handler may have come back here
            isOwing = true;
            loop().owed().add(this);
        }
    }

    /**
     * Offers again what was refused; the caller has taken it off the list.
     *
     * @return false if it is refused still, and stays in the list
     */
    final boolean reportOwed() {
        isOwing = state != CLOSED && !reportNow();
        return !isOwing;
    }

    private boolean reportNow() {
        int ready = owed;
        owed = 0;
        try {
            if (onReport(ready)) {
                return true;
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // refused, too
        } catch (Throwable e) {
            LOGGER.log(Logger.Level.ERROR, "a readiness handler failed: " + this, e);
            return true; // a bug of its own: it would fail again
        }
        owed |= ready;
        return false;
    }

    @Override
    public final void unregistered() {
        closeByLoop();
    }

    private void closeByLoop() {
        int was = closeAs(GONE); // before the flag is read; pairs with enter
        for (int spins = 0; isInCall; spins++) {
            if (spins < SPINS_MAX) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, PAUSE_NS);
            }
        }
        closeQuietly();
        if (was < GONE) {
            report(EVERYTHING); // there will be no more: the color finds out by its next call
        }
    }

    /** Changes the state to one of the last two, if it is none of them; answers what it was. */
    private int closeAs(int last) {
        int was = state;
        while (was < GONE && !STATE.compareAndSet(this, was, last)) {
            was = state;
        }
        return was;
    }

    private void closeQuietly() {
        try {
            closeDescriptor();
        } catch (IOException e) {
            LOGGER.log(Logger.Level.DEBUG, "could not be closed: " + this, e);
        }
    }
}
