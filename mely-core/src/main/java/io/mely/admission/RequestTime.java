// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import io.mely.Stage;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lets a controller of {@link ResponseTime} see the time that requests take through several stages: it decides at the entrance, and is told at the exit.
 *
 * <pre>
 *   RequestTime time = RequestTime.of(ResponseTime.bound(Duration.ofMillis(50)), event -&gt; ((Request) event).arrivedNs());
 *   Stage&lt;Request&gt; answer = mely.stage("answer", StageOptions.defaults().withAdmission(time.exit()), this::answer);
 *   Stage&lt;Request&gt; parse = mely.stage("parse", StageOptions.defaults().withAdmission(time.entrance()), request -&gt; answer.send(request));
 * </pre>
 *
 * <p>A controller of one stage does not see what a request waits for behind that stage. What waits at the exit, and at stages {@linkplain #between between}, counts as waiting at the entrance.
 *
 * <p>A request that never reaches the exit is not seen: if a handler fails, or drops it, that counts for nothing. {@link ResponseTime#mm1} takes the time of the entrance for the whole service here, too.
 *
 * <p><b>Threads.</b> Any. One for each graph of each runtime.
 */
public final class RequestTime {
    private final Admission.Factory controllers;
    private final ToLongFunction<@Nullable Object> beganNs;
    private final List<Stage<?>> behind = new CopyOnWriteArrayList<>(); // the entrance
    private volatile @Nullable Admission controller; // the entrance's

    private RequestTime(Admission.Factory controllers, ToLongFunction<@Nullable Object> beganNs) {
        this.controllers = controllers;
        this.beganNs = beganNs;
    }

    /**
     * Joins an entrance and an exit.
     *
     * @param controller such as {@link ResponseTime#bound}
     * @param beganNs says of an event that has run at the exit when its request began, by {@link System#nanoTime}; any thread
     * @return for one graph
     */
    public static RequestTime of(Admission.Factory controller, ToLongFunction<@Nullable Object> beganNs) {
        return new RequestTime(
                Objects.requireNonNull(controller, "controller"), Objects.requireNonNull(beganNs, "beganNs"));
    }

    /**
     * For the stage where requests enter.
     *
     * @return refuses what is too much
     */
    public Admission.Factory entrance() {
        return stage -> {
            Admission made = controllers.create(stage);
            controller = made;
            // not the controller itself: it must not see the times of this stage
            return (event, waiting, nowNs) -> made.admits(event, waiting + waitingBehind(), nowNs);
        };
    }

    /**
     * For each stage between the entrance and the exit at which requests may have to wait: what waits there counts, too.
     *
     * @return lets in everything
     */
    public Admission.Factory between() {
        return stage -> {
            behind.add(stage);
            return (event, waiting, nowNs) -> true;
        };
    }

    /**
     * For the stage where requests end.
     *
     * @return lets in everything
     */
    public Admission.Factory exit() {
        return stage -> {
            behind.add(stage);
            return new Exit();
        };
    }

    private int waitingBehind() {
        int waiting = 0;
        for (Stage<?> stage : behind) {
            waiting += stage.waiting();
        }
        return waiting;
    }

    private final class Exit implements Admission {
        @Override
        public boolean admits(@Nullable Object event, int waiting, long nowNs) {
            return true;
        }

        @Override
        public void ran(@Nullable Object event, long sojournNs, long nowNs) {
            Admission decides = controller;
            if (decides != null) {
                decides.ran(event, nowNs - beganNs.applyAsLong(event), nowNs);
            }
        }
    }
}
