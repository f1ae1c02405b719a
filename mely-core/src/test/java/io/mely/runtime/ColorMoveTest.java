// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// A color moves while events for it are under way: what was sent before the move comes before what was sent after it,
// nothing comes
// twice, and who sends too late is told so. Step by step; what happens in between is in CoreQueueRandomTest and
// ColorMoveLincheckTest.
class ColorMoveTest {
    private static final int VICTIM = 0;
    private static final int THIEF = 1;
    private static final int OTHER = 2;

    private final Cores cores = new Cores(3, new TimeLeftIntervals(1_000));
    private final CoreQueue victim = cores.queues[VICTIM];
    private final CoreQueue thief = cores.queues[THIEF];
    private final HandlerProfile normal = Lane.handler(100);
    private final HandlerProfile dear = Lane.handler(50_000);

    @AfterEach
    void nothingIsLeftBehind() {
        cores.validate();
        cores.drainAll();
        for (int core = 0; core < 3; core++) {
            assertThat(cores.leaving(core)).isZero();
        }
    }

    /** Steals from the victim; not adopted yet. True if marked. */
    private boolean steal(Lane color) {
        return cores.locked(VICTIM, queue -> {
            assertThat(queue.take(CoreQueue.NEXT, thief, 0, 1)).isSameAs(color.queue());
            return queue.migration.leave(color.queue()) >= 0;
        });
    }

    private void runRest(int core, Object... events) {
        assertThat(cores.runRest(core)).containsExactly(events);
    }

    // ------------------------------------------------------------------ nothing under way

    @Test
    void steal_inboxEmpty_movesTheHome_andSettlesAtOnce() {
        Lane color = cores.ready(VICTIM, normal, 2);
        int where = color.where();
        assertThat(steal(color)).isFalse();
        assertThat(color.where()).isNotEqualTo(where);
        assertThat(color.home()).isEqualTo(THIEF);
        assertThat(color.queue().isSettling()).as("until its thief has it").isTrue();
        assertThat(victim.ready.count()).isZero();
        assertThat(cores.leaving(VICTIM)).isZero();

        cores.adopt(THIEF, color.queue(), false);
        assertThat(color.queue().isSettling()).isFalse();
        assertThat(color.queue().place).isEqualTo(ColorQueue.RUNNING);
        assertThat(QueueLook.isRunning(thief, color.number())).isTrue();
        assertThat(cores.runAll(THIEF)).containsExactly(0, 1);
        cores.end(THIEF);
        assertThat(color.queue().place).isEqualTo(ColorQueue.IDLE);
        color.send(normal, 1);
        assertThat(cores.runNext(THIEF)).isSameAs(color);
        assertThat(cores.forwardedTo).isEmpty();
    }

    // Else what the color's handler sends there now would go past what it sent there from its old home.
    @Test
    void giveIdle_whatItsNewHomeSends_comesAfterWhatIsInTheInbox() {
        Lane idle = cores.ready(VICTIM, normal, 1);
        assertThat(cores.runNext(VICTIM)).isSameAs(idle);
        Lane other = cores.lane(THIEF);
        thief.sendBehindInbox();
        other.sendOutside(normal, 1);
        assertThat(victim.giveIdle(idle.number(), thief)).isTrue();
        assertThat(idle.home()).isEqualTo(THIEF);
        assertThat(other.trySend(THIEF, normal)).isEqualTo(CoreQueue.AWAY);
    }

    // Others may drain the thief's inbox before the thief has taken its loot in.
    @Test
    void steal_eventsThatComeBeforeTheAdoption_waitForIt() {
        Lane color = cores.ready(VICTIM, normal, 1);
        assertThat(steal(color)).isFalse();
        color.sendOutside(normal, 2);
        cores.drain(THIEF);
        assertThat(thief.ready.count()).isZero();
        assertThat(color.queue().isEmpty()).isTrue();
        assertThat(cores.runStolen(THIEF, color.queue(), false)).containsExactly(0);
        runRest(THIEF, 1, 2);
    }

