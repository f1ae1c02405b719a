// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.profile.HandlerProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Short events of colors with nothing else pending run in the order in which they came, where they are; a color that
// has more to do than a steal costs waits for those it has there, and is in its own list from then on.
class ShortQueueTest {
    private static final int BOUND = 1_000;

    private final Cores cores = new Cores(2, new TimeLeftIntervals(BOUND), true); // core 1 is the thief
    private final CoreQueue queue = cores.queues[0];
    private final HandlerProfile brief = Lane.handler(100);
    private final HandlerProfile lengthy = Lane.handler(BOUND + 1);

    @AfterEach
    void validate() {
        cores.validate();
    }

    private Lane lane() {
        return cores.lane(0);
    }

    private Lane[] lanes(int count) {
        return IntStream.range(0, count).mapToObj(unused -> lane()).toArray(Lane[]::new);
    }

    private static void isSentShort(Lane lane, HandlerProfile handler) {
        assertThat(lane.trySendShort(handler)).as("joins").isTrue();
    }

    /** Claims, runs and ends all short events there are; numbers of colors with their events, in order. */
    private List<String> runShorts() {
        List<String> ran = new ArrayList<>();
        while (cores.claimShorts(0)) {
            while (queue.nextShort()) {
                ran.add(queue.running() + ":" + queue.shortEvent());
            }
            cores.endShorts(0);
        }
        return ran;
    }

    private void drainShorts(boolean isStuck) {
        cores.locked(0, own -> own.drainShorts(cores.pool(1), isStuck));
    }

    // ------------------------------------------------------------------ what joins

    @Test
    void shortEvents_runInTheOrderSent_andTouchNoColor() {
        Lane[] lanes = lanes(3);
        isSentShort(lanes[0], brief);
        isSentShort(lanes[2], brief);
        isSentShort(lanes[0], brief);
        isSentShort(lanes[1], brief);
        assertThat(queue.readyCount()).isZero();
        assertThat(queue.hasWork()).isTrue();
        assertThat(runShorts()).containsExactly("1:0", "3:0", "1:1", "2:0");
        assertThat(queue.hasWork()).isFalse();
        assertThat(lanes).extracting(Lane::queue).containsOnlyNulls();
    }

    @Test
    void groupAfterGroup_runsWhatIsInARingThatGrew() {
        Lane[] lanes = lanes(3 * ShortEvents.LENGTH_MIN);
        isSentShort(lanes[0], brief);
        assertThat(cores.claimShorts(0)).isTrue();
        for (int i = 1; i < lanes.length; i++) {
            isSentShort(lanes[i], brief);
        }
        assertThat(cores.runShorts(0)).hasSize(ShortEvents.GROUP_MAX);
        cores.endShorts(0);
        assertThat(runShorts())
                .containsExactlyElementsOf(IntStream.range(ShortEvents.GROUP_MAX + 1, lanes.length + 1)
                        .mapToObj(i -> i + ":0")
                        .toList());
    }

    @Test
    void fullRing_takesNoMore() {
        Lane[] lanes = lanes(ShortEvents.LENGTH_MAX + 1);
        for (int i = 0; i < ShortEvents.LENGTH_MAX; i++) {
            isSentShort(lanes[i], brief);
        }
        Lane last = lanes[ShortEvents.LENGTH_MAX];
        assertThat(last.trySendShort(brief)).isFalse();
        last.send(brief, 1);
        assertThat(queue.readyCount()).as("its color is in use").isEqualTo(1);
        cores.claimShorts(0);
        assertThat(lane().trySendShort(brief)).as("a group keeps its slots").isFalse();
        cores.runShorts(0);
        cores.endShorts(0);
        isSentShort(lane(), brief);
    }

    // A guess is no knowledge, other priorities have their own turns, and data that moves is not for strangers.
    @ParameterizedTest
    @CsvSource({"1000, 1, 3, true", "1001, 1, 3, false", "100, 2, 3, false", "100, 1, 4, false", "0, 1, 3, false"})
    void whatIsNotShortAndPlain_doesNotJoin(long timeNs, int penalty, int priority, boolean joins) {
        assertThat(lane().trySendShort(Lane.handler(timeNs, penalty, priority))).isEqualTo(joins);
    }

