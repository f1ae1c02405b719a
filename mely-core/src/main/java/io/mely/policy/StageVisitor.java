// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A core that goes from stage to stage: which one is said by a {@link VisitOrder}, how long it stays by a {@link Service} and the {@link Switch}.
 *
 * <p>A visit outlasts the core's time slice, after which the core polls and comes back to it. A core that finds nothing in a round of visits looks at all stages, and says that it has nothing to run if none has work.
 *
 * <p><b>Threads.</b> The worker that has the core. All is written before a lane runs, as another worker may have the core then. <b>Source.</b> spec: stages §1.3, §4, §7.
 */
final class StageVisitor implements StageGroup.Visitor, VisitOrder.Stages {
    /** After so many visits in vain the core polls, even if something waits: an order need not come to a stage soon, or ever. */
    private static final int VAIN_MAX = 1024;

    private static final AtomicLongFieldUpdater<StageVisitor> VISITS =
            AtomicLongFieldUpdater.newUpdater(StageVisitor.class, "visits");
    private static final AtomicLongFieldUpdater<StageVisitor> SUCCESSES =
            AtomicLongFieldUpdater.newUpdater(StageVisitor.class, "successes");

    private final VisitPart group;
    private final int core;
    private final VisitOrder order;
    private final Service service;
    private final @Nullable Switch switches;

    private Visit visit; // under way or the last
    private Visit spare;
    private @Nullable StageQueue stage; // of the visit under way
    private int leftToRun; // of what the visit before has left there
    private @Nullable StageQueue interrupted; // goes on when the visit under way is over; the spare is its visit
    private int interruptedLeft;
    private int vain; // visits since the last that ran anything

    // one writer
    private volatile long visits;
    private volatile long successes;

    StageVisitor(VisitPart group, int core, VisitOrder order, VisitPolicy policy) {
        this.group = group;
        this.core = core;
        this.order = order;
        service = policy.service();
        switches = policy.switches();
        visit = new Visit(group.clock());
        spare = new Visit(group.clock());
    }

    @Override
    public int run(Worker worker) {
        int ran = 0;
        boolean isOurs = true;
        while (isOurs && !worker.isSliceOver()) {
            Lane lane = next();
            if (lane == null) {
                break;
            }
            ran++;
            isOurs = worker.run(lane);
        }
        while (isOurs && stage != null && stage.waiting(core) == 0) {
            end(); // its time is not to run on while the core sleeps
        }
        return ran;
    }

    /** The next lane, of this stage or a later one; null if nothing waits. */
    private @Nullable Lane next() {
        while (true) {
            if (stage == null && !begin()) {
                return null;
            }
            Lane lane = mayGoOn() ? poll() : null;
            if (lane != null) {
                visit.countServed();
                vain = 0;
                return lane;
            }
            end();
        }
    }

    /** Goes to the next stage. False if there is nothing to visit. */
    private boolean begin() {
        int count = group.count();
        if (count == 0 || (vain >= count && !hasWork()) || vain >= VAIN_MAX) {
            vain = 0;
            return false;
        }
        int next = order.next(this, visit);
        enter(next);
        return true;
    }

    private void enter(int next) {
        StageQueue entered = group.queue(next);
        stage = entered;
        leftToRun = entered.left();
        visit.begin(next, entered.waiting(core), entered.batch());
        VISITS.lazySet(this, visits + 1);
    }

    private boolean mayGoOn() {
        if (visit.served() == 0) {
            return true;
        }
        if (interrupted != null) {
            return true; // until nothing is left: spec stages §4
        }
        if (!service.goesOn(visit) || !order.stays(this, visit)) {
            return false;
        }
        int urgent = switches == null ? -1 : switches.urgent(group, visit.stage(), core);
        if (urgent >= 0) {
            interrupt(urgent);
        }
        return true;
    }

    private void interrupt(int urgent) {
        visit.pause();
        interrupted = stage;
        interruptedLeft = leftToRun;
        Visit paused = visit;
        visit = spare;
        spare = paused;
        enter(urgent);
    }

    private @Nullable Lane poll() {
        StageQueue visited = stage;
        assert visited != null : "a visit is under way";
        if (leftToRun > 0) {
            leftToRun--;
            Lane lane = visited.pollLeft();
            if (lane != null) {
                return lane;
            }
            leftToRun = 0; // another core took it
        }
        return visited.poll(core, service.sizeMax());
    }

    private void end() {
        assert stage != null : "a visit is under way";
        if (visit.served() > 0) {
            SUCCESSES.lazySet(this, successes + 1);
            stage.served(visit.served());
        } else {
            vain++;
        }
        if (switches != null) {
            stage.visited(nowNs());
        }
        stage = interrupted;
        if (stage != null) {
            interrupted = null;
            leftToRun = interruptedLeft;
            Visit over = visit;
            visit = spare;
            spare = over;
            visit.resume();
        }
    }

    @Override
    public boolean hasWork() {
        for (int i = group.count() - 1; i >= 0; i--) {
            if (group.queue(i).waiting(core) != 0) {
                return true;
            }
        }
        return false;
    }

    // ------------------------------------------------------------------ for the order

    @Override
    public int count() {
        return group.count();
    }

    @Override
    public int waiting(int ofStage) {
        return group.queue(ofStage).waiting(core);
    }

    @Override
    public long arrived(int ofStage) {
        return stage(ofStage).stats().sent();
    }

    @Override
    public Stage<?> stage(int number) {
        return group.queue(number).stage();
    }

    @Override
    public long nowNs() {
        return group.clock().nanoTime();
    }

    // ------------------------------------------------------------------ figures

    long visits() {
        return visits;
    }

    /** Of these, how many found something. */
    long successes() {
        return successes;
    }
}
