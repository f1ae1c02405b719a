// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.NanoClock;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lanes 1 and 2, for queues and pools of lanes. What is started as a thread is kept for the actors, which run it. */
final class TwoLanes implements Workers {
    final Lane[] lanes = {null, new Numbered(1), new Numbered(2)};
    final List<Consumer<Worker>> bodies = new ArrayList<>();

    private static final class Numbered implements Lane {
        private final int id;
        private int link;

        Numbered(int id) {
            this.id = id;
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
            return -1;
        }
    }

    static int idOf(@Nullable Lane lane) {
        return lane == null ? 0 : lane.laneId();
    }

    @Override
    public boolean isInColor() {
        return false;
    }

    @Override
    public long expectedNs(Lane lane) {
        return 0;
    }

    @Override
    public Lane lane(int id) {
        return lanes[id];
    }

    @Override
    public int cores() {
        return 2;
    }

    @Override
    public int handlerCore() {
        return -1;
    }

    @Override
    public Stage<?> stage(Lane lane) {
        throw new IllegalStateException();
    }

    @Override
    public @Nullable Object event(Lane lane) {
        throw new IllegalStateException();
    }

    @Override
    public boolean wake(int core) {
        return false;
    }

    @Override
    public boolean wakeOne(int first, int end) {
        return false;
    }

    @Override
    public boolean startThread(String name, Consumer<Worker> body) {
        bodies.add(body);
        return true;
    }

    @Override
    public NanoClock clock() {
        return NanoClock.SYSTEM;
    }
}
