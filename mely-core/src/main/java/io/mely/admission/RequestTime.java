// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import java.time.Duration;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the 90th percentile of the time that requests take through several stages at nine tenths of a target. At the entrance it bounds how many wait, at the exit it sees how long they took.
 *
 * <pre>
 *   RequestTime time = RequestTime.bound(Duration.ofMillis(50), event -&gt; ((Request) event).arrivedNs());
 *   Stage&lt;Request&gt; answer = mely.stage("answer", StageOptions.defaults().withAdmission(time.exit()), this::answer);
 *   Stage&lt;Request&gt; parse = mely.stage("parse", StageOptions.defaults().withAdmission(time.entrance()), request -&gt; answer.send(request));
 * </pre>
 *
 * <p>{@link ResponseTime#bound} does the same for one stage, and does not see what a request waits for behind it.
 *
 * <p>A request that never reaches the exit is not seen: if a handler fails, or drops it, that counts for nothing.
 *
 * <p><b>Threads.</b> Any. One for each graph of each runtime.
 */
public final class RequestTime {
    private final WaitingBound bound;
    private final ToLongFunction<@Nullable Object> beganNs;

    private RequestTime(WaitingBound bound, ToLongFunction<@Nullable Object> beganNs) {
        this.bound = bound;
        this.beganNs = beganNs;
    }

    /**
     * Bounds how many events wait at the entrance.
     *
     * @param target &gt; 0
     * @param beganNs says of an event that has run at the exit when its request began, by {@link System#nanoTime}; any thread
     * @return for one graph
     */
    public static RequestTime bound(Duration target, ToLongFunction<@Nullable Object> beganNs) {
        return new RequestTime(
                new WaitingBound(ResponseTime.nanos(target)), Objects.requireNonNull(beganNs, "beganNs"));
    }

    /**
     * For the stage where requests enter.
     *
     * @return refuses what is too much
     */
    public Admission.Factory entrance() {
        // Not the bound itself: it must not see the times of this stage.
        return stage -> (event, waiting, nowNs) -> bound.admits(event, waiting, nowNs);
    }

    /**
     * For the stage where requests end.
     *
     * @return lets in everything
     */
    public Admission.Factory exit() {
        return stage -> new Exit();
    }

    private final class Exit implements Admission {
        @Override
        public boolean admits(@Nullable Object event, int waiting, long nowNs) {
            return true;
        }

        @Override
        public void ran(@Nullable Object event, long sojournNs, long nowNs) {
            bound.ran(event, nowNs - beganNs.applyAsLong(event), nowNs);
        }
    }
}
