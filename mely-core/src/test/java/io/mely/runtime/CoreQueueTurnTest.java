// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// A turn is for what was pending when it began, and goes on after a pause, unless another color came first.
class CoreQueueTurnTest {
    private final Cores cores = new Cores(2, new TimeLeftIntervals(1_000)); // core 1 is the thief
    private final CoreQueue queue = cores.queues[0];
    private final HandlerProfile normal = Lane.handler(100);

    @AfterEach
    void validate() {
        cores.validate();
    }

    private Lane ready(HandlerProfile handler, int events) {
        return cores.ready(0, handler, events);
    }

    private Lane pick() {
        return cores.pick(0);
    }

    private Lane runNext() {
        return cores.runNext(0);
    }

    /** Of the color that was picked. */
    private void runRestAndEnd() {
        cores.runAll(0);
        cores.end(0);
    }

    /** One event of the next color runs, then its turn is paused. */
    private Lane pauseAfterOne() {
        Lane color = pick();
        cores.runOne(0);
        cores.pause(0);
        return color;
    }

    @Test
    void turn_isForWhatIsPending_asFarAsOthersHaveAsMuch() {
        ready(normal, 5);
        ready(normal, 2);
        pick();
        assertThat(queue.turnLeft()).as("of the first: as the second has").isEqualTo(200);
        runRestAndEnd();
        ready(normal, 3);
        pick();
        assertThat(queue.turnLeft()).as("of the second: its own").isEqualTo(200);
        queue.closeTurn();
        assertThat(queue.turnLeft()).isNegative();
        runRestAndEnd();
        pick();
        assertThat(queue.turnLeft()).as("nobody waits").isZero();
        runRestAndEnd();
    }

    @Test
    void pause_isPickedNext_andItsTurnGoesOn() {
        Lane color = ready(normal, 3);
        Lane other = ready(normal, 9);
        assertThat(pick()).isSameAs(color);
        cores.runOne(0);
        color.send(normal, 6);
        cores.pause(0);

        assertThat(pick()).isSameAs(color);
        assertThat(queue.turnLeft()).as("two of three").isEqualTo(200);
        assertThat(cores.runAll(0))
                .as("in order")
                .isEqualTo(
                        IntStream.range(1, 9).<Object>mapToObj(event -> event).toList());
        cores.end(0);
        assertThat(runNext()).isSameAs(other);
    }

    // Else whoever has less than a turn's work behind it would starve as long as urgent events come.
    @Test
    void pause_thenAnUrgentColor_endsTheTurn() {
        Lane color = ready(normal, 3);
        Lane other = ready(normal, 3);
        pauseAfterOne();
        Lane urgent = ready(Lane.handler(100, 1, 5), 1);
        assertThat(runNext()).isSameAs(urgent);
        assertThat(runNext()).isSameAs(other);
        assertThat(pick()).isSameAs(color);
        assertThat(queue.turnLeft()).as("another turn").isZero();
        runRestAndEnd();
    }

    @Test
    void pause_nothingPending_isAnEnd() {
        Lane color = ready(normal, 1);
        pick();
        cores.runAll(0);
        assertThat(cores.pause(0)).isFalse();
        Lane other = ready(normal, 1);
        color.send(normal, 3);
        assertThat(runNext()).isSameAs(other);
        assertThat(runNext()).isSameAs(color);
    }

    @Test
    void pause_ofAClosedTurn_leavesItClosed() {
        Lane color = ready(normal, 4);
        ready(normal, 9);
        pick();
        queue.closeTurn();
        cores.runOne(0);
        cores.pause(0);
        assertThat(pick()).isSameAs(color);
        assertThat(queue.turnLeft()).isNegative();
        runRestAndEnd();
        runNext();
    }

    // Else the paused color would have no turn of its own next, as that of the adopted one is closed.
    @Test
    void pause_thenAnotherIsAdopted_isForgotten() {
        Lane color = ready(normal, 3);
        ready(normal, 9);
        pauseAfterOne();
        cores.ready(1, normal, 1);
        ColorQueue stolen = cores.locked(1, own -> own.takeNext(queue, 1));
        cores.runStolen(0, stolen, false);

        assertThat(pick()).isSameAs(color);
        assertThat(queue.turnLeft()).as("a turn of its own").isEqualTo(200);
        runRestAndEnd();
        runNext();
    }

    @Test
    void pause_thenStolen_isForgotten() {
        Lane color = ready(Lane.handler(40_000, 1, 3), 3);
        Lane other = ready(normal, 1);
        pauseAfterOne();
        cores.locked(0, own -> own.takeWorthy(cores.queues[1], 0, 1));
        assertThat(runNext()).as("the paused color is away").isSameAs(other);
        cores.locked(1, own -> own.adopt(color.queue(), false));
        cores.runAll(1);
        cores.end(1);
        assertThat(color.queue().isIdle()).isTrue();
    }
}
