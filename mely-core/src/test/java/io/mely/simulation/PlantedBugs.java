// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.util.List;

/** Mistakes in the protocol that one could make, or has made. */
final class PlantedBugs {
    static final List<PlantedBug> ALL = List.of(
            PlantedBug.of(
                    "a thief takes the running color",
                    "runtime/CoreQueue",
                    "        int max = migration.reserved(Math.min(most, (count + 1) / 2));\n",
                    "        ColorQueue now = running == ColorIndex.NONE || ready.count() != 0 ? null : index.at(running);\n"
                            + "        if (now != null && now.place == ColorQueue.RUNNING && !now.isSettling()) {\n"
                            + "            migration.reserved(1);\n"
                            + "            thief.owner.number = now.number();\n"
                            + "            thief.owner.head = owner.head;\n"
                            + "            thief.owner.tail = owner.tail;\n"
                            + "            migration.move(now, thief.core);\n" + "            return now;\n"
                            + "        }\n"
                            + "        int max = migration.reserved(Math.min(most, (count + 1) / 2));\n"),
            PlantedBug.of(
                    "the rest of a steal is left in the thief's hands",
                    "runtime/CoreQueue",
                    "            isWorthier |= ready.link(color);\n",
                    ""),
            PlantedBug.of("a thief forgets to move the home", "runtime/Migration", "        color.home(to);\n", ""),
            PlantedBug.of(
                    "a thief does not tell the senders",
                    "runtime/Migration",
                    "        homes.move(color.number(), to);\n",
                    ""),
            PlantedBug.of(
                            "a thief takes a color after it has released the lock",
                            "runtime/Thief",
                            "            queue.arrivals.drain(pool);\n" + "            if (queue.looksBusy()) {",
                            "            queue.arrivals.drain(pool);\n" + "        } finally {\n"
                                    + "            queue.unlock();\n" + "        }\n" + "        try {\n"
                                    + "            if (queue.looksBusy()) {")
                    .and(
                            "runtime/Thief",
                            "        } finally {\n" + "            queue.unlock();\n" + "        }\n"
                                    + "        if (color != null) {\n" + "            stolen(",
                            "        } finally {\n" + "            attempts += 0;\n" + "        }\n"
                                    + "        if (color != null) {\n" + "            stolen("),
            PlantedBug.of(
                    "a thief waits for nothing that is under way",
                    "runtime/Migration",
                    "        if (claimed == inbox.position()) {",
                    "        if (core >= 0) {"),
            PlantedBug.of(
                            "an idle color is given away with something under way to it",
                            "runtime/CoreQueue",
                            "            until = migration.leave(color);\n",
                            "            until = -1;\n")
                    .and("runtime/CoreQueue", "!inbox.isEmpty() || !tryLock()", "!tryLock()"),
            PlantedBug.of(
                    "a color that has events is given away as an idle one",
                    "runtime/CoreQueue",
                    "color == null || color.place != ColorQueue.IDLE || ",
                    "color == null || "),
            PlantedBug.of(
                    "an idle color that was given away does not settle",
                    "runtime/CoreQueue",
                    "                boolean unused = to.settle(color);\n",
                    ""),
            PlantedBug.of(
                            "the inbox is looked at before the home is written",
                            "runtime/Migration",
                            "    void move(ColorQueue color, int to) {\n",
                            "    void move(ColorQueue color, int to) {\n" + "        early = inbox.claimed();\n")
                    .and(
                            "runtime/Migration",
                            "    private int leavingCount;\n",
                            "    private int leavingCount;\n    private long early;\n")
                    .and(
                            "runtime/Migration",
                            "        long claimed = inbox.claimed(); //",
                            "        long claimed = early; //"),
            PlantedBug.of(
                    "a steal reserves no place for colors that leave",
                    "runtime/Migration",
                    "        if (needed > leaving.length) {",
                    "        if (needed < 0) {"),
            PlantedBug.of(
                    "nobody says that a color has left",
                    "runtime/Arrivals",
                    "        if (migration.isLeaveDue()) {",
                    "        if (moved < 0) {"),
            PlantedBug.of(
                            "it is said that a color has left while events of it are in the inbox",
                            "runtime/Migration",
                            "        while (leavingCount != 0 && leavingUntil[0] <= position) {",
                            "        while (leavingCount != 0 && position >= 0) {")
                    .and(
                            "runtime/Migration",
                            "        return leavingCount != 0 && leavingUntil[0] <= inbox.position();",
                            "        return leavingCount != 0;"),
            PlantedBug.of(
                    "a color settles without what was held being appended",
                    "runtime/Migration",
                    "        color.appendHeld(records);\n",
                    ""),
            PlantedBug.of(
                    "held events are in reverse",
                    "runtime/ColorQueue",
                    "            records.at(heldTail).nextPlain(record.id);\n" + "        }\n"
                            + "        heldTail = record.id;\n",
                    "            record.nextPlain(heldHead);\n" + "            heldHead = record.id;\n"
                            + "            return;\n" + "        }\n" + "        heldTail = record.id;\n"),
            PlantedBug.of(
                    "a forwarded event is held as if it came directly",
                    "runtime/CoreQueue",
                    "color.isSettling() && !isForwarded;",
                    "color.isSettling();"),
            PlantedBug.of(
                    "what comes directly is not held",
                    "runtime/CoreQueue",
                    "color.isSettling() && !isForwarded;",
                    "core < 0;"),
            PlantedBug.of(
                    "a forwarded event wakes nobody", "runtime/Migration", "        forwardedTo.add(home);\n", ""),
            PlantedBug.of(
                    "a thief settles what is still under way",
                    "runtime/CoreQueue",
                    "            isWorthier |= hasSettled && settle(color);\n",
                    "            isWorthier |= settle(color);\n"),
            PlantedBug.of(
                    "a record is dropped while it is in use",
                    "runtime/RecordPool",
                    "            depot.give(index.at(spare));\n",
                    "            depot.give(index.at(spare));\n" + "            index.dropChain(index.at(spare));\n"),
            PlantedBug.of(
                    "a void entry's event is not sent again",
                    "runtime/Sends",
                    "            if (position == Inbox.REFUSED) {\n",
                    "            if (position == Inbox.MOVED) {\n" + "                return true;\n"
                            + "            }\n" + "            if (position == Inbox.REFUSED) {\n"),
            PlantedBug.of(
                    "a void entry wakes nobody",
                    "runtime/Sends",
                    "            wakeups.handedIn(home, 0); // a void",
                    "            // a void"),
            PlantedBug.of(
                    "the sender does not look at where again",
                    "runtime/Inbox",
                    "homes != null && !homes.isThere(key, where)",
                    "homes != null && key < 0"),
            PlantedBug.of(
                            "the sender looks at where again before it claims",
                            "runtime/Inbox",
                            "        int spins = 0;\n" + "        while (true) {\n",
                            "        int spins = 0;\n"
                                    + "        boolean hasMoved = homes != null && !homes.isThere(key, where);\n"
                                    + "        while (true) {\n")
                    .and("runtime/Inbox", "if (homes != null && !homes.isThere(key, where))", "if (hasMoved)"),
            PlantedBug.of(
                    "a void entry is taken for the end of the inbox",
                    "runtime/Inbox",
                    "        while (key == VOID) {\n",
                    "        if (key == VOID) {\n" + "            return EMPTY;\n" + "        }\n"
                            + "        while (key == VOID) {\n"),
            PlantedBug.of(
                            "a settling color is stolen",
                            "runtime/ReadyColors",
                            "if (!color.isSettling() && (!isBelowHalf",
                            "if ((!isBelowHalf")
                    .and("runtime/ReadyColors", "color.isSettling() ? 0 : ", "")
                    .and("runtime/ReadyColors", "check(!color.isSettling() ||", "check(number > 0 ||"),
            PlantedBug.of(
                    "own sends go past an own event in the inbox",
                    "runtime/CoreQueue",
                    "inbox.position() < sendsBehind(from) || ",
                    ""),
            PlantedBug.of(
                    "a thief's sends go past what a stolen color sent before",
                    "runtime/CoreQueue",
                    "        RUNNING.lazySet(this, stolen.number());\n" + "        sendBehindInbox();\n",
                    "        RUNNING.lazySet(this, stolen.number());\n"),
            PlantedBug.of(
                    "an event is fused past an own one in the inbox",
                    "runtime/CoreQueue",
                    " || !inbox.isConsumed(sendsBehind(of) - 1)",
                    ""),
            PlantedBug.of(
                    "an event is fused although others wait",
                    "runtime/CoreQueue",
                    "return !color.isSettling() && color.isEmpty();",
                    "return !color.isSettling();"),
            PlantedBug.of(
                    "an event is fused although the color settles",
                    "runtime/CoreQueue",
                    "return !color.isSettling() && color.isEmpty();",
                    "return color.isEmpty();"),
            PlantedBug.of(
                    "two events are fused into one record",
                    "runtime/Sends",
                    "!turn.isFused\n                    && turn.fuseRoom > 0",
                    "turn.fuseRoom > 0"),
            PlantedBug.of(
                    "a record is given back while it is linked",
                    "runtime/EventWorker",
                    "                EventRecord next = turn.next(record);\n"
                            + "                sender.pool.give(record);\n",
                    "                sender.pool.give(record);\n"
                            + "                EventRecord next = turn.next(record);\n"),
            PlantedBug.of(
                    "end() forgets the rest",
                    "runtime/CoreQueue",
                    "            color.prepend(turn.head, turn.tail, records);\n",
                    ""),
            PlantedBug.of(
                    "a color goes idle whatever came while it ran",
                    "runtime/CoreQueue",
                    "        if (turn.head != EventRecord.NONE) {\n" + "            color.prepend",
                    "        if (turn.head == EventRecord.NONE) {\n" + "            color.clear();\n"
                            + "        } else {\n" + "            color.prepend"),
            PlantedBug.of(
                    "the color of a turn that was cut short is not put back",
                    "runtime/ColoredVisitor",
                    "                isWorthier = queue.end(me.turn);\n",
                    "                isWorthier = !isOver && queue.end(me.turn);\n"),
            PlantedBug.of(
                            "the sleeper is looked for before the work is visible",
                            "runtime/Sends",
                            "            long position = inboxes[home].offer",
                            "            boolean isAsleep = runtime.core(home).sleepFlag.get() == Wakeups.SLEEPING;\n"
                                    + "            long position = inboxes[home].offer")
                    .and(
                            "runtime/Sends",
                            "                wakeups.handedIn(home, stage.weight());",
                            "                if (isAsleep) wakeups.handedIn(home, stage.weight());"),
            PlantedBug.of(
                            "the sleep is announced after the look for work",
                            "runtime/Core",
                            "        colored.announceSleep();\n"
                                    + "        if (!mayBlock() || !colored.maySleep()) {\n"
                                    + "            return false;\n"
                                    + "        }\n",
                            "        boolean mayBlock = mayBlock() && colored.maySleep();\n"
                                    + "        colored.announceSleep();\n"
                                    + "        if (!mayBlock) {\n"
                                    + "            return false;\n"
                                    + "        }\n")
                    .and("runtime/Core", "if (sleepFlag.get() != Wakeups.SLEEPING || ", "if (")
                    .and("runtime/Core", "            if (visitor.hasWork()) {", "            if (index < 0) {"),
            PlantedBug.of(
                    "a close wakes nobody",
                    "runtime/Lifecycle",
                    "                core.wakeForPhase();",
                    "                cores[0].wakeForPhase();"),
            PlantedBug.of(
                    "a call is lost when a sleep ends",
                    "runtime/Wakeups",
                    "return core.sleepFlag.getAndSet(AWAKE);",
                    "int ended = core.sleepFlag.get();\n"
                            + "        core.sleepFlag.set(AWAKE);\n"
                            + "        return ended;"),
            PlantedBug.of(
                    "two thieves are called by a counter that is not exchanged",
                    "runtime/Wakeups",
                    "searchers.get() != 0 || !searchers.compareAndSet(0, 1)) {\n"
                            + "            return;\n"
                            + "        }",
                    "searchers.get() != 0) {\n"
                            + "            return;\n"
                            + "        }\n"
                            + "        searchers.set(1);"),
            PlantedBug.of(
                    "a thief that found something goes on as a searcher",
                    "runtime/ColoredVisitor",
                    "        declined = 0;\n" + "        endSearch();\n" + "        if (isWorthier)",
                    "        declined = 0;\n" + "        isSearching = false;\n" + "        if (isWorthier)"),
            PlantedBug.of(
                            "a run is counted before its handler",
                            "runtime/EventWorker",
                            "                handle(stage, record",
                            "                countRun(1);\n" + "                handle(stage, record")
                    .and("runtime/EventWorker", "countRun(ran); // after", "// after"),
            PlantedBug.of(
                            "a core is given away between two turns",
                            "runtime/Core",
                            "isGiven = queue.isInHandlers() && steps == steps() && worker.",
                            "isGiven = worker.")
                    .and("runtime/Core", "queue.isInHandlers() ? crew", "index >= 0 ? crew"),
            PlantedBug.of(
                    "a worker that has lost the core takes one color more",
                    "runtime/ColoredVisitor",
                    "            } else if (me.hasCore()) {\n",
                    "            } else if (canSteal || !canSteal) {\n"),
            PlantedBug.of(
                    "a worker that has lost the core ends its color and wakes nobody",
                    "runtime/ColoredVisitor",
                    "            wakeups.handedIn(core.core(), 0);\n        }\n        if (isWorthier",
                    "        }\n        if (isWorthier"),
            PlantedBug.of(
                    "a worker that has lost the core does not end its color",
                    "runtime/ColoredVisitor",
                    "                isWorthier = queue.end(me.turn);\n",
                    "                isWorthier = me.hasCore() && queue.end(me.turn);\n"),
            PlantedBug.of(
                    "a worker that has lost the core takes it for awake",
                    "runtime/CoreWorker",
                    "            if (hasCore()) {\n                runtime.wakeups().disengage(core);\n            }\n",
                    "            runtime.wakeups().disengage(core);\n"),
            PlantedBug.of(
                    "what a worker without the core has sent is gone past",
                    "runtime/CoreQueue",
                    "            othersBehind = inbox.claimed();\n",
                    ""),
            PlantedBug.of(
                    "two workers have one core",
                    "runtime/Core",
                    "steps == steps() && worker.loseCore();",
                    "steps == steps() && worker.hasCore();"),
            PlantedBug.of(
                            "a close reads the accepted before the run",
                            "runtime/Books",
                            "        long finished = blockingWork.done() + sum(EventWorker::runAcquire);\n",
                            "        long begun = blockingWork.started() + outside.accepted() + acceptedByWorkers();\n"
                                    + "        long finished = blockingWork.done() + sum(EventWorker::runAcquire);\n")
                    .and(
                            "runtime/Books",
                            "        long begun = blockingWork.started() + outside.accepted() + acceptedByWorkers();\n"
                                    + "        assert",
                            "        assert"),
            PlantedBug.of(
                            "an outside send is counted after it is published",
                            "runtime/Sends",
                            "        return isAdmitted;\n",
                            "        if (isAdmitted) {\n"
                                    + "            sender.countAccepted();\n"
                                    + "        }\n"
                                    + "        return isAdmitted;\n")
                    .and("runtime/OutsideSender", "        addAccepted(3);\n", "")
                    .and("runtime/OutsideSender", "        addAccepted(-1);\n", "")
                    .and("runtime/OutsideSender", "        addAccepted(-3);\n", ""),
            PlantedBug.of(
                    "an outside send does not look at the phase again",
                    "runtime/OutsideSender",
                    "        if (runtime.life().isAtLeast(refusedFromPhase)) {\n",
                    "        if (refusedFromPhase < 0) {\n"),
            PlantedBug.of(
                    "a core sleeps without a look at its timers",
                    "runtime/Timers",
                    "return first == null ? Long",
                    "return first == null || core != null ? Long"),
            PlantedBug.of("a timer from outside wakes nobody", "runtime/Core", "            wakeups.wake(this);\n", ""),
            PlantedBug.of(
                    "a color of a group is run without its home's lock",
                    "runtime/EventWorker",
                    "        queue.lock();\n" + "        queue.begin(turn, color);\n" + "        queue.unlock();\n",
                    "        queue.begin(turn, color);\n"),
            PlantedBug.of(
                    "a color of a group is not ended",
                    "runtime/EventWorker",
                    "            isWorthier = queue.end(turn);",
                    "            isWorthier = false;"),
            PlantedBug.of(
                    "what a visitor sends goes past the inbox",
                    "runtime/CoreQueue",
                    "        RUNNING.lazySet(this, VISIT);\n" + "        sendBehindInbox(); //",
                    "        RUNNING.lazySet(this, VISIT);\n" + "        //"),
            PlantedBug.of(
                    "the home of a color that a group has run is not woken",
                    "runtime/EventWorker",
                    "        runtime.wakeups().handedIn(home.core(), 0);\n",
                    ""),
            PlantedBug.of(
                    "a turn goes on with an event of another group",
                    "runtime/EventWorker",
                    "                && stage.sink == group\n",
                    ""),
            PlantedBug.of(
                    "a color whose first event is a group's is linked as any other",
                    "runtime/CoreQueue",
                    "        if (first.sink == null) {",
                    "        if (core >= 0) {"),
            PlantedBug.of(
                    "only the first of several colors is handed over",
                    "runtime/HandOver",
                    "            color = next;\n",
                    "            color = null;\n"),
            PlantedBug.of(
                    "a visitor's events are fused as at home",
                    "runtime/EventWorker",
                    "isColored ? FUSED_MAX : 0;",
                    "FUSED_MAX;"),
            PlantedBug.of(
                    "a group is handed an event before the phase is read",
                    "runtime/Sends",
                    "        if (!sender.admit()) {\n            return false;\n        }\n        addLane(",
                    "        addLane("),
            PlantedBug.of(
                    "a lane that is added wakes nobody",
                    "policy/CentralQueue",
                    "        workers.wakeOne(0, cores);\n",
                    ""),
            PlantedBug.of(
                    "a core sleeps on what waits in a group",
                    "policy/CentralQueue",
                    "        return ready.size() != 0;",
                    "        return false;"),
            PlantedBug.of(
                    "who has lost the core goes on with the visit",
                    "policy/CentralQueue",
                    "            isOurs = worker.run(lane);",
                    "            isOurs = worker.run(lane) || ran >= 0;"),
            PlantedBug.of(
                    "a lane that comes to a stage wakes nobody", "policy/StageQueue", "        part.wakeOne();\n", ""),
            PlantedBug.of(
                    "a core sleeps on what waits at a stage",
                    "policy/StageVisitor",
                    "            if (group.queue(i).waiting(core) != 0) {\n                return true;",
                    "            if (group.queue(i).waiting(core) != 0) {\n                return false;"),
            PlantedBug.of(
                    "a core sleeps on its own stacks",
                    "policy/StageQueue",
                    "        return stacks == null ? waiting : waiting + stacks[core].size();",
                    "        return waiting;"),
            PlantedBug.of(
                    "who has lost the core goes on with its visits",
                    "policy/StageVisitor",
                    "            isOurs = worker.run(lane);",
                    "            isOurs = worker.run(lane) || ran >= 0;"),
            PlantedBug.of(
                    "the youngest lane hides the others", "policy/LaneChain", "            lane.link(first);\n", ""),
            PlantedBug.of(
                    "an event that leaves calls nobody who waits for room",
                    "runtime/StageBound",
                    "        giveBack();\n        look();\n",
                    "        giveBack();\n"),
            PlantedBug.of(
                    "who begins to wait for room does not look for some",
                    "runtime/StageBound",
                    "        forRoom.add(action); // before the count is read; pairs with giveBack\n        look();\n",
                    "        forRoom.add(action);\n"),
            PlantedBug.of(
                    "who is called and sends nothing keeps the others waiting",
                    "runtime/StageBound",
                    "while (waiting == 0 || isOver)",
                    "while (isOver)"),
            PlantedBug.of(
                    "a stack takes what its core does not visit",
                    "policy/StageQueue",
                    " && core >= 0 && part.isOf(core)",
                    " && core >= 0"),
            PlantedBug.of(
                    "a sender calls the handler of what has another color",
                    "runtime/Calls",
                    " || (worker.turn.isRunning && worker.turn.number == number)",
                    " || worker.turn.isRunning"),
            PlantedBug.of(
                    "what is left for the next visit is forgotten",
                    "policy/StageQueue",
                    "                left.add(lane);\n",
                    ""));

