// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a run gave, after the warm-up.
 *
 * @param experiment that was run
 * @param events handlers called
 * @param cycles that took
 * @param figures of the machine
 * @param steals colors taken
 * @param attempts victims locked
 * @param rescues steals from stuck cores
 * @param stealNs time in successful steals, as the runtime measures it
 * @param awayCycles handlers' work done away from the core its color began on
 * @param stolenWeight what waited in the stolen colors, in units of weight
 * @param isWeightTime whether that is nanoseconds; else a thousand for each event
 * @param sleeps of all cores
 * @param wakeups of all cores
 * @param sojournNs from the send of an event, or the arrival of a request, to the end of its handling
 * @param extras figures that only this workload has
 * @param spans the timeline, if it was kept
 */
public record Outcome(
        Experiment experiment,
        long events,
        double cycles,
        Ledger.Figures figures,
        long steals,
        long attempts,
        long rescues,
        long stealNs,
        double awayCycles,
        long stolenWeight,
        boolean isWeightTime,
        long sleeps,
        long wakeups,
        Histogram sojournNs,
        Map<String, Double> extras,
        List<Ledger.Span> spans) {

    /**
     * Throughput.
     *
     * @return thousand events a second
     */
    public double kEventsPerS() {
        return events / seconds() / 1e3;
    }

    /**
     * The measured time.
     *
     * @return virtual seconds
     */
    public double seconds() {
        return cycles / (experiment.machine().gigahertz() * 1e9);
    }

    /**
     * Accesses that went past a level of caches.
     *
     * @param level 1 is the first
     * @return per event
     */
    public double missesPerEvent(int level) {
        long sum = 0;
        for (Ledger.OfCore core : figures.cores()) {
            sum += core.misses().get(level - 1);
        }
        return (double) sum / events;
    }

    /**
     * Share of all cores' time spent until locks were taken or refused.
     *
     * @return 0 to 1
     */
    public double lockShare() {
        double sum = 0;
        for (Ledger.OfCore core : figures.cores()) {
            sum += core.lockWait();
        }
        return sum / (cycles * experiment.cores());
    }

    /**
     * What a steal costs the thief.
     *
     * @return cycles, as the runtime measures it; NaN without steals
     */
    public double stealCycles() {
        return steals == 0 ? Double.NaN : stealNs * experiment.machine().gigahertz() / steals;
    }

    /**
     * What a steal brings.
     *
     * @return cycles of handlers run away from where their colors began, per steal; NaN without steals
     */
    public double stolenCycles() {
        return steals == 0 ? Double.NaN : awayCycles / steals;
    }

    /**
     * What waited in a color when it was stolen, as far as the runtime knows.
     *
     * @return cycles per steal: expected ones where events weigh what they take, else events times the mean handler; NaN without steals
     */
    public double waitingCycles() {
        double handlerCycles = share(Ledger.Activity.HANDLER) * experiment.cores() * cycles / events;
        double stolen =
                isWeightTime ? stolenWeight * experiment.machine().gigahertz() : stolenWeight / 1e3 * handlerCycles;
        return steals == 0 ? Double.NaN : stolen / steals;
    }

    /**
     * What a core did.
     *
     * @param core its index
     * @param activity of it
     * @return share of the measured time
     */
    public double share(int core, Ledger.Activity activity) {
        return figures.cores().get(core).activities().getOrDefault(activity, 0.0) / cycles;
    }

    /**
     * What the cores did on average.
     *
     * @param activity of them
     * @return share of the measured time
     */
    public double share(Ledger.Activity activity) {
        double sum = 0;
        for (int core = 0; core < experiment.cores(); core++) {
            sum += share(core, activity);
        }
        return sum / experiment.cores();
    }
}
