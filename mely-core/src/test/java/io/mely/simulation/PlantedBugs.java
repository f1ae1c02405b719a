// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.util.List;

/** Mistakes in the protocol that one could make, or has made. */
final class PlantedBugs {
    static final List<PlantedBug> ALL = List.of(
            PlantedBug.of(
                    "a thief takes the running color",
                    "runtime/CoreQueue",
                    "        ColorQueue head = null;\n",
                    "        ColorQueue head = listMask == 0 && running != ColorIndex.NONE ? index.at(running) : null;\n"
                            + "        if (head != null && head.place == ColorQueue.RUNNING && !head.isSettling()) {\n"
                            + "            thief.runHead = runHead;\n" + "            thief.runTail = runTail;\n"
                            + "            move(head, thief);\n" + "            return head;\n" + "        }\n"
                            + "        head = null;\n"),
            PlantedBug.of(
                    "the rest of a rescue is left in the thief's hands",
                    "runtime/CoreQueue",
                    "            isWorthier |= link(color);\n",
                    ""),
            PlantedBug.of(
                    "a thief forgets to move the home", "runtime/CoreQueue", "        color.home(thief.core);\n", ""),
            PlantedBug.of(
                    "a thief does not tell the senders",
                    "runtime/CoreQueue",
                    "        homes.move(color.number(), thief.core);\n",
                    ""),
            PlantedBug.of(
                            "a thief takes a color after it has released the lock",
                            "runtime/Thief",
                            "            queue.drain(pool);\n" + "            if (queue.isBusy()) {",
                            "            queue.drain(pool);\n" + "        } finally {\n"
                                    + "            queue.unlock();\n" + "        }\n" + "        try {\n"
                                    + "            if (queue.isBusy()) {")
                    .and(
                            "runtime/Thief",
                            "        } finally {\n" + "            queue.unlock();\n" + "        }\n"
                                    + "        if (color != null) {\n" + "            long elapsedNs",
                            "        } finally {\n" + "            turnSeen[victim] = -1;\n" + "        }\n"
                                    + "        if (color != null) {\n" + "            long elapsedNs"),
            PlantedBug.of(
                    "who gathers colors leaves no mark",
                    "runtime/Thief",
                    "                mark(victim, queue, color);\n" + "            }\n" + "        } finally {\n"
                            + "            queue.unlock();\n" + "        }\n" + "        if (color != null) {\n"
                            + "            int taken",
                    "                isMarked = false;\n" + "            }\n" + "        } finally {\n"
                            + "            queue.unlock();\n" + "        }\n" + "        if (color != null) {\n"
                            + "            int taken"),
            PlantedBug.of(
                    "what was gathered is not taken in",
                    "runtime/Gathering",
                    "queue.takeIn(color, thief.isMarked());",
                    "queue.hasWork();"),
            PlantedBug.of(
                    "a prefetcher is given what a thief has taken",
                    "runtime/Core",
                    "event != null && stage.isPrefetched()",
                    "stage.isPrefetched()"),
            PlantedBug.of(
                    "no mark is left",
                    "runtime/CoreQueue",
                    "        if (inbox.isEmpty()) {",
                    "        if (core >= 0) {"),
            PlantedBug.of(
                    "a long event that has run still makes its color worth a steal",
                    "runtime/CoreQueue",
                    "        color.takeLongs(ranLongs);\n",
                    ""),
            PlantedBug.of(
                    "long events that were held are not counted",
                    "runtime/HeldEvents",
                    "        longs[at] += record.isLong() ? 1 : 0;\n",
                    ""),
            PlantedBug.of(
                    "a mark is forwarded without what was held being appended",
                    "runtime/CoreQueue",
                    "long weight = held.moveTo(color, records);",
                    "long weight = 0;"),
            PlantedBug.of(
                    "held events are put in front",
                    "runtime/HeldEvents",
                    "color.append(head[at], tail[at], records);",
                    "color.prepend(head[at], tail[at], records);"),
            PlantedBug.of(
                    "a forwarded event is held as if it came directly",
                    "runtime/CoreQueue",
                    "color.isSettling() && !isForwarded;",
                    "color.isSettling();"),
            PlantedBug.of(
                    "a color that settles loses its queue",
                    "runtime/ColorQueue",
                    "return place == IDLE && !isSettling() && isEmpty();",
                    "return place == IDLE && isEmpty();"),
            PlantedBug.of(
                    "a color loses its queue to another core than its own",
                    "runtime/IdleColors",
                    "color == null || homes.coreOfColor(number) != core || color.home() != core || ",
                    "color == null || "),
            PlantedBug.of("a forwarded event wakes nobody", "runtime/CoreQueue", "        hasForwarded = true;\n", ""),
            PlantedBug.of(
                    "a thief settles what its mark is still under way for",
                    "runtime/CoreQueue",
                    "            isWorthier |= !isMarked && settle(color);\n",
                    "            isWorthier |= settle(color);\n"),
            PlantedBug.of(
                    "a void entry's event is not sent again",
                    "runtime/MelyRuntime",
                    "            if (position == Inbox.REFUSED) {\n",
                    "            if (position < 0) {\n"),
            PlantedBug.of(
                    "a void entry wakes nobody",
                    "runtime/MelyRuntime",
                    "            wakeups.handedIn(home, 0); // a void",
                    "            // a void"),
            PlantedBug.of(
                    "the sender does not look at where again",
                    "runtime/Inbox",
                    "homes != null && homes.where(key) != where",
                    "homes != null && key < 0"),
            PlantedBug.of(
                            "the sender looks at where again before it claims",
                            "runtime/Inbox",
                            "        int spins = 0;\n" + "        while (true) {\n",
                            "        int spins = 0;\n"
                                    + "        boolean hasMoved = homes != null && homes.where(key) != where;\n"
                                    + "        while (true) {\n")
                    .and("runtime/Inbox", "if (homes != null && homes.where(key) != where)", "if (hasMoved)"),
            PlantedBug.of(
                    "a void entry is taken for the end of the inbox",
                    "runtime/Inbox",
                    "        while (key == VOID) {\n",
                    "        if (key == VOID) {\n" + "            return EMPTY;\n" + "        }\n"
                            + "        while (key == VOID) {\n"),
            PlantedBug.of(
                            "a settling color is stolen",
                            "runtime/CoreQueue",
                            "                if (color.isSettling()) {",
                            "                if (number < 0) {")
                    .and("runtime/ReadyColors", "if (!color.isSettling() && isLess", "if (isLess")
                    .and("runtime/ReadyColors", "color.isSettling() ? 0 : ", ""),
            PlantedBug.of(
                    "own sends go past an own event in the inbox",
                    "runtime/ShortColors",
                    "inbox.position() < Math.max(sendsBehind, givenBehind) || ",
                    ""),
            PlantedBug.of(
                    "a thief's sends go past what a stolen color sent before",
                    "runtime/CoreQueue",
                    "        sendBehindInbox();\n",
                    ""),
            PlantedBug.of(
                    "an event is fused past an own one in the inbox",
                    "runtime/ShortColors",
                    "\n                || !inbox.isConsumed(Math.max(sendsBehind, (long) GIVEN_BEHIND.getOpaque(this)) - 1)",
                    ""),
            PlantedBug.of(
                    "an event is fused although others wait",
                    "runtime/CoreQueue",
                    "return !color.isSettling() && color.isEmpty();",
                    "return !color.isSettling();"),
            PlantedBug.of(
                    "two events are fused into one record",
                    "runtime/Core",
                    "!isFused && queue.isRunning",
                    "queue.isRunning"),
            PlantedBug.of(
                    "a record is given back while it is linked",
                    "runtime/Core",
                    "                EventRecord next = queue.runNext(record);\n"
                            + "                sender.pool.give(record);\n",
                    "                sender.pool.give(record);\n"
                            + "                EventRecord next = queue.runNext(record);\n"),
            PlantedBug.of(
                    "end() forgets the rest",
                    "runtime/CoreQueue",
                    "            color.prepend(runHead, runTail, records);\n",
                    ""),
            PlantedBug.of(
                    "a color goes idle whatever came while it ran",
                    "runtime/CoreQueue",
                    "        if (runHead != EventRecord.NONE) {\n" + "            color.prepend",
                    "        if (runHead == EventRecord.NONE) {\n" + "            color.clear();\n"
                            + "        } else {\n" + "            color.prepend"),
            PlantedBug.of(
                    "the color of a batch that was cut short is not put back",
                    "runtime/Core",
                    "            isWorthier = sliceEndTurn(true);\n" + "            queue.endTurn();",
                    "            isWorthier = false;\n" + "            queue.endTurn();"),
            PlantedBug.of(
                            "the sleeper is looked for before the work is visible",
                            "runtime/MelyRuntime",
                            "            long position = inboxes[home].offer",
                            "            boolean isAsleep = cores[home].sleepFlag.get() == Wakeups.SLEEPING;\n"
                                    + "            long position = inboxes[home].offer")
                    .and(
                            "runtime/MelyRuntime",
                            "                wakeups.handedIn(home, isLookDue",
                            "                if (isAsleep) wakeups.handedIn(home, isLookDue"),
            PlantedBug.of(
                            "the sleep is announced after the look for work",
                            "runtime/Core",
                            "        runtime.wakeups().announce(this, isSearching);\n"
                                    + "        isSearching = false;\n"
                                    + "        if (!restMayBlock()) {\n"
                                    + "            return false;\n"
                                    + "        }\n",
                            "        boolean hasWork = restHasWorkUnderLock();\n"
                                    + "        runtime.wakeups().announce(this, isSearching);\n"
                                    + "        isSearching = false;\n"
                                    + "        if (hasWork || !restMayBlock()) {\n"
                                    + "            return false;\n"
                                    + "        }\n")
                    .and("runtime/Core", "if (!mayBlock() || restHasWorkUnderLock()) {", "if (!mayBlock()) {")
                    .and("runtime/Core", "                && !queue.hasWork()\n", ""),
            PlantedBug.of(
                    "a short event goes past what its color has in its list",
                    "runtime/ShortEvents",
                    "return state < PER_COLOR_MAX && (state + 1L)",
                    "return (state & COUNT_MASK) < PER_COLOR_MAX && ((state & COUNT_MASK) + 1L)"),
            PlantedBug.of(
                    "a color is ready before its short events have run",
                    "runtime/ShortColors",
                    "        if (shorts.count(number) != 0) {",
                    "        if (number < 0) {"),
            PlantedBug.of(
                    "a thief puts short events behind what came after them",
                    "runtime/ShortColors",
                    "        color.prepend(record.id, record.id, records);\n",
                    "        color.append(record, records);\n"),
            PlantedBug.of(
                    "a short event is begun without a look whether a thief has it",
                    "runtime/ShortEvents",
                    "        if (!isFirst && (next == groupTo || !GROUP_NEXT.compareAndSet(this, next, next + 1))) {",
                    "        GROUP_NEXT.setOpaque(this, next == groupTo ? next : next + 1);\n"
                            + "        if (!isFirst && next == groupTo) {"),
            PlantedBug.of(
                    "a color that leaves is closed behind itself",
                    "runtime/CoreQueue",
                    "        assert shorts.isLeft(color.number()) : \"what is in the inbox for it could run here\";\n",
                    "        shorts.close(color.number(), false);\n"),
            PlantedBug.of(
                    "a color that was listed is not open when its list is in use",
                    "runtime/ShortEvents",
                    "            state(number, (state(number) & ~LISTED) | OPEN);",
                    "            state(number, state(number) == LISTED ? LISTED : state(number) | OPEN);"),
            PlantedBug.of(
                    "a short event goes past an own one in the inbox",
                    "runtime/ShortColors",
                    "        if (mustHandIn() || !shorts.join",
                    "        if (!shorts.join"),
            PlantedBug.of(
                    "a short event is fused although others wait",
                    "runtime/ShortEvents",
                    " && head == tail && state(number) == 1;",
                    ";"),
            PlantedBug.of(
                    "a group grows although a thief has taken back a part of it",
                    "runtime/ShortEvents",
                    "                && groupBegun == groupTo // not taken back\n",
                    ""),
            PlantedBug.of(
                    "what a thief has taken back of a group ends with it",
                    "runtime/ShortEvents",
                    "i != groupKept; i++) {",
                    "i != groupTo; i++) {"),
            PlantedBug.of(
                    "a close wakes nobody",
                    "runtime/EngineRuntime",
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
                    "runtime/Core",
                    "        declined = 0;\n"
                            + "        if (isSearching) {\n"
                            + "            isSearching = false;\n"
                            + "            runtime.wakeups().endSearch();\n"
                            + "        }\n"
                            + "        if (isWorthier)",
                    "        declined = 0;\n" + "        isSearching = false;\n" + "        if (isWorthier)"),
            PlantedBug.of(
                            "a run is counted before its handler",
                            "runtime/Core",
                            "            batchHandle(stage",
                            "            RUN.setRelease(this, run + 1);\n" + "            batchHandle(stage")
                    .and("runtime/Core", "RUN.setRelease(this, run + ran); // after", "// after"),
            PlantedBug.of(
                            "a close reads the accepted before the run",
                            "runtime/EngineRuntime",
                            "        long finished = blockingWork.done();\n",
                            "        long begun = blockingWork.started() + accepted();\n"
                                    + "        long finished = blockingWork.done();\n")
                    .and(
                            "runtime/EngineRuntime",
                            "        long begun = blockingWork.started() + accepted();\n" + "        assert",
                            "        assert"),
            PlantedBug.of(
                    "a close does not seal the pollers",
                    "runtime/EngineRuntime",
                    "        if (phase == DRAINING && isQuiescent()) {\n",
                    "        if (phase == DRAINING && isQuiescent()) {\n" + "            return true;\n" + "        }\n"
                            + "        if (phase == DRAINING && isQuiescent()) {\n"),
            PlantedBug.of(
                    "a close does not wait until the seal is seen",
                    "runtime/EngineRuntime",
                    "            if (!core.isSealSeen()) {",
                    "            if (core.core() < 0) {"),
            PlantedBug.of(
                            "an outside send is counted after it is published",
                            "runtime/EngineRuntime",
                            "            return isAdmitted;\n",
                            "            if (isAdmitted) {\n"
                                    + "                sender.countAccepted();\n"
                                    + "            }\n"
                                    + "            return isAdmitted;\n")
                    .and("runtime/OutsideSender", "        addAccepted(3);\n", "")
                    .and("runtime/OutsideSender", "        addAccepted(-1);\n", "")
                    .and("runtime/OutsideSender", "        addAccepted(-3);\n", ""),
            PlantedBug.of(
                    "an outside send does not look at the phase again",
                    "runtime/OutsideSender",
                    "        if (runtime.isAtLeast(refusedFromPhase)) {\n",
                    "        if (refusedFromPhase < 0) {\n"),
            PlantedBug.of(
                    "a refused timer is not tried again",
                    "runtime/EngineCore",
                    "                timer.deadlineNs = nowNs + RETRY_NS;\n" + "                timers.add(timer);\n",
                    "                timer.deadlineNs = nowNs + RETRY_NS;\n"),
            PlantedBug.of(
                    "a timer fires without the exchange",
                    "runtime/TimerEntry",
                    "return compareAndSet(WAITING, SENT);",
                    "boolean isWaiting = isPending();\n" + "        set(SENT);\n" + "        return isWaiting;"),
            PlantedBug.of(
                    "a core sleeps without a look at its timers",
                    "runtime/EngineCore",
                    "return first == null ? atMostNs",
                    "return first == null || index >= 0 ? atMostNs"),
            PlantedBug.of(
                    "a timer from outside wakes nobody",
                    "runtime/EngineCore",
                    "        timerInbox.offer(timer);\n" + "        wakeForTimers();",
                    "        timerInbox.offer(timer);"));

    /** Found after minutes. */
    static final List<PlantedBug> RARE = List.of(PlantedBug.of(
            "a wake-up overwrites a call",
            "runtime/Wakeups",
            "if (target.sleepFlag.compareAndSet(SLEEPING, AWAKE)) {",
            "if (target.sleepFlag.getAndSet(AWAKE) != AWAKE) {"));

    private PlantedBugs() {}
}
