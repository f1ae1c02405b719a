// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.profile.HandlerProfile;
import io.mely.queue.EventChain;
import io.mely.queue.EventRecord;
import io.mely.queue.MixedColor;
import io.mely.queue.MixedList;
import io.mely.queue.MixedRecord;
import io.mely.queue.RecordDepot;
import io.mely.queue.RecordIndex;
import io.mely.queue.RecordPool;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * libasync-smp's base steal beside {@link StealBenchmark}'s: the events of one color are found by following the links of the victim's list,
 * under its lock, so the cost grows with what is pending there.
 *
 * <p>The stolen color has two events, at the two ends of the list. Each operation steals them into the thief's list, takes them out there and
 * puts them back, which are a few links whatever is pending. One thread, no lock: what a steal costs is the list's.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class LibasyncStealBenchmark {
    private static final class Lane extends MixedColor {}

    /** Events pending at the victim. */
    @Param({"10", "100", "1000", "10000", "100000"})
    public int pending;

    private final RecordIndex records = new RecordIndex(true);
    private final MixedList victim = new MixedList(MixedList.LOOK_AHEAD, records);
    private final MixedList thief = new MixedList(MixedList.LOOK_AHEAD, records);
    private final EventChain chain = new EventChain();
    private final Lane stolen = new Lane();

    /** Fills the victim. */
    @Setup
    public void fill() {
        RecordPool pool = new RecordPool(new RecordDepot(pending + 1, records));
        HandlerProfile profile = new HandlerProfile("stolen", StageOptions.defaults(), Stealing.base());
        Lane other = new Lane();
        victim.append(record(pool, profile, stolen));
        for (int i = 0; i < pending - 2; i++) {
            victim.append(record(pool, profile, other));
        }
        victim.append(record(pool, profile, stolen));
    }

    private static EventRecord record(RecordPool pool, HandlerProfile profile, Lane lane) {
        EventRecord record = pool.take();
        if (record == null) {
            throw new IllegalStateException("no record");
        }
        record.set(profile, null, profile.weight());
        MixedRecord.color(record, lane);
        return record;
    }

    /** A steal, and back. */
    @Benchmark
    public void stealAndReturn() {
        if (victim.steal(chain) != stolen) {
            throw new IllegalStateException("took another color: " + victim);
        }
        thief.adopt(stolen, chain);
        EventRecord first = pick(); // both, before one goes back: a color is in one list
        EventRecord second = pick();
        victim.appendFirst(first);
        victim.append(second);
    }

    private EventRecord pick() {
        EventRecord record = thief.pick(null);
        if (record == null) {
            throw new IllegalStateException("nothing was stolen: " + thief);
        }
        thief.ended(stolen);
        return record;
    }
}
