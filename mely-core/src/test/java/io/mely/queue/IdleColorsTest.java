// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.profile.HandlerProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// A color without an event between two passes loses its queue, and gets another; nothing else does.
class IdleColorsTest {
    private static final long KEPT_NS = 1_000;

    private final Cores cores = new Cores(2, new TimeLeftIntervals(1_000));
    private final HandlerProfile normal = Lane.handler(5_000);
    private final IdleColors[] idle =
            Stream.of(cores.queues).map(queue -> new IdleColors(queue, KEPT_NS)).toArray(IdleColors[]::new);
    private long nowNs;

    @AfterEach
    void validate() {
        cores.validate();
    }

    /** A pass over less than one look's numbers. */
    private void pass(int core) {
        look(core);
        nowNs += KEPT_NS;
    }

    private void look(int core) {
        idle[core].look(nowNs);
    }

    /** Core 0 gives it to core 1. */
    private void give(Lane color) {
        cores.locked(1, queue -> {
            queue.expect(color.number());
            return null;
        });
        ColorQueue given = cores.locked(0, queue -> queue.giveAway(color.number(), cores.queues[1]));
        cores.locked(1, queue -> queue.receive(given, false));
    }

    /** Has had an event, which has run. */
    private Lane used() {
        Lane color = cores.ready(0, normal, 1);
        cores.runNext(0);
        return color;
    }

    @Test
    void idleAtTwoPasses_losesItsQueue_andGetsAnother() {
        Lane color = used();
        pass(0);
        assertThat(color.queue()).as("after one").isNotNull();
        pass(0);
        assertThat(color.queue()).as("after two").isNull();

        color.send(normal, 2);
        assertThat(color.timeLeft()).isEqualTo(10_000);
        assertThat(cores.runRest(0)).isEqualTo(List.of(1, 2));
        assertThat(color.queue().isUnused()).isTrue();
    }

    @Test
    void usedBetweenTwoPasses_staysForTwoMore() {
        Lane color = used();
        pass(0);
        color.send(normal, 1);
        cores.runNext(0);
        pass(0);
        assertThat(color.queue()).as("one since").isNotNull();
        pass(0);
        assertThat(color.queue()).as("two since").isNull();
    }

    @Test
    void passes_areApart() {
        Lane color = used();
        pass(0);
        nowNs--;
        look(0);
        assertThat(color.queue()).as("too soon").isNotNull();
        nowNs++;
        look(0);
        assertThat(color.queue()).isNull();
    }

    @Test
    void readyAndRunning_stay() {
        Lane runs = cores.ready(0, normal, 1);
        Lane ready = cores.ready(0, normal, 1);
        cores.pick(0);
        pass(0);
        pass(0);
        pass(0);
        assertThat(Stream.of(runs, ready).map(Lane::queue)).doesNotContainNull();
        assertThat(cores.runAll(0)).hasSize(1);
        cores.end(0);
        assertThat(cores.runRest(0)).hasSize(1);
    }

    // What is found in its old inbox is to come before what is held there.
    @Test
    void settling_stays() {
        Lane color = cores.ready(0, normal, 1);
        color.sendOutside(normal, 1);
        ColorQueue stolen = cores.locked(0, queue -> {
            ColorQueue taken = queue.takeNext(cores.queues[1], 1);
            assertThat(queue.mark(taken)).isTrue();
            return taken;
        });
        assertThat(cores.runStolen(1, stolen, true)).isEqualTo(List.of(0));
        color.sendOutside(normal, 1);
        cores.drain(1);
        pass(1);
        pass(1);
        pass(1);
        assertThat(color.queue()).isSameAs(stolen);

        cores.drainAll();
        assertThat(cores.runRest(1)).isEqualTo(List.of(1, 2));
        pass(1);
        pass(1);
        assertThat(color.queue()).isNull();
    }

    @Test
    void otherCores_leaveItAlone() {
        Lane color = used();
        pass(1);
        pass(1);
        pass(1);
        assertThat(color.queue()).isNotNull();
    }

    // The owner still has its number, in case nothing came first.
    @Test
    void pausedStolenAndRunElsewhere_losesItsQueue() {
        Lane color = cores.ready(0, normal, 2);
        cores.pick(0);
        cores.runOne(0);
        cores.pause(0);
        ColorQueue stolen = cores.locked(0, queue -> queue.takeNext(cores.queues[1], 1));
        cores.runStolen(1, stolen, false);
        pass(1);
        pass(1);
        assertThat(color.queue()).isNull();

        Lane next = cores.ready(0, normal, 1);
        assertThat(cores.runNext(0)).isSameAs(next);
        color.send(normal, 1);
        assertThat(cores.runNext(1)).as("where it lives").isSameAs(color);
    }

    // A pass takes as long as it takes; between the two looks at a color is at least what was asked for.
    @Test
    void passes_areApartFromTheEndOfOne() {
        List<Lane> colors = Stream.generate(this::used).limit(100).toList();
        look(0);
        nowNs += KEPT_NS;
        look(0);
        look(0);
        assertThat(colors).as("the second half was looked at just now").allMatch(color -> color.queue() != null);
        nowNs += KEPT_NS;
        look(0);
        look(0);
        assertThat(colors).allMatch(color -> color.queue() == null);
    }

    @Test
    void manyColors_areLookedAtSomeAtATime() {
        List<Lane> colors = Stream.generate(this::used).limit(1_000).toList();
        int looks = 0;
        while (colors.stream().anyMatch(color -> color.queue() != null)) {
            look(0);
            nowNs += KEPT_NS;
            looks++;
        }
        assertThat(looks).as("two passes over a table of 1,024").isEqualTo(2 * 1_024 / 64);
    }

    @Test
    void newColorsInAPass_areLookedAtInIt() {
        List<Lane> colors =
                new ArrayList<>(Stream.generate(this::used).limit(100).toList());
        pass(0); // the first half of the table
        colors.addAll(Stream.generate(this::used).limit(400).toList());
        for (int i = 1; i < 2 * 512 / 64; i++) {
            assertThat(colors).as("after %s looks", i).anyMatch(color -> color.queue() != null);
            pass(0);
        }
        assertThat(colors).allMatch(color -> color.queue() == null);
    }

    @Test
    void withoutAQueue_itIsGivenAwayAllTheSame() {
        Lane color = used();
        pass(0);
        pass(0);
        give(color);
        assertThat(color.home()).isEqualTo(1);
        color.send(normal, 1);
        assertThat(cores.runNext(1)).isSameAs(color);
    }

    // The heir's pass is another.
    @Test
    void moved_beginsAnew() {
        Lane color = used();
        Lane other = cores.lane(1);
        other.send(normal, 1);
        cores.runNext(1);
        pass(0);
        pass(1);
        give(color);
        pass(1);
        assertThat(other.queue()).as("was there for two").isNull();
        assertThat(color.queue()).as("for one").isNotNull();
    }
}