    // ------------------------------------------------------------------ what is under way

    @Test
    void steal_eventsInTheInbox_areForwarded_beforeWhatWasHeld() {
        Lane color = cores.ready(VICTIM, normal, 1).sendOutside(normal, 2);
        assertThat(steal(color)).isTrue();
        assertThat(cores.leaving(VICTIM)).isEqualTo(1);
        assertThat(cores.runStolen(THIEF, color.queue(), true)).containsExactly(0);
        color.sendOutside(normal, 1);
        color.send(normal, 1);
        cores.drain(THIEF);
        assertThat(cores.runNext(THIEF)).as("all that came directly is held").isNull();
        assertThat(color.queue().place).isEqualTo(ColorQueue.IDLE);
        color.send(normal, 1);

        cores.drain(VICTIM);
        assertThat(cores.leaving(VICTIM)).isZero();
        assertThat(cores.forwardedTo).as("told once").containsExactly(THIEF);
        assertThat(victim.hasWork()).isFalse();
        cores.drain(THIEF);
        assertThat(color.queue().isSettling()).isFalse();
        // the fourth event was in the inbox when the fifth was sent by the core itself
        runRest(THIEF, 1, 2, 4, 3, 5);
    }

    @Test
    void forwarded_whileItSettles_runAlready() {
        Lane color = cores.ready(VICTIM, normal, 1).sendOutside(normal, 1);
        cores.lane(VICTIM).sendOutside(normal, Arrivals.DRAIN_MAX); // more than one drain
        steal(color);
        cores.runStolen(THIEF, color.queue(), true);
        color.send(normal, 1);
        cores.drain(VICTIM);
        cores.drain(THIEF);
        runRest(THIEF, 1);
        assertThat(color.queue().isSettling()).isTrue();
        cores.drain(VICTIM);
        cores.drain(THIEF);
        runRest(THIEF, 2);
    }

    // Somebody drains both inboxes before the thief has taken its loot in.
    @Test
    void notice_overtakesTheAdoption_doesNoHarm() {
        Lane color = cores.ready(VICTIM, normal, 1).sendOutside(normal, 1);
        assertThat(steal(color)).isTrue();
        color.sendOutside(normal, 1);
        cores.drain(VICTIM);
        cores.drain(THIEF);
        assertThat(color.queue().isSettling()).isFalse();
        assertThat(thief.ready.count()).isZero();
        assertThat(cores.runStolen(THIEF, color.queue(), true)).containsExactly(0);
        runRest(THIEF, 1, 2);
    }

    @Test
    void position_ofAnotherColorsEvents_settlesAsWell() {
        Lane color = cores.ready(VICTIM, normal, 1);
        Lane other = cores.lane(VICTIM).sendOutside(normal, 1);
        assertThat(steal(color)).as("the inbox is not looked through").isTrue();
        cores.runStolen(THIEF, color.queue(), true);
        cores.drain(VICTIM);
        assertThat(cores.forwardedTo).containsExactly(THIEF);
        cores.drain(THIEF);
        assertThat(color.queue().isSettling()).isFalse();
        assertThat(cores.runNext(VICTIM)).isSameAs(other);
    }

    @Test
    void settled_whileItRuns_isLinkedAtItsEnd() {
        Lane color = cores.ready(VICTIM, normal, 1).sendOutside(normal, 1);
        steal(color);
        cores.adopt(THIEF, color.queue(), true);
        color.send(dear, 1);
        cores.drain(VICTIM);
        cores.drain(THIEF);
        assertThat(thief.ready.count()).isZero();
        assertThat(thief.runsAlone(thief.owner)).isFalse();
        cores.runAll(THIEF);
        assertThat(cores.end(THIEF)).as("worthy").isTrue();
        runRest(THIEF, 1, 2);
    }