    /** Of stages whose events wait for a supply. */
    static final List<PlantedBug> SUPPLIES = List.of(
            PlantedBug.of(
                    "a core sleeps while a lane is parked on it",
                    "runtime/Parking",
                    "        return count != 0 || (everywhere",
                    "        return (everywhere"),
            PlantedBug.of(
                    "a worker that parks a lane does not wake the core that it has lost",
                    "runtime/Parking",
                    "        boolean unused = wakeups.wake(core);\n",
                    ""),
            PlantedBug.of(
                    "an idle core leaves what is parked on it",
                    "runtime/Parking",
                    "            if (line.count != 0 && runFirst(me, line, Turn.PASSING)) {",
                    "            if (line.count < 0 && runFirst(me, line, Turn.PASSING)) {"),
            PlantedBug.of(
                    "a color that is refused is linked, too",
                    "runtime/CoreQueue",
                    "        if (turn.refused != null) {",
                    "        if (core < 0) {"),
            PlantedBug.of(
                    "a color that is refused is not parked",
                    "runtime/ColoredVisitor",
                    "            me.park(parked, refused);\n",
                    ""),
            PlantedBug.of(
                    "a lane of one event that is refused is not parked",
                    "runtime/EventWorker",
                    "                park(turn.endRefusedSingle(), refused);\n",
                    "                turn.endRefusedSingle();\n"),
            PlantedBug.of(
                    "a lane that is refused again is forgotten",
                    "runtime/CoreWorker",
                    "        core.parking().park(lane, stage, turn.isFirstRefused && turn.entry == Turn.RESUMED);\n",
                    "        if (turn.entry != Turn.RESUMED) {\n"
                            + "            core.parking().park(lane, stage, false);\n" + "        }\n"),
            PlantedBug.of(
                    "an event runs without having taken anything",
                    "runtime/CoreWorker",
                    "        if (isTaken) {\n",
                    "        if (entry != Turn.PASSING) {\n"),
            PlantedBug.of(
                    "what a handler has not used is given back twice",
                    "runtime/EventWorker",
                    "                    supply.giveBack(stockCore());\n",
                    "                    supply.giveBack(stockCore());\n"
                            + "                    supply.giveBack(stockCore());\n"),
            PlantedBug.of(
                    "what a handler has not used is not given back",
                    "runtime/EventWorker",
                    "                    supply.giveBack(stockCore());\n",
                    ""),
            PlantedBug.of(
                    "an event that needs nothing gives back all the same",
                    "runtime/EventWorker",
                    "                if (supply != null) {\n",
                    "                supply = stage.supply;\n" + "                if (supply != null) {\n"),
            PlantedBug.of(
                    "the last of those that wait is not known",
                    "runtime/Parking",
                    "            put(line, lane, isFirst);\n",
                    "            put(line, lane, isFirst);\n" + "            line.last = lane.link();\n"),
            PlantedBug.of(
                    "a worker rests on a core that it has lost",
                    "runtime/Core",
                    "        return done == 0 && !me.hasCore() ? 1 : done;\n",
                    "        return done;\n"));

