// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.util.List;

/** Mistakes in the protocol that one could make, or has made. */
final class PlantedBugs {
    static final List<PlantedBug> ALL = List.of(
            PlantedBug.of(
                    "a thief takes the running color",
                    "queue/CoreQueue",
                    "        ColorQueue head = null;\n",
                    "        ColorQueue head = levelMask == 0 ? running() : null;\n"
                            + "        if (head != null && !head.isIdle()) {\n"
                            + "            head.nextReady = 0;\n"
                            + "            head.moveHome(thief);\n"
                            + "        }\n"),
            PlantedBug.of(
                    "the rest of a rescue is left in the thief's hands",
                    "runtime/Core",
                    "            isWorthier = queue.linkRest(color);\n",
                    "            isWorthier = false;\n"),
            PlantedBug.of(
                    "an inbox entry links a color whatever its place",
                    "queue/CoreQueue",
                    "if (place == ColorQueue.OPENED) {",
                    "if (place != ColorQueue.QUEUED) {"),
            PlantedBug.of(
                    "a late inbox entry links a color that lives elsewhere",
                    "queue/CoreQueue",
                    "if (color.home() != core) {",
                    "if (color.home() < 0) {"),
            PlantedBug.of(
                    "a thief forgets to move the home", "queue/CoreQueue", "        color.moveHome(thief);\n", ""),
            PlantedBug.of(
                            "a thief takes a color after it has released the lock",
                            "steal/Thief",
                            "            queue.drain();\n",
                            "            queue.drain();\n"
                                    + "        } finally {\n"
                                    + "            queue.unlock();\n"
                                    + "        }\n"
                                    + "        try {\n")
                    .and(
                            "steal/Thief",
                            "        } finally {\n"
                                    + "            queue.unlock();\n"
                                    + "        }\n"
                                    + "        if (color",
                            "        } finally {\n"
                                    + "            turnSeen[victim] = -1;\n"
                                    + "        }\n"
                                    + "        if (color"),
            PlantedBug.of(
                    "a color goes idle without the exchange",
                    "queue/ColorQueue",
                    "if (TAIL.compareAndSet(this, done.id, EventRecord.NONE)) {",
                    "if ((int) TAIL.getAcquire(this) == done.id) {\n"
                            + "                TAIL.setRelease(this, EventRecord.NONE);"),
            PlantedBug.of(
                    "a sender that has not linked yet is taken for none",
                    "runtime/Core",
                    "                if (next == ColorQueue.LINKING) {\n"
                            + "                    break;\n"
                            + "                }\n"
                            + "                sender",
                    "                if (next == ColorQueue.LINKING) {\n"
                            + "                    isIdle = true;\n"
                            + "                    break;\n"
                            + "                }\n"
                            + "                sender"),
            PlantedBug.of(
                    "an event is fused although others wait",
                    "runtime/Core",
                    "EventRecord current = color.onlyRecord();",
                    "EventRecord current = color.head();"),
            PlantedBug.of(
                    "two events are fused into one record",
                    "runtime/Core",
                    "isRunning(color) && !isFused",
                    "isRunning(color)"),
            PlantedBug.of(
                    "a record is reused before the color has left it",
                    "runtime/Core",
                    "                EventRecord next = color.advance(record);\n"
                            + "                if (next == ColorQueue.LINKING) {\n"
                            + "                    break;\n"
                            + "                }\n"
                            + "                sender.pool.give(record);\n",
                    "                sender.pool.give(record);\n"
                            + "                EventRecord next = color.advance(record);\n"
                            + "                if (next == ColorQueue.LINKING) {\n"
                            + "                    break;\n"
                            + "                }\n"),
            PlantedBug.of(
                    "the color of a batch that was cut short is not put back",
                    "runtime/Core",
                    "            isWorthier = queue.link(held);\n            queue.endTurn();",
                    "            isWorthier = false;\n            queue.endTurn();"),
            PlantedBug.of("an idle color is put back", "runtime/Core", "return isIdle ? -ran : ran;", "return ran;"),
            PlantedBug.of(
                    "a color is handed in before it is marked as opened",
                    "runtime/MelyRuntime",
                    "            color.markOpened();\n" + "            left = weight;",
                    "            cores[color.home()].queue().handIn(color);\n"
                            + "            color.markOpened();\n"
                            + "            wakeups.handedIn(cores[color.home()], weight);\n"
                            + "            return;"),
            PlantedBug.of(
                            "the home is looked up before the send",
                            "runtime/MelyRuntime",
                            "        int weight = stage.weight();\n" + "        record.set",
                            "        Core target = cores[color.home()];\n"
                                    + "        int weight = stage.weight();\n"
                                    + "        record.set")
                    .and(
                            "runtime/MelyRuntime",
                            "        Core target = cores[color.home()];\n" + "        target.queue()",
                            "        target.queue()"),
            PlantedBug.of(
                    "the sleeper is looked for before the work is visible",
                    "runtime/Core",
                    "        target.queue.handIn(color);\n" + "        runtime",
                    "        boolean isAsleep = target.sleepFlag.get() == Wakeups.SLEEPING;\n"
                            + "        target.queue.handIn(color);\n"
                            + "        if (isAsleep) runtime"),
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
                    .and("runtime/Core", " && !queue.hasWork() && mayBlockFor", " && mayBlockFor"),
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
                            "            batchHandle((StageImpl",
                            "            RUN.setRelease(this, run + 1);\n" + "            batchHandle((StageImpl")
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
                            "            sender.decideAccepted();\n"
                                    + "            sendAccepted(record, color, stage, event, isFirst);\n",
                            "            sendAccepted(record, color, stage, event, isFirst);\n"
                                    + "            sender.countAccepted();\n")
                    .and("runtime/EngineRuntime", "            sender.countUndecided();\n", "")
                    .and("runtime/EngineRuntime", "sender.decideRefused();", "sender.countRefused();"),
            PlantedBug.of(
                    "an outside send does not look at the phase again",
                    "runtime/EngineRuntime",
                    "            sender.countUndecided();\n" + "            if (phase >= refusedFromPhase) {",
                    "            sender.countUndecided();\n" + "            if (phase < NEW) {"),
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