    @Test
    void held_countsTowardsTimeLeftAndUrgency_onceSettled() {
        Lane color = cores.ready(VICTIM, normal, 1).sendOutside(normal, 1);
        Lane rival = cores.ready(THIEF, Lane.handler(100, 1, 5), 1);
        steal(color);
        cores.runStolen(THIEF, color.queue(), true);
        color.send(Lane.handler(20_000, 1, 7), 1);
        color.send(dear, 1);
        cores.drain(VICTIM);
        assertThat(cores.drain(THIEF)).as("became worthy").isTrue();
        assertThat(color.timeLeft()).isEqualTo(100 + 20_000 + 50_000);
        assertThat(thief.ready.worthyCount(3)).isEqualTo(1);
        assertThat(cores.runNext(THIEF)).isSameAs(color);
        assertThat(cores.runNext(THIEF)).isSameAs(rival);
    }

    @Test
    void held_ofAnIdleColor_startsItAnew() {
        Lane color = cores.ready(VICTIM, normal, 3);
        cores.lane(VICTIM).sendOutside(normal, 1);
        steal(color);
        cores.runStolen(THIEF, color.queue(), true);
        color.send(normal, 2);
        cores.drain(VICTIM);
        cores.drain(THIEF);
        assertThat(color.timeLeft()).isEqualTo(200);
        runRest(THIEF, 3, 4);
        color.send(normal, 1);
        assertThat(color.queue().event()).as("its own record is free again").isEqualTo(5);
        runRest(THIEF, 5);
    }

    @Test
    void runsAlone_whileItSettles_isFalse() {
        Lane color = cores.ready(VICTIM, normal, 1);
        cores.lane(VICTIM).sendOutside(normal, 1);
        steal(color);
        cores.adopt(THIEF, color.queue(), true);
        assertThat(thief.runsAlone(thief.owner)).isFalse();
        cores.drain(VICTIM);
        cores.drain(THIEF);
        assertThat(thief.runsAlone(thief.owner)).isTrue();
        cores.runAll(THIEF);
        cores.end(THIEF);
    }

    // The handlers of a color are one sender: what they sent elsewhere may already be in the inbox of the color's new
    // home.
    @Test
    void adopt_whatIsInTheThiefsInbox_comesBeforeItsNextSends() {
        Lane color = cores.ready(VICTIM, normal, 1);
        Lane target = cores.lane(THIEF).sendOutside(normal, 1); // by the color's handler, on the victim
        steal(color);
        cores.adopt(THIEF, color.queue(), false);
        assertThat(thief.runsAlone(thief.owner)).isFalse();
        assertThat(target.trySend(normal)).isEqualTo(CoreQueue.AWAY);
        cores.drain(THIEF);
        assertThat(thief.runsAlone(thief.owner)).isTrue();
        assertThat(target.trySend(normal)).isEqualTo(CoreQueue.IN);
        cores.runAll(THIEF);
        cores.end(THIEF);
        runRest(THIEF, 0, 1);
    }

    // Whoever wakes a core does not do so while others wait for the lock.
    @Test
    void forwarded_isTold_afterTheLockWasReleased() {
        List<Boolean> wereLocked = new ArrayList<>();
        CoreQueue.connect(cores.queues, core -> wereLocked.add(QueueLook.isLocked(victim)));
        Lane color = cores.ready(VICTIM, normal, 1).sendOutside(normal, 1);
        steal(color);
        cores.drain(VICTIM);
        assertThat(wereLocked).containsExactly(false);
    }

    // ------------------------------------------------------------------ a settling color stays

    @ParameterizedTest
    @ValueSource(strings = {"worthy", "base", "rescue"})
    void settlingColor_isNotStolen(String rule) {
        Lane color = cores.ready(VICTIM, dear, 1).sendOutside(dear, 1);
        cores.lane(VICTIM).sendOutside(normal, Arrivals.DRAIN_MAX); // more than one drain
        steal(color);
        cores.runStolen(THIEF, color.queue(), true);
        cores.drain(VICTIM);
        cores.drain(THIEF);
        Lane other = cores.ready(THIEF, normal, 1);
        assertThat(thief.ready.count()).isEqualTo(2);
        assertThat(color.queue().isSettling()).isTrue();
        assertThat(thief.ready.worthyCount()).isZero();

        ColorQueue stolen = cores.locked(THIEF, queue -> takeBy(rule, queue));
        assertThat(cores.of(stolen)).isSameAs(rule.equals("worthy") ? null : other);
        assertThat(thief.ready.count()).isEqualTo(stolen == null ? 2 : 1);
        cores.drain(VICTIM);
        assertThat(cores.drain(THIEF)).as("settled: worthy at last").isTrue();
        assertThat(thief.ready.worthyCount()).isPositive();
    }

