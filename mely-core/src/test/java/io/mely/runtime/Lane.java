// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.StageOptions;
import io.mely.Stealing;

/** A color without a runtime, of some {@link Cores}. Its events are 0, 1, 2 and so on, as sent. */
public final class Lane {
    private final Cores cores;
    private final int number;
    private int sent;

    Lane(Cores cores, int slot) {
        this.cores = cores;
        number = slot + 1;
    }

    /** A handler whose events weigh what its annotation says. */
    public static HandlerProfile handler(long timeNs, int penalty, int priority) {
        StageOptions options = new StageOptions(timeNs, penalty, priority, false);
        return new HandlerProfile("h" + timeNs + "/" + penalty, options, Stealing.mely());
    }

    /** The same at penalty 1 and priority 3. */
    public static HandlerProfile handler(long timeNs) {
        return handler(timeNs, 1, 3);
    }

    /** Sends events on the thread of the home core. */
    public Lane send(HandlerProfile handler, int count) {
        for (int i = 0; i < count; i++) {
            if (trySend(handler) == CoreQueue.AWAY) {
                throw new AssertionError("not sent: the core has something in its own inbox");
            }
        }
        return this;
    }

    /** Sends one event on the thread of the home core, or does not. */
    int trySend(HandlerProfile handler) {
        return trySend(home(), handler);
    }

    /** Sends one event on the thread of a core, or does not. */
    int trySend(int core, HandlerProfile handler) {
        cores.pool(core).reserve();
        int result = cores.locked(core, queue -> queue.send(queue.owner, number, handler, sent, cores.pool(core)));
        sent += result == CoreQueue.AWAY ? 0 : 1;
        return result;
    }

    /** Sends events from a thread that is no core: through the inbox, which is not drained. */
    public Lane sendOutside(HandlerProfile handler, int count) {
        for (int i = 0; i < count; i++) {
            offer(where(), handler, null);
        }
        return this;
    }

    /** Hands one event in where the color was. Returns the position of the entry, or what {@link Inbox#offer} says instead. */
    long offer(int where, HandlerProfile handler, Inbox.Admission admission) {
        Inbox inbox = cores.queues[ColorHomes.coreOf(where)].inbox;
        return inbox.offer(number, handler, sent++, cores.homes, where, admission);
    }

    int number() {
        return number;
    }

    /** Of its place in the tables. */
    public int slot() {
        return number - 1;
    }

    /** As its senders see it. */
    int where() {
        return cores.homes.where(number);
    }

    /** The core it lives on. */
    public int home() {
        return cores.homes.coreOfColor(number);
    }

    /** Its events, once it was sent to. */
    public ColorQueue queue() {
        return cores.index.at(number);
    }

    /** As of its queue. */
    public long timeLeft() {
        return queue().timeLeft();
    }
}
