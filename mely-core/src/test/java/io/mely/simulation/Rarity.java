// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import org.jspecify.annotations.Nullable;

/** What happens only while a color moves or waits for a supply: a campaign in which one of these never happened has shown little about that. Woven only. */
enum Rarity {
    /** A color is stolen while its old home's inbox holds something. */
    LEFT("io/mely/runtime/Migration", "leaveAdd", "leave"),
    /** A color without events comes to a core whose poller or timer has something for it. */
    GIVEN("io/mely/runtime/Migration", "leave", "giveIdle"),
    /** An event reaches the new home before the mark does. */
    HELD("io/mely/runtime/ColorQueue", "hold", "deliver"),
    /** An event is found in the inbox of the old home. */
    FORWARDED("io/mely/runtime/Migration", "forward", "drain"),
    /** A sender finds that the color has left since it looked for it. */
    MOVED("io/mely/runtime/Inbox", "offerMoved", "offer"),
    /** A core hands in to itself, as something of its own is in its inbox. */
    OWN_INBOX("io/mely/runtime/Turn", "handedIn", "handIn"),
    /** A core whose worker stands still in a handler is given to another one. */
    RELIEVED("io/mely/runtime/CoreQueue", "own", "standsStill"),
    /** A lane waits for its stage's supply. */
    PARKED("io/mely/runtime/Parking", "put", "park"),
    /** An idle core runs a color that waits on another core. */
    LENT("io/mely/runtime/Parking", "lend", "help");

    private final String owner;
    private final String called;
    private final String caller;

    Rarity(String owner, String called, String caller) {
        this.owner = owner;
        this.called = called;
        this.caller = caller;
    }

    /** What a call of the runtime's shows; null if nothing. */
    static @Nullable Rarity of(String caller, String owner, String called) {
        for (Rarity rarity : values()) {
            if (rarity.caller.equals(caller) && rarity.owner.equals(owner) && rarity.called.equals(called)) {
                return rarity;
            }
        }
        return null;
    }
}