    private ColorQueue takeBy(String rule, CoreQueue queue) {
        CoreQueue to = cores.queues[OTHER];
        return switch (rule) {
            case "worthy" -> queue.take(CoreQueue.WORTHY, to, 0, 1);
            case "base" -> queue.take(CoreQueue.BASE, to, 0, 1);
            default -> queue.take(CoreQueue.NEXT, to, 0, 16);
        };
    }

    // ------------------------------------------------------------------ a rescue of several

    @Test
    void rescue_ofSeveral_waitsForEach() {
        Lane[] colors = new Lane[3];
        for (int i = 0; i < 3; i++) {
            colors[i] = cores.ready(VICTIM, normal, 1).sendOutside(normal, 1);
        }
        for (int i = 0; i < 3; i++) {
            cores.ready(VICTIM, normal, 1);
        }
        ColorQueue first = cores.locked(VICTIM, queue -> {
            ColorQueue taken = queue.take(CoreQueue.NEXT, thief, 0, 3);
            assertThat(queue.migration.leave(taken)).isPositive();
            return taken;
        });
        assertThat(cores.leaving(VICTIM)).isEqualTo(3);
        cores.adopt(THIEF, first, true);
        for (Lane color : colors) {
            color.send(normal, 1);
            assertThat(color.queue().isSettling()).isTrue();
        }
        assertThat(cores.runAll(THIEF)).containsExactly(0);
        cores.end(THIEF);
        assertThat(cores.runNext(THIEF)).isSameAs(colors[1]);
        cores.drain(VICTIM);
        assertThat(cores.forwardedTo).containsExactly(THIEF);
        cores.drain(THIEF);
        assertThat(cores.pick(THIEF)).isSameAs(colors[2]);
        assertThat(cores.runAll(THIEF)).containsExactly(0, 1, 2);
        cores.end(THIEF);
        runRest(THIEF, 1, 2, 1, 2);
    }

    // ------------------------------------------------------------------ late senders

    @Test
    void lateSender_leavesItsEntryVoid_andIsTold() {
        Lane color = cores.ready(VICTIM, normal, 1);
        int where = color.where();
        steal(color);
        cores.runStolen(THIEF, color.queue(), false);
        assertThat(color.offer(where, normal, null)).isEqualTo(Inbox.MOVED);
        assertThat(victim.inbox.isEmpty()).as("until it is drained").isFalse();
        cores.drain(VICTIM);
        assertThat(victim.inbox.isEmpty()).isTrue();
        assertThat(cores.runNext(VICTIM)).isNull();
        assertThat(cores.runNext(THIEF)).isNull();
    }

    @Test
    void lateSender_behindTheMark_isTold_whateverIsBeforeIt() {
        Lane color = cores.ready(VICTIM, normal, 1).sendOutside(normal, 1);
        int where = color.where();
        steal(color);
        assertThat(color.offer(where, normal, null)).isEqualTo(Inbox.MOVED);
        cores.runStolen(THIEF, color.queue(), true);
        cores.drain(VICTIM);
        cores.drain(THIEF);
        runRest(THIEF, 1);
    }

    @Test
    void voidEntry_holdsUpNobodyBehindIt() {
        Lane color = cores.ready(VICTIM, normal, 1);
        int where = color.where();
        steal(color);
        color.offer(where, normal, null);
        Lane other = cores.lane(VICTIM).sendOutside(normal, 1);
        cores.runStolen(THIEF, color.queue(), false);
        cores.drain(VICTIM);
        assertThat(cores.runNext(VICTIM)).isSameAs(other);
        assertThat(other.queue().place).isEqualTo(ColorQueue.IDLE);
    }

