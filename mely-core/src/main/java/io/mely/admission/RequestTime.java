// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import java.util.Objects;
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
 * <p>A controller of one stage does not see what a request waits for behind that stage.
 *
 * <p>A request that never reaches the exit is not seen: if a handler fails, or drops it, that counts for nothing. {@link ResponseTime#mm1} takes the time of the entrance for the whole service here, too.
 *
 * <p><b>Threads.</b> Any. One for each graph of each runtime.
 */
public final class RequestTime {
    private final Admission.Factory controllers;
    private final ToLongFunction<@Nullable Object> beganNs;
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
            return (event, waiting, nowNs) -> made.admits(event, waiting, nowNs);
        };
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
            Admission decides = controller;
            if (decides != null) {
                decides.ran(event, nowNs - beganNs.applyAsLong(event), nowNs);
            }
        }
    }
}
