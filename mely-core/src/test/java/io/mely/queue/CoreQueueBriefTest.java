// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.profile.HandlerProfile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Of the colors of one level, those that begin with a brief event go before those that begin with a lengthy one.
class CoreQueueBriefTest {
    private static final long NS = CoreQueue.LENGTHY_NS;

    private final Cores cores = new Cores(2, new TimeLeftIntervals(1_000), true); // core 1 is the thief
    private final CoreQueue queue = cores.queues[0];
    private final HandlerProfile brief = Lane.handler(NS - 1);
    private final HandlerProfile lengthy = Lane.handler(NS);

    /** What the core has run so far. */
    private long ranNs;

    @AfterEach
    void validate() {
        cores.validate();
    }

    private Lane ready(HandlerProfile handler) {
        return cores.ready(0, handler, 1);
    }

    private Lane pick() {
        return cores.locked(0, own -> own.pick(false, ranNs)) ? cores.of(queue.running()) : null;
    }

    private Lane runNext() {
        Lane lane = pick();
        if (lane != null) {
            cores.runAll(0);
            cores.end(0);
        }
        return lane;
    }

    private List<Lane> runRest() {
        List<Lane> ran = new ArrayList<>();
        for (Lane lane = runNext(); lane != null; lane = runNext()) {
            ran.add(lane);
        }
        return ran;
    }

    @Test
    void briefOnes_goFirst_eachKindInItsOrder() {
        Lane a = ready(lengthy);
        Lane b = ready(brief);
        Lane c = ready(lengthy);
        Lane d = ready(brief);
        assertThat(runRest()).containsExactly(b, d, a, c);
    }

    @Test
    void urgentOne_goesFirst_howeverLengthy() {
        Lane less = ready(brief);
        Lane urgent = ready(Lane.handler(NS, 1, 4));
        assertThat(runRest()).containsExactly(urgent, less);
    }

    // By its time: with a penalty it weighs next to nothing.
    @Test
    void eventWithAPenalty_isAsLengthyAsItIs() {
        Lane a = ready(Lane.handler(NS, 1_000, 3));
        Lane b = ready(brief);
        assertThat(runRest()).containsExactly(b, a);
    }

    @Test
    void nextEvent_says_howTheColorGoesOn() {
        Lane mixed = ready(brief).send(lengthy, 1);
        Lane other = ready(brief);
        assertThat(pick()).isSameAs(mixed);
        cores.runOne(0);
        cores.end(0);
        assertThat(queue.hasBrief()).isTrue();
        assertThat(runNext()).isSameAs(other);
        assertThat(queue.hasBrief()).as("the lengthy one is ready").isFalse();
        assertThat(runNext()).isSameAs(mixed);
    }

    // Else brief ones that never end would let it wait for ever.
    @Test
    void lengthyOne_hasItsTurnWhenBriefOnesHaveRunFourTimesAsLong() {
        Lane waits = ready(lengthy);
        Lane behind = ready(lengthy);
        ranNs = 1_000_000;
        Lane b = ready(brief);
        assertThat(runNext()).as("nobody has looked since it began to wait").isSameAs(b);
        ranNs += 4 * NS - 1;
        b.send(brief, 1);
        assertThat(runNext()).as("not yet").isSameAs(b);
        ranNs++;
        b.send(brief, 1);
        assertThat(runNext()).isSameAs(waits);
        ranNs += NS;
        assertThat(runNext()).as("what it took itself does not count").isSameAs(b);
        ranNs += 4 * NS - 1;
        b.send(brief, 1);
        assertThat(runNext()).as("not yet").isSameAs(b);
        ranNs++;
        b.send(brief, 1);
        assertThat(runNext()).isSameAs(behind);
        assertThat(runNext()).isSameAs(b);
    }

    // Else those of other levels that come and go would let it wait for ever.
    @Test
    void lengthyOne_ofAnotherLevelComes_theFirstWaitsNoLonger() {
        Lane waits = ready(lengthy);
        Lane b = ready(brief).send(brief, 1);
        pick();
        cores.runOne(0);
        cores.end(0);
        ranNs += 4 * NS;
        ready(Lane.handler(NS, 1, 2));
        assertThat(runNext()).isSameAs(waits);
        assertThat(runNext()).isSameAs(b);
    }

    // What ran while none waited is nothing to it.
    @Test
    void lengthyOne_waitsAnew() {
        Lane lane = ready(lengthy);
        Lane b = ready(brief);
        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).isSameAs(lane);
        ranNs += 100 * NS;
        lane.send(lengthy, 1);
        b.send(brief, 1);
        assertThat(runNext()).isSameAs(b);
        assertThat(runNext()).isSameAs(lane);
    }

    @Test
    void turnFromBelow_goesToEachList() {
        Lane a = ready(lengthy);
        Lane b = ready(brief);
        List<Lane> picked = new ArrayList<>();
        for (int i = 0; i < ReadyColors.LISTS; i++) {
            picked.add(cores.locked(0, own -> own.pick(true, 0)) ? cores.of(queue.running()) : null);
            cores.end(0);
        }
        assertThat(picked).containsOnly(a, b).contains(a, b);
    }

    @Test
    void shortEvents_goBeforeLengthyOnes_butNotForEver() {
        Lane waits = ready(lengthy);
        for (int slice = 0; slice < 3; slice++) { // whatever begins a slice
            assertThat(claims()).isTrue();
        }
        ranNs += 4 * NS - 1;
        assertThat(claims()).isTrue();
        ranNs++;
        assertThat(claims()).isFalse();
        assertThat(runNext()).isSameAs(waits);
        ranNs += NS;
        assertThat(claims()).isTrue();
    }

    /** Whether a short event is claimed where a slice begins; it runs. */
    private boolean claims() {
        cores.lane(0).sendOrShort();
        boolean isClaimed = cores.locked(0, own -> own.claimShorts(true, true, false, ranNs));
        if (isClaimed) {
            cores.runShorts(0);
            cores.endShorts(0);
        }
        return isClaimed;
    }

    @Test
    void rescue_takesTheBriefOnesFirst() {
        ready(lengthy);
        Lane b = ready(brief);
        ColorQueue taken = cores.locked(0, own -> own.takeNext(cores.queues[1], 1));
        assertThat(cores.of(taken)).isSameAs(b);
        cores.runStolen(1, taken, false);
    }

    @Test
    void withoutABound_theyGoAsTheyCame() {
        Cores inOrder = new Cores(1, new TimeLeftIntervals(1_000), false, Long.MAX_VALUE);
        Lane a = inOrder.ready(0, Lane.handler(1_000_000_000), 1);
        Lane b = inOrder.ready(0, brief, 1);
        assertThat(inOrder.queues[0].hasBrief()).isTrue();
        assertThat(inOrder.runNext(0)).isSameAs(a);
        assertThat(inOrder.runNext(0)).isSameAs(b);
        inOrder.validate();
    }
}
