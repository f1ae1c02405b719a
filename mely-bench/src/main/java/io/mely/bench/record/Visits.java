// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import io.mely.bench.record.WorkloadProfile.Sends;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import java.util.Arrays;
import java.util.List;

/**
 * How often each stage of a profile runs a second, by what arrives and what handlers send: the balance of flows, solved by generations of events.
 */
public final class Visits {
    /** An event whose causes go back further has no end. Guess: a thousand times the longest chain of a server. */
    private static final int GENERATIONS_MAX = 100_000;

    /** Of all arrivals: what is left of a generation is nothing. */
    private static final double NOTHING = 1e-9;

    private final double[] perSecond;
    private final double busySeconds;
    private final boolean isFinite;

    private Visits(double[] perSecond, double busySeconds, boolean isFinite) {
        this.perSecond = perSecond;
        this.busySeconds = busySeconds;
        this.isFinite = isFinite;
    }

    /**
     * Solves the balance.
     *
     * @param profile any
     * @return its flows
     */
    public static Visits of(WorkloadProfile profile) {
        List<StageLoad> stages = profile.stages();
        List<String> names = stages.stream().map(StageLoad::name).toList();
        double[] generation = stages.stream()
                .mapToDouble(stage -> stage.arrivals() / profile.seconds())
                .toArray();
        double enough = NOTHING * Arrays.stream(generation).sum();
        double[] all = generation.clone();
        int generations = 0;
        while (Arrays.stream(generation).sum() > enough && generations++ < GENERATIONS_MAX) {
            double[] caused = new double[generation.length];
            for (int i = 0; i < generation.length; i++) {
                for (Sends sends : stages.get(i).sends()) {
                    double mean = (double) sends.events() / stages.get(i).runs();
                    caused[names.indexOf(sends.to())] += generation[i] * mean;
                }
            }
            generation = caused;
            for (int i = 0; i < all.length; i++) {
                all[i] += generation[i];
            }
        }
        double busy = 0;
        for (int i = 0; i < all.length; i++) {
            StageLoad stage = stages.get(i);
            busy += stage.runs() == 0 ? 0 : all[i] * stage.totalNs() / stage.runs() / 1e9;
        }
        return new Visits(all, busy, generations < GENERATIONS_MAX);
    }

    /**
     * Whether what each arrival causes comes to an end.
     *
     * @return false if events cause as many as they are
     */
    public boolean isFinite() {
        return isFinite;
    }

    /**
     * Events of all stages.
     *
     * @return per second
     */
    public double eventsPerSecond() {
        return Arrays.stream(perSecond).sum();
    }

    /**
     * How many cores are busy with handlers.
     *
     * @return seconds of handlers per second
     */
    public double busyCores() {
        return busySeconds;
    }
}
