// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.spi.Lane;

/** A lane of no runtime, for a list by itself. */
class PlainLane implements Lane {
    private final int id;
    private final int color;
    private int link;

    PlainLane(int id, int color) {
        this.id = id;
        this.color = color;
    }

    @Override
    public int laneId() {
        return id;
    }

    @Override
    public int link() {
        return link;
    }

    @Override
    public void link(int lane) {
        link = lane;
    }

    @Override
    public int color() {
        return color;
    }
}