    // A sender that lost its CPU between its look at the home and its claim, for so long that the color is back.
    @Test
    void lateSender_colorIsBack_isToldAsWell() {
        Lane color = cores.ready(VICTIM, normal, 1);
        int where = color.where();
        steal(color);
        cores.adopt(THIEF, color.queue(), false);
        cores.runAll(THIEF);
        color.send(normal, 1);
        cores.end(THIEF);
        stealBack(color);
        assertThat(color.home()).isEqualTo(VICTIM);
        assertThat(color.offer(where, normal, null)).isEqualTo(Inbox.MOVED);
        assertThat(cores.runStolen(VICTIM, color.queue(), false)).containsExactly(1);
    }

    // ... or between its claim and the publication: then the thief has seen the claim.
    @Test
    void slowSender_claimedBeforeTheSteal_isWaitedFor() {
        Lane color = cores.ready(VICTIM, normal, 1);
        boolean[] isMarked = new boolean[1];
        long position = color.offer(color.where(), normal, () -> {
            isMarked[0] = steal(color);
            assertThat(cores.runStolen(THIEF, color.queue(), isMarked[0])).containsExactly(0);
            cores.drain(VICTIM);
            assertThat(victim.inbox.isEmpty()).as("nothing is published").isFalse();
            assertThat(color.queue().isSettling()).isTrue();
            return true;
        });
        assertThat(position).isZero();
        assertThat(isMarked[0]).isTrue();
        cores.drain(VICTIM);
        cores.drain(THIEF);
        assertThat(color.queue().isSettling()).isFalse();
        runRest(THIEF, 1);
    }

    @Test
    void refusedSender_leavesItsEntryVoid() {
        Lane color = cores.ready(VICTIM, normal, 1);
        assertThat(color.offer(color.where(), normal, () -> false)).isEqualTo(Inbox.REFUSED);
        cores.drain(VICTIM);
        assertThat(victim.inbox.isEmpty()).isTrue();
        runRest(VICTIM, 0);
    }

    private boolean stealBack(Lane color) {
        return cores.locked(THIEF, queue -> {
            assertThat(queue.take(CoreQueue.NEXT, victim, 0, 1)).isSameAs(color.queue());
            return queue.migration.leave(color.queue()) >= 0;
        });
    }

    @Test
    void handedInByOwner_colorIsStolen_isForwarded_beforeItsNext() {
        Lane color = cores.ready(VICTIM, normal, 1);
        victim.owner.sendsBehind = color.offer(color.where(), normal, null) + 1;
        assertThat(steal(color)).isTrue();
        cores.runStolen(THIEF, color.queue(), true);
        assertThat(color.trySend(VICTIM, normal)).isEqualTo(CoreQueue.AWAY);
        color.sendOutside(normal, 1);
        cores.drain(THIEF);
        cores.drain(VICTIM);
        cores.drain(THIEF);
        assertThat(cores.runRest(THIEF)).isEqualTo(List.of(1, 2));
    }

    // The notice found no memory: the next drain gives it, and there must be one although nothing is in the inbox.
    @Test
    void positionIsReached_andNobodyToldSo_isWork() {
        Lane color = cores.ready(VICTIM, normal, 1);
        cores.lane(VICTIM).sendOutside(normal, 1);
        cores.runStolen(THIEF, color.queue(), steal(color));
        victim.inbox.peek();
        victim.inbox.consume(); // as that drain did
        assertThat(victim.inbox.isEmpty()).isTrue();
        assertThat(victim.hasWork()).isTrue();
        assertThat(victim.looksReady()).as("a core that only looks so drains").isTrue();
        cores.drain(VICTIM);
        assertThat(victim.hasWork()).isFalse();
        cores.drain(THIEF);
        assertThat(color.queue().isSettling()).isFalse();
    }
}
