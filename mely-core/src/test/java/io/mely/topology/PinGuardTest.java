// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mely.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PinGuardTest {
    private static final int CPU = Cpus.allowed().first();

    private final PinGuard guard = new PinGuard();
    private final List<Hand> hands = new ArrayList<>();

    /** A thread that does what it is told. */
    private static final class Hand extends Thread {
        private final BlockingQueue<FutureTask<?>> orders = new LinkedBlockingQueue<>();
        private boolean isDone;

        <T> T call(Callable<T> order) throws Exception {
            FutureTask<T> task = new FutureTask<>(order);
            orders.add(task);
            return task.get();
        }

        CpuSet cpus() throws Exception {
            return call(() -> Cpus.mask(Path.of("/proc/thread-self/status")));
        }

        void end() throws Exception {
            call(() -> isDone = true);
            join();
        }

        @Override
        public void run() {
            try {
                while (!isDone) {
                    orders.take().run();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @BeforeEach
    void needsTwoCpus() {
        assumeTrue(Files.exists(Path.of("/proc/thread-self")) && Cpus.allowed().size() > 1);
    }

    @AfterEach
    void endHands() throws Exception {
        for (Hand hand : hands) {
            hand.end();
        }
    }

    private Hand start() {
        Hand hand = new Hand();
        hands.add(hand);
        hand.start();
        return hand;
    }

    private boolean pin(Hand core) throws Exception {
        return core.call(() -> {
            boolean isFirst = guard.enter(CPU);
            assumeTrue(Pinning.pinCallingThread(CPU), "pinning is forbidden here");
            return isFirst;
        });
    }

    // What a pinned core starts is on its CPU, and so is what that starts. Both are set free, cores are not.
    @Test
    void look_threadsStartedOnACore_areFree() throws Exception {
        Hand core = start();
        assertThat(pin(core)).isTrue();
        Hand second = start();
        assertThat(pin(second)).as("somebody looks already").isFalse();
        Hand child = core.call(this::start);
        Hand grandchild = child.call(this::start);
        assertThat(List.of(child.cpus(), grandchild.cpus())).containsOnly(CpuSet.of(CPU));

        assertThat(guard.look()).isTrue();

        assertThat(List.of(child.cpus(), grandchild.cpus())).containsOnly(Cpus.allowed());
        assertThat(List.of(core.cpus(), second.cpus())).containsOnly(CpuSet.of(CPU));
    }

    // Who was there before the cores, or binds himself later, means it; so does who is on another CPU.
    @Test
    void look_threadsThatBindThemselves_stay() throws Exception {
        Hand before = start();
        assertThat(before.call(() -> Pinning.pinCallingThread(CPU))).isTrue();
        Hand core = start();
        pin(core);
        Hand later = start();
        Hand elsewhere = start();
        CpuSet other = CpuSet.of(Cpus.allowed().without(CpuSet.of(CPU)).first());
        assertThat(elsewhere.call(() -> Pinning.pinCallingThread(other.first())))
                .isTrue();
        guard.look();
        assertThat(later.call(() -> Pinning.pinCallingThread(CPU))).isTrue();

        guard.look();

        assertThat(List.of(before.cpus(), later.cpus())).containsOnly(CpuSet.of(CPU));
        assertThat(elsewhere.cpus()).isEqualTo(other);
    }

    // The last look of all frees what the last core has started.
    @Test
    void look_afterTheLastCore_isTheLast() throws Exception {
        Hand core = new Hand();
        core.start();
        pin(core);
        Hand child = core.call(this::start);
        core.end();

        Await.until("the core has left the process", () -> !guard.look());

        assertThat(child.cpus()).isEqualTo(Cpus.allowed());
        assertThat(pin(start())).as("the next core begins anew").isTrue();
    }
}