    @Test
    void stageWithoutAnnotation_joinsOnceItIsKnown() {
        HandlerProfile measured = Lane.handler(0);
        while (measured.isCold()) {
            assertThat(lane().trySendShort(measured)).isFalse();
            measured.sample(100);
        }
        assertThat(lane().trySendShort(measured)).isTrue();
    }

    @Test
    void colorThatWasGivenAway_isNotSentToHere() {
        Lane lane = lane();
        cores.locked(0, own -> own.giveAway(lane.number(), cores.queues[1]));
        assertThat(isSentHere(lane)).isFalse();
    }

    @Test
    void colorThatWasStolen_isNotSentToHere() {
        Lane lane = lane();
        lane.send(Lane.handler(10 * BOUND), 1);
        cores.locked(0, own -> own.takeNext(cores.queues[1], 1));
        assertThat(isSentHere(lane)).isFalse();
    }

    /** As by a core that has read an older home. */
    private boolean isSentHere(Lane lane) {
        return cores.locked(0, own -> own.sendShort(lane.number(), brief, "lost"));
    }

    // ------------------------------------------------------------------ colors that open

    @Test
    void colorWithMoreThanASteal_opens_andWaitsForItsShortEvents() {
        Lane lane = lane();
        for (int i = 0; i < BOUND / 100; i++) {
            isSentShort(lane, brief);
        }
        assertThat(lane.trySendShort(brief)).as("more than a steal").isFalse();
        lane.send(brief, 2);
        assertThat(lane.queue().place).isEqualTo(ColorQueue.WAITING);
        assertThat(queue.readyCount()).isZero();
        assertThat(queue.hasWorthy()).as("two more are not worth it").isFalse();
        lane.send(lengthy, 1);
        assertThat(queue.hasWorthy()).as("thieves come for it").isTrue();
        assertThat(runShorts()).hasSize(BOUND / 100);
        assertThat(queue.readyCount()).isEqualTo(1);
        assertThat(lane.trySendShort(brief)).as("it is open until it is idle").isFalse();
        assertThat(cores.runRest(0)).containsExactly(10, 11, 12);
        isSentShort(lane, brief);
    }

    @Test
    void lengthyEvent_waitsForTheShortOnesOfItsColor() {
        Lane lane = lane();
        isSentShort(lane, brief);
        lane.send(lengthy, 1);
        assertThat(cores.pick(0)).as("not before").isNull();
        assertThat(runShorts()).containsExactly("1:0");
        assertThat(cores.runRest(0)).containsExactly(1);
    }

    @Test
    void eventForAColorOfTheGroup_waitsForItsEnd() {
        Lane lane = lane();
        isSentShort(lane, brief);
        assertThat(cores.claimShorts(0)).isTrue();
        assertThat(queue.nextShort()).isTrue();
        lane.send(lengthy, 1);
        lane.sendOutside(brief, 1);
        cores.drain(0);
        assertThat(queue.readyCount()).as("not to be stolen while it runs").isZero();
        assertThat(queue.nextShort()).isFalse();
        assertThat(cores.endShorts(0)).as("worthy").isTrue();
        assertThat(cores.runRest(0)).containsExactly(1, 2);
    }

    @Test
    void withoutThieves_nothingIsLoot() {
        Cores alone = new Cores(1, TimeLeftIntervals.none(), true);
        Lane lane = alone.lane(0);
        for (int i = 0; i < HandlerProfile.SHORT_NS_MAX / 100; i++) {
            isSentShort(lane, brief);
        }
        assertThat(lane.trySendShort(brief)).as("a bound there is all the same").isFalse();
        lane.send(lengthy, 1);
        assertThat(alone.queues[0].hasWorthy()).isFalse();
        alone.validate();
    }

    // ------------------------------------------------------------------ the inbox