    /** Found in one of thousands of schedules. */
    static final List<PlantedBug> RARE = List.of(
            PlantedBug.of(
                    "a color has left one entry too soon",
                    "runtime/Migration",
                    "leavingUntil[0] <= position) {",
                    "leavingUntil[0] <= position + 1) {"),
            PlantedBug.of(
                    "a worker that was given the core sends past the inbox",
                    "runtime/CoreQueue",
                    "        turn.sendsBehind = inbox.claimed();\n        endTurn();\n",
                    "        endTurn();\n"),
            PlantedBug.of(
                    "a close does not seal the pollers",
                    "runtime/Lifecycle",
                    "        if (phase == DRAINING && books.areClosed()) {\n",
                    "        if (phase == DRAINING && books.areClosed()) {\n" + "            return true;\n"
                            + "        }\n" + "        if (phase == DRAINING && books.areClosed()) {\n"),
            PlantedBug.of(
                    "a close does not wait until the seal is seen",
                    "runtime/Lifecycle",
                    "            if (!core.isSealSeen()) {",
                    "            if (core.core() < 0) {"),
            PlantedBug.of(
                    "a timer fires without the exchange",
                    "runtime/TimerEntry",
                    "return compareAndSet(WAITING, SENT);",
                    "boolean isWaiting = isPending();\n" + "        set(SENT);\n" + "        return isWaiting;"),
            PlantedBug.of(
                    "a wake-up overwrites a call",
                    "runtime/Wakeups",
                    "target.sleepFlag.get() == SLEEPING && target.sleepFlag.compareAndSet(SLEEPING, state);",
                    "target.sleepFlag.get() == SLEEPING && (state == AWAKE ? target.sleepFlag.getAndSet(AWAKE) != AWAKE"
                            + " : target.sleepFlag.compareAndSet(SLEEPING, state));"));

    private PlantedBugs() {}
}
