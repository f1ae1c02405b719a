// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.WorkloadProfile;
import io.mely.WorkloadProfile.Sends;
import io.mely.WorkloadProfile.StageLoad;
import java.util.Arrays;
import java.util.List;

/**
 * How often each stage of a profile runs a second, by what arrives and what handlers send: the balance of flows, solved by generations of events.
 */
final class Visits {
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

    static Visits of(WorkloadProfile profile) {
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

    /** Whether each arrival causes an end. */
    boolean isFinite() {
        return isFinite;
    }

    /** Of all stages. */
    double eventsPerSecond() {
        return Arrays.stream(perSecond).sum();
    }

    /** Seconds of handlers a second: so many cores are busy with them. */
    double busyCores() {
        return busySeconds;
    }
}