    @Test
    void entriesOfTheInbox_runWhereTheyAre_upToOneThatIsNotShort() {
        Lane[] lanes = lanes(4);
        lanes[0].sendOutside(brief, 1);
        lanes[1].sendOutside(brief, 1);
        lanes[2].sendOutside(lengthy, 1);
        lanes[3].sendOutside(brief, 1);
        assertThat(runShorts()).containsExactly("1:0", "2:0");
        assertThat(queue.readyCount()).isZero();
        cores.locked(0, own -> own.drainToShorts(cores.pool(0)));
        assertThat(queue.readyCount())
                .as("the lengthy one, and not what is behind")
                .isEqualTo(1);
        assertThat(cores.runNext(0)).isSameAs(lanes[2]);
        assertThat(runShorts()).containsExactly("4:0");
        assertThat(lanes[3].queue()).isNull();
    }

    // The ring's may be its cause.
    @Test
    void entryOfAColorInTheRing_isNotClaimedBeforeThat() {
        Lane first = lane();
        Lane second = lane();
        isSentShort(first, brief);
        second.sendOutside(brief, 1);
        first.sendOutside(brief, 1);
        assertThat(runShorts()).containsExactly("2:0", "1:0", "1:1");
    }

    // What waits in the ring says that the entry cannot run yet; so it must not stay, or nothing behind it would ever
    // run.
    @Test
    void entryOfAColorThatSendsToItself_doesNotBlockTheInbox() {
        Lane ticking = lane();
        Lane other = lane();
        isSentShort(ticking, brief);
        ticking.sendOutside(brief, 1);
        other.sendOutside(brief, 1);
        int looks = 0;
        boolean hasOtherRun = false;
        while (!hasOtherRun && ++looks <= 4) {
            cores.locked(0, own -> own.drainToShorts(cores.pool(0)));
            if (cores.claimShorts(0)) {
                while (queue.nextShort()) {
                    hasOtherRun |= queue.running() == other.number();
                    if (queue.running() == ticking.number()) {
                        ticking.sendOrShort(); // again and again
                    }
                }
                cores.endShorts(0);
            }
        }
        assertThat(hasOtherRun).isTrue();
    }

    @Test
    void inboxAndRing_takeTurns() {
        Lane[] lanes = lanes(4 * ShortEvents.GROUP_MAX);
        for (int i = 0; i < lanes.length; i += 2) {
            isSentShort(lanes[i], brief);
            lanes[i + 1].sendOutside(brief, 1);
        }
        List<Integer> parities = new ArrayList<>();
        while (cores.claimShorts(0)) {
            queue.nextShort();
            parities.add(queue.running() % 2);
            cores.runShorts(0);
            cores.endShorts(0);
        }
        assertThat(parities).containsExactly(0, 1, 0, 1);
    }

    // Beside more urgent colors what is in front of urgent events in the inbox must not stay there.
    @Test
    void besideUrgentColors_nothingStaysInTheInbox() {
        cores.ready(0, Lane.handler(BOUND + 1, 1, 5), 1);
        lane().sendOutside(brief, 1);
        Lane urgent = lane();
        urgent.sendOutside(Lane.handler(100, 1, 7), 1);
        cores.locked(0, own -> own.drainToShorts(cores.pool(0)));
        assertThat(cores.pick(0)).isSameAs(urgent);
        cores.runAll(0);
        cores.end(0);
    }

    @Test
    void heldEntries_keepTheirSlots() {
        Inbox inbox = new Inbox(8);
        for (int i = 1; i <= 7; i++) {
            inbox.offer(i, brief, "e" + i);
        }
        assertThat(inbox.peek()).isEqualTo(1);
        Inbox.Buffer buffer = inbox.buffer();
        inbox.hold(2);
        inbox.consume(); // a thief's
        inbox.offer(8, brief, "e8"); // finds no room, and goes into a larger buffer
        inbox.offer(9, brief, "e9");
        assertThat(buffer.key(0)).isEqualTo(1);
        assertThat(buffer.key(1)).isEqualTo(2);
        assertThat(buffer.event(0)).isEqualTo("e1");
        assertThat(inbox.size()).isEqualTo(6);
        buffer.key(0, 0);
        buffer.key(1, 0);
        inbox.release();
        List<Integer> rest = new ArrayList<>();
        for (int key = inbox.peek(); key != 0; key = inbox.peek()) {
            rest.add(key);
            inbox.consume();
        }
        assertThat(rest).containsExactly(4, 5, 6, 7, 8, 9);
        assertThat(inbox.isEmpty()).isTrue();
    }

