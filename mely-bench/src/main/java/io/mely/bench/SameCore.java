// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.Color;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Stage;
import io.mely.bench.record.Recorder;
import io.mely.runtime.Hooks;
import io.mely.spi.NanoClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Chains and bursts of empty events on one core, and the books on them. The benchmark's thread starts a chain and sleeps; the wake-ups
 * at its two ends cost less than 1 ns an event.
 *
 * <p><b>Threads.</b> The fields change on the core; the send that starts a chain and the {@link Signal} that ends it order the rest.
 */
final class SameCore {
    /** Events of one invocation. */
    static final int EVENTS = 100_000;

    /** Events of one burst; a divisor of {@link #EVENTS}. */
    static final int BURST = 1_000;

    private static final int PHASES = 4;

    private final Signal signal = new Signal();
    private final Mely mely;
    private final Stage<Token> fused;
    private final Stage<Token> alternate;
    private final Stage<SameCore> driver;
    private final Stage<Token> member;
    private final Lane[] lanes;
    private final Color driverColor;
    private final boolean isFresh;

    private int left;
    private int burstLeft;
    private long expectedRun;
    private final @Nullable Recorder recorder;

    /** A color of the burst, and how far it is. */
    private static final class Lane {
        final Color color;
        final Token[] tokens = new Token[PHASES];

        @Nullable
        Lane next;

        int sent;
        int ran;

        Lane(Color color) {
            this.color = color;
            for (int i = 0; i < PHASES; i++) {
                tokens[i] = new Token(this, i);
            }
        }
    }

    /** An event: which lane it was sent to, and its number there modulo a few, by which the order is checked. */
    private static final class Token {
        final Lane lane;
        final int phase;

        Token(Lane lane, int phase) {
            this.lane = lane;
            this.phase = phase;
        }
    }

    /**
     * Starts a runtime.
     *
     * @param cores of the runtime; all colors are at home on core 0
     * @param colors of the bursts
     * @param isFresh true allocates each event, false sends the same few objects again and again
     */
    SameCore(int cores, int colors, boolean isFresh) {
        this(cores, colors, isFresh, false);
    }

    /**
     * Starts a runtime that may be recorded.
     *
     * @param cores of the runtime; all colors are at home on core 0
     * @param colors of the bursts
     * @param isFresh true allocates each event, false sends the same few objects again and again
     * @param isRecorded whether a {@link Recorder} observes it
     */
    SameCore(int cores, int colors, boolean isFresh, boolean isRecorded) {
        this.isFresh = isFresh;
        recorder = isRecorded ? new Recorder(NanoClock.SYSTEM, Duration.ZERO) : null;
        Hooks hooks = Hooks.NONE.withPlacement(slot -> 0);
        mely = (recorder == null ? hooks : hooks.withObservers(recorder))
                .on(Mely.builder())
                .name("bench")
                .pinned(false) // so that the kernel moves it away from a busy neighbour, as it does the threads beside
                // it
                .cores(cores)
                .errorHandler(failure -> signal.fail(failure.toString()))
                .build();
        fused = mely.stage("fused", this::runFused);
        alternate = mely.stage("alternate", this::runAlternate);
        driver = mely.stage("driver", SameCore::runDriver);
        member = mely.stage("member", this::runMember);
        driverColor = mely.colorAt(1);
        lanes = new Lane[colors];
        for (int i = 0; i < colors; i++) {
            lanes[i] = new Lane(mely.colorAt(i + 2));
            lanes[i].next = lanes[0];
            lanes[Math.max(0, i - 1)].next = lanes[i];
        }
        mely.start();
    }

    // ------------------------------------------------------------------ the benchmark's thread

    /** A handler that sends to its own, otherwise empty color. */
    void fusedChain() {
        start(EVENTS);
        send(fused, lanes[0]);
        signal.await();
    }

    /** A handler that sends to the next color: each send opens an idle color. */
    void alternateChain() {
        start(EVENTS);
        send(alternate, lanes[0]);
        signal.await();
    }

    /** Bursts, each sent by one handler and then run. The driver's own events, one in 1,000, are not counted in. */
    void bursts() {
        start(EVENTS + EVENTS / BURST);
        left = EVENTS / BURST;
        if (!driver.offer(driverColor, this)) {
            signal.fail("refused");
        }
        signal.await();
    }

    private void start(int events) {
        signal.arm();
        left = events;
        expectedRun += events;
    }

    /** Closes the runtime and its books. */
    void close() {
        mely.close();
        MelyStats stats = mely.stats();
        if (recorder != null && recorder.profile().runs() != expectedRun) {
            throw new IllegalStateException("expected " + expectedRun + " recorded events: " + recorder.profile());
        }
        if (stats.run() != expectedRun || stats.sent() != expectedRun || stats.refused() != 0) {
            throw new IllegalStateException("expected " + expectedRun + " events: " + stats);
        }
    }

    // ------------------------------------------------------------------ the core

    private void runFused(Token token) {
        if (!isNext(token)) {
            return;
        }
        if (--left > 0) {
            send(fused, token.lane);
        } else {
            signal.done();
        }
    }

    private void runAlternate(Token token) {
        if (!isNext(token)) {
            return;
        }
        if (--left > 0) {
            Lane next = token.lane.next;
            send(alternate, next == null ? token.lane : next);
        } else {
            signal.done();
        }
    }

    private void runDriver() {
        left--;
        burstLeft = BURST;
        int lane = 0;
        for (int i = 0; i < BURST; i++) {
            send(member, lanes[lane]);
            lane = lane + 1 == lanes.length ? 0 : lane + 1;
        }
    }

    private void runMember(Token token) {
        if (isNext(token) && --burstLeft == 0) {
            if (left == 0) {
                signal.done();
            } else if (!driver.offer(driverColor, this)) {
                signal.fail("refused");
            }
        }
    }

    private void send(Stage<Token> stage, Lane lane) {
        int phase = lane.sent++ & PHASES - 1;
        if (!stage.offer(lane.color, isFresh ? new Token(lane, phase) : lane.tokens[phase])) {
            signal.fail("refused");
        }
    }

    private boolean isNext(Token token) {
        if ((token.lane.ran++ & PHASES - 1) == token.phase) {
            return true;
        }
        signal.fail("out of order in " + token.lane.color);
        return false;
    }
}
