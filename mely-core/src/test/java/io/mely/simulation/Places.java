// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.util.List;

/** The classes of the runtime where preemptions may be concentrated, by number. */
final class Places {
    private static final List<String> PLACES = List.of(
            "io/mely/runtime/Wakeups",
            "io/mely/runtime/Lifecycle",
            "io/mely/runtime/Sends",
            "io/mely/runtime/Core",
            "io/mely/runtime/CoreWorker",
            "io/mely/runtime/EventWorker",
            "io/mely/runtime/ColoredVisitor",
            "io/mely/policy/CentralQueue",
            "io/mely/policy/StageVisitor",
            "io/mely/policy/StageQueue",
            "io/mely/runtime/TimerEntry",
            "io/mely/runtime/Sender",
            "io/mely/runtime/ColorQueue",
            "io/mely/runtime/CoreQueue",
            "io/mely/spi/SpinLock",
            "io/mely/runtime/Migration",
            "io/mely/runtime/ReadyColors",
            "io/mely/runtime/Inbox",
            "io/mely/runtime/ColorHomes",
            "io/mely/runtime/Parking");

    /** How many; the last is all other classes. */
    static final int COUNT = PLACES.size() + 1;

    private Places() {}

    static int of(String className) {
        int place = PLACES.indexOf(className);
        return place < 0 ? PLACES.size() : place;
    }
}