    // ------------------------------------------------------------------ groups that grow

    @Test
    void whatAGroupSends_isOfTheGroup_untilThatIsLarge() {
        Lane first = lane();
        Lane second = lane();
        isSentShort(first, brief);
        cores.claimShorts(0);
        int ran = 0;
        while (queue.nextShort()) {
            ran++;
            isSentShort(queue.running() == first.number() ? second : first, brief);
        }
        assertThat(ran).isEqualTo(ShortEvents.GROUP_MAX);
        cores.endShorts(0);
        assertThat(runShorts()).hasSize(1);
    }

    @Test
    void whatAColorSendsToItself_isOfTheNextGroup() {
        Lane lane = lane();
        isSentShort(lane, brief);
        cores.claimShorts(0);
        queue.nextShort();
        isSentShort(lane, brief);
        assertThat(queue.nextShort()).isFalse();
        cores.endShorts(0);
        assertThat(runShorts()).containsExactly("1:1");
    }

    @Test
    void groupOfTheInbox_doesNotGrow() {
        Lane lane = lane();
        lane.sendOutside(brief, 1);
        cores.claimShorts(0);
        queue.nextShort();
        isSentShort(lane(), brief);
        assertThat(queue.nextShort()).isFalse();
        cores.endShorts(0);
        assertThat(runShorts()).containsExactly("2:0");
    }

    // What came before does not fit in: 16 are claimed, one waits.
    @Test
    void groupWithOthersBehindIt_doesNotGrow() {
        Lane[] lanes = lanes(ShortEvents.GROUP_MAX + 2);
        for (int i = 0; i <= ShortEvents.GROUP_MAX; i++) {
            isSentShort(lanes[i], brief);
        }
        cores.claimShorts(0);
        isSentShort(lanes[ShortEvents.GROUP_MAX + 1], brief);
        assertThat(cores.runShorts(0)).hasSize(ShortEvents.GROUP_MAX);
        cores.endShorts(0);
        assertThat(runShorts()).containsExactly("17:0", "18:0");
    }

    @Test
    void groupOfWhichAThiefTookTheRest_doesNotGrow() {
        Lane[] lanes = lanes(3);
        isSentShort(lanes[0], brief);
        isSentShort(lanes[1], brief);
        cores.claimShorts(0);
        queue.nextShort();
        drainShorts(true);
        isSentShort(lanes[2], brief);
        assertThat(queue.nextShort()).isFalse();
        cores.endShorts(0);
        assertThat(runShorts()).containsExactly("3:0");
        assertThat(cores.runRest(0)).containsExactly(0);
    }

    // A thief comes when all of it has begun, and finds what came since.
    @Test
    void thiefOfAStuckCore_takesBackWhatAGroupHasGrownBy() {
        Lane[] lanes = lanes(2);
        isSentShort(lanes[0], brief);
        cores.claimShorts(0);
        queue.nextShort();
        drainShorts(true);
        isSentShort(lanes[1], brief);
        drainShorts(true);
        assertThat(queue.readyCount()).isEqualTo(1);
        assertThat(queue.nextShort()).isFalse();
        cores.endShorts(0);
        assertThat(cores.runRest(0)).containsExactly(0);
    }

    // ------------------------------------------------------------------ thieves

    @Test
    void thief_movesShortEventsIntoTheirColors_inOrder() {
        Lane first = lane();
        Lane second = lane();
        isSentShort(first, brief);
        isSentShort(second, brief);
        isSentShort(first, brief);
        first.send(lengthy, 1);
        drainShorts(false);
        assertThat(queue.readyCount()).isEqualTo(2);
        assertThat(runShorts()).isEmpty();
        ColorQueue stolen = cores.locked(0, own -> own.takeNext(cores.queues[1], 2));
        boolean isMarked = cores.locked(0, own -> own.mark(stolen));
        cores.adopt(1, stolen, isMarked);
        assertThat(cores.runAll(1)).hasSize(1); // second, which was whole first
        cores.end(1);
        assertThat(cores.runRest(1)).containsExactly(0, 1, 2);
    }

