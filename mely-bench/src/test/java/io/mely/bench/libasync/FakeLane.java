// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.spi.Lane;
import java.util.function.Consumer;

/** An event, which runs on the worker it is given. Used again as soon as it runs: who touches it afterwards has an error, or another event. */
final class FakeLane implements Lane {
    private final int id;
    private int link;
    private int color;
    private int priority;
    private Consumer<FakeWorker> event; // null: not in use

    FakeLane(int id) {
        this.id = id;
    }

    FakeLane fill(int newColor, int newPriority, Consumer<FakeWorker> newEvent) {
        color = newColor;
        priority = newPriority;
        event = newEvent;
        return this;
    }

    Consumer<FakeWorker> empty() {
        check(link == NONE);
        Consumer<FakeWorker> taken = event;
        event = null;
        return taken;
    }

    int priority() {
        check(true);
        return priority;
    }

    @Override
    public int laneId() {
        check(true);
        return id;
    }

    @Override
    public int link() {
        check(true);
        return link;
    }

    @Override
    public void link(int lane) {
        check(true);
        link = lane;
    }

    @Override
    public int color() {
        check(true);
        return color;
    }

    private void check(boolean isLinkRight) {
        if (event == null || !isLinkRight) {
            throw new AssertionError("event=" + event + ", link=" + link);
        }
    }
}
