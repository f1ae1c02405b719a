// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Activity.State;
import io.mely.policy.PoolPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// What the threads do, as they are stopped in it.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ActivityTest {
    private final CountDownLatch isInside = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private volatile Thread inside;

    private void hold(Object event) throws InterruptedException {
        inside = Thread.currentThread();
        isInside.countDown();
        assertThat(mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void before_andAfter_nobodyIsInAHandler() {
        Mely mely = Mely.builder().cores(2).build();
        assertThat(mely.activity())
                .hasSize(2)
                .allMatch(each -> each.thread() == null && each.stage() == null && each.color() == -1);
        mely.start();
        Await.until("both sleep", () -> mely.activity().stream().allMatch(each -> each.state() == State.ASLEEP));
        mely.close();
        assertThat(mely.activity()).noneMatch(each -> each.state() == State.HANDLER);
    }

    @Test
    void handlerOfACore_isSeenWithItsStageColorAndThread() throws Exception {
        Mely mely = Mely.builder()
                .cores(1)
                .policy(Policy.colored().withThreadsPerCore(1))
                .build()
                .start();
        Stage<String> holds = mely.stage("holds", this::hold);
        holds.send(mely.colorAt(7), "x");
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        List<Activity> now = mely.activity();
        assertThat(now).hasSize(1);
        Activity it = now.get(0);
        assertThat(it.state()).isEqualTo(State.HANDLER);
        assertThat(it.stage()).isSameAs(holds);
        assertThat(it.color()).isEqualTo(7);
        assertThat(it.core()).isZero();
        assertThat(it.thread()).isSameAs(inside);
        mayEnd.countDown();
        mely.close();
    }

    // What runs counts, too, until its turn is over.
    @Test
    void timeLeft_isOfAllEventsOfTheColor() throws Exception {
        Mely mely = Mely.builder().cores(1).build();
        Stage<String> holds =
                mely.stage("holds", StageOptions.defaults().withProcessingTime(Duration.ofMillis(1)), this::hold);
        holds.send(mely.colorAt(7), "runs");
        holds.send(mely.colorAt(7), "waits");
        mely.start();
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(mely.activity())
                .filteredOn(each -> each.color() == 7)
                .singleElement()
                .satisfies(each -> assertThat(each.timeLeftNs()).isEqualTo(2_000_000));
        mayEnd.countDown();
        mely.close();
        assertThat(mely.activity()).allMatch(each -> each.timeLeftNs() == 0);
    }

    @Test
    void coreThatWasTakenOver_isSeenTwice() throws Exception {
        Mely mely = Mely.builder().cores(1).build().start();
        Stage<String> holds = mely.stage("holds", this::hold);
        holds.send(mely.colorAt(7), "x");
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        CountDownLatch ran = new CountDownLatch(1);
        mely.colorAt(8).execute(ran::countDown); // by another thread of the core
        assertThat(ran.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(mely.activity())
                .filteredOn(each -> each.state() == State.HANDLER && each.color() == 7)
                .hasSize(1);
        assertThat(mely.activity()).hasSize(2).allMatch(each -> each.core() == 0);
        mayEnd.countDown();
        mely.close();
    }

    @Test
    void handlerOfAPool_hasNoCore() throws Exception {
        Mely mely = Mely.builder()
                .cores(1)
                .policy("disk", Policy.of("disk", PoolPolicy.shared(1)))
                .build()
                .start();
        Stage<String> holds = mely.stage("holds", StageOptions.defaults().withGroup("disk"), this::hold);
        holds.send("x");
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(mely.activity())
                .filteredOn(each -> each.stage() == holds)
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.core()).isEqualTo(-1);
                    assertThat(each.color()).isEqualTo(-1);
                });
        mayEnd.countDown();
        mely.close();
    }
}