    /** A color whose long event hid behind a short one until a thief had moved that, and which ran at home all the same. */
    private Lane hidAndRan() {
        Lane lane = lane();
        isSentShort(lane, brief);
        lane.send(lengthy, 1);
        drainShorts(false);
        assertThat(cores.runRest(0)).containsExactly(0, 1);
        assertThat(queue.shorts.isListed(lane.number())).isTrue();
        return lane;
    }

    @Test
    void colorThatHidSomethingLong_isInItsListNextTime_whereItHidesNothing() {
        Lane lane = hidAndRan();
        assertThat(queue.hasWork()).isFalse();
        lane.sendOrShort();
        lane.send(lengthy, 1);
        assertThat(cores.locked(0, CoreQueue::hasReadyWorthy)).isTrue();
        assertThat(cores.runRest(0)).containsExactly(2, 3);
    }

    @Test
    void colorThatHidSomethingLong_andThenHasNone_joinsAgain() {
        Lane lane = hidAndRan();
        lane.sendOrShort();
        assertThat(cores.runRest(0)).containsExactly(2);
        isSentShort(lane, brief);
        assertThat(runShorts()).containsExactly("1:3");
    }

    @Test
    void whatComesFromOutsideForAColorThatIsListed_goesIntoItsList_andHoldsUpNobody() {
        Lane lane = hidAndRan();
        lane.sendOutside(brief, 1);
        lane().sendOutside(brief, 1);
        assertThat(cores.claimShorts(0)).isFalse();
        cores.locked(0, own -> own.drainToShorts(cores.pool(0)));
        assertThat(queue.readyCount()).isEqualTo(1);
        assertThat(runShorts()).containsExactly("2:0");
        assertThat(cores.runRest(0)).containsExactly(2);
    }

    // As many as events were moved that hid something.
    @Test
    void colorsThatRunSomethingLongNext_areListed_whoeverHidIt() {
        Lane[] lanes = lanes(3);
        isSentShort(lanes[0], brief);
        isSentShort(lanes[1], brief);
        lanes[0].send(lengthy, 1);
        drainShorts(false);
        for (int i = 1; i < 3; i++) {
            lanes[i].send(lengthy, 1);
        }
        assertThat(cores.runRest(0)).hasSize(5);
        assertThat(lanes)
                .filteredOn(lane -> queue.shorts.isListed(lane.number()))
                .hasSize(1);
    }

    // Its handler sends something long to its own color: a thief comes for that, and has nothing to move.
    @Test
    void colorThatRunsAndHidesNothing_isNotListed() {
        Lane lane = lane();
        isSentShort(lane, brief);
        cores.claimShorts(0);
        assertThat(queue.nextShort()).isTrue();
        lane.send(lengthy, 1);
        drainShorts(true);
        drainShorts(true);
        assertThat(queue.nextShort()).isFalse();
        cores.endShorts(0);
        assertThat(cores.runRest(0)).containsExactly(1);
        isSentShort(lane, brief);
        assertThat(runShorts()).containsExactly("1:2");
    }

    @Test
    void colorThatHidSomethingLong_mayBeGivenAway() {
        Lane lane = hidAndRan();
        cores.locked(1, heir -> {
            heir.expect(lane.number());
            return null;
        });
        ColorQueue given = cores.locked(0, own -> own.giveAway(lane.number(), cores.queues[1]));
        assertThat(cores.of(given)).isSameAs(lane);
        boolean isMarked = cores.locked(0, own -> own.mark(given));
        assertThat(queue.shorts.isLeft(lane.number())).isTrue();
        cores.locked(1, heir -> heir.receive(given, isMarked));
        isSentShort(lane, brief);
        assertThat(cores.queues[1].hasWork()).isTrue();
    }

    @Test
    void somethingLongThatNobodyCameFor_leavesItsColorAsItWas() {
        Lane lane = lane();
        isSentShort(lane, brief);
        lane.send(lengthy, 1);
        assertThat(runShorts()).containsExactly("1:0");
        assertThat(cores.runRest(0)).containsExactly(1);
        isSentShort(lane, brief);
        assertThat(runShorts()).containsExactly("1:2");
    }

    // What the owner has claimed, and not begun, as it is stuck in the first; of that and of its color nothing moves.
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void thiefOfAStuckCore_takesBackTheRestOfAGroup(boolean isFromOutside) {
        Lane[] lanes = lanes(3);
        for (int slot : new int[] {0, 1, 2, 0}) {
            if (isFromOutside) {
                lanes[slot].sendOutside(brief, 1);
            } else {
                isSentShort(lanes[slot], brief);
            }
        }
        cores.claimShorts(0);
        assertThat(queue.nextShort()).isTrue();
        assertThat(queue.shortEvent()).isEqualTo(0);
        assertThat(queue.hasReady()).as("three wait").isTrue();
        drainShorts(false);
        assertThat(queue.readyCount()).isZero();
        drainShorts(true);
        assertThat(queue.readyCount()).as("not the one that runs").isEqualTo(2);
        drainShorts(true);
        assertThat(queue.nextShort()).as("nothing is left of the group").isFalse();
        cores.endShorts(0);
        assertThat(lanes[0].queue().place).isEqualTo(ColorQueue.QUEUED);
        assertThat(cores.runRest(0)).containsExactly(0, 0, 1);
        isSentShort(lanes[0], brief);
        assertThat(runShorts()).containsExactly("1:2");
    }

    // ------------------------------------------------------------------ turns

    @ParameterizedTest
    @CsvSource({
        "3, false, false, true", // before the colors of their level
        "3, true, false, false", // but for one at the begin of a slice
        "5, false, false, false", // what is more urgent comes first
        "5, false, true, true", // but for a turn from below
        "2, true, false, true", // and they before what is less urgent
    })
    void shortEvents_takeTheirTurn(int priority, boolean isSliceBegin, boolean isFromBelow, boolean isTurn) {
        isSentShort(lane(), brief);
        cores.ready(0, Lane.handler(BOUND + 1, 1, priority), 1);
        boolean isClaimed = cores.locked(0, own -> own.claimShorts(true, isSliceBegin, isFromBelow, 0));
        assertThat(isClaimed).isEqualTo(isTurn);
        if (isTurn) {
            cores.runShorts(0);
            cores.endShorts(0);
        }
    }

    // A color that fills its slice has every other one.
    @Test
    void slices_beginWithShortEventsAndColorsByTurns() {
        cores.ready(0, lengthy, 1);
        List<Boolean> turns = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            isSentShort(lane(), brief);
            turns.add(cores.locked(0, own -> own.claimShorts(false, true, false, 0)));
            if (queue.hasShorts()) {
                cores.runShorts(0);
                cores.endShorts(0);
            }
        }
        assertThat(turns).containsExactly(false, true, false, true, false, true);
    }

    @Test
    void turnsFromBelow_goToColorsAsWell() {
        cores.ready(0, Lane.handler(100, 1, 1), 1);
        List<Boolean> turns = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            isSentShort(lane(), brief);
            turns.add(cores.locked(0, own -> own.claimShorts(false, false, true, 0)));
            if (queue.hasShorts()) {
                cores.runShorts(0);
                cores.endShorts(0);
            }
        }
        assertThat(turns).containsExactly(true, false, true, false);
    }

    // ------------------------------------------------------------------ fusing

    @Test
    void nextEventOfTheLast_takesItsPlace_ifItIsShort() {
        Lane lane = lane();
        isSentShort(lane, brief);
        cores.claimShorts(0);
        queue.nextShort();
        assertThat(queue.runsAlone()).isTrue();
        assertThat(queue.replaceShort(lengthy, "no")).isFalse();
        assertThat(queue.replaceShort(brief, "next")).isTrue();
        assertThat(queue.shortEvent()).isEqualTo("next");
        isSentShort(lane, brief);
        assertThat(queue.runsAlone()).as("one waits").isFalse();
        assertThat(queue.nextShort()).isFalse();
        cores.endShorts(0);
        assertThat(runShorts()).containsExactly("1:1");
    }

    @Test
    void colorThatIsOpen_doesNotRunAlone() {
        Lane lane = lane();
        isSentShort(lane, brief);
        cores.claimShorts(0);
        queue.nextShort();
        lane.send(lengthy, 1);
        assertThat(queue.runsAlone()).isFalse();
        queue.nextShort();
        cores.endShorts(0);
    }
}
