// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import io.mely.deploy.stingy.RuntimePlan;
import io.mely.stingy.StingyPlan;
import io.mely.sws.http2.Output;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which buffers of a server may lie in the caches of its cores, and how many of each fit there.
 *
 * <pre>
 *   read    what sockets are read into: one of each thread, for good
 *   head    output of a request: heads, and bodies of up to 4 KB. Taken before ReadRequest, given back when all is written, or when the request waits
 *   write   frames of a connection by HTTP/2 that are not written yet
 * </pre>
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: Stingy §3, §4; docs/stingy.md.
 */
public final class SwsStingy {
    /** What sockets are read into. */
    public static final String READ = "read";

    /** Output of a request. */
    public static final String HEAD = "head";

    /** Output of a connection by HTTP/2. */
    public static final String WRITE = "write";

    /** Declared sizes are one more than what is asked for. */
    private static final Map<String, Integer> ASKED_BYTES =
            new TreeMap<>(Map.of(READ, ThreadState.READ_BYTES, HEAD, Exchange.OUT_BYTES, WRITE, Output.BYTES));

    /** Most streams that one read may bring. */
    private static final int STREAMS_MAX = 1_000;

    /** After which a request has been answered, waits for others, or is no more. */
    private static final Set<SwsStage> GIVING_HEADS = EnumSet.of(
            SwsStage.READ_REQUEST,
            SwsStage.PARSE_REQUEST,
            SwsStage.CHECK_IN_CACHE,
            SwsStage.APPLY,
            SwsStage.WRITE_RESPONSE,
            SwsStage.CLOSE);

    /** Which may be the first that a thread reads in. */
    private static final Set<SwsStage> READING =
            EnumSet.of(SwsStage.READ_REQUEST, SwsStage.ACCEPT, SwsStage.BAD_REQUEST);

    /** Which may say something to a client by HTTP/2. */
    private static final Set<SwsStage> FRAMING = EnumSet.of(
            SwsStage.READ_REQUEST,
            SwsStage.PARSE_REQUEST,
            SwsStage.WRITE_RESPONSE,
            SwsStage.WRITE_FILE,
            SwsStage.CLOSE,
            SwsStage.HANDSHAKE,
            SwsStage.TIMEOUT);

    private SwsStingy() {}

    /**
     * As many requests as a region has room for, beside one buffer for reading and one for frames; at most 64, as a thread keeps no more of what a request needs on the heap: others are made for each
     * request anew.
     *
     * @param regionBytes of a core: {@link io.mely.stingy.CacheShare} says how much of the caches it has. Where the three do not fit, there are requests only
     * @return the plan; an IllegalArgumentException if not even one request fits
     */
    public static MemoryPlan plan(long regionBytes) {
        long scratch = slotBytes(READ) + slotBytes(WRITE);
        boolean hasScratch = regionBytes - scratch >= slotBytes(HEAD);
        long heads = Math.min(ExchangePool.KEPT_MAX, (regionBytes - (hasScratch ? scratch : 0)) / slotBytes(HEAD));
        if (heads < 1) {
            throw new IllegalArgumentException(
                    "regionBytes must be >= " + slotBytes(HEAD) + ": regionBytes=" + regionBytes);
        }
        List<PlannedObject> objects = new ArrayList<>();
        add(objects, HEAD, (int) heads);
        if (hasScratch) {
            add(objects, READ, 1);
            add(objects, WRITE, 1);
        }
        return new MemoryPlan(regionBytes, StingyPlan.LINE_BYTES, objects, stages(hasScratch), new TreeMap<>());
    }

    private static void add(List<PlannedObject> objects, String name, int count) {
        objects.add(new PlannedObject(name, askedBytes(name) + 1L, count, 1, objects.size(), ""));
    }

    private static long slotBytes(String name) {
        int line = StingyPlan.LINE_BYTES;
        return (askedBytes(name) + line) / line * (long) line;
    }

    private static int askedBytes(String name) {
        return Objects.requireNonNull(ASKED_BYTES.get(name));
    }

    /** Who allocates and frees what. Of all events ReadRequest's alone wait; what others allocate is first come, first served. */
    private static List<StageUse> stages(boolean hasScratch) {
        List<StageUse> stages = new ArrayList<>();
        for (SwsStage stage : SwsStage.values()) {
            SortedMap<String, Integer> allocs = new TreeMap<>();
            SortedMap<String, Integer> mayAlloc = new TreeMap<>();
            SortedMap<String, Integer> frees = new TreeMap<>();
            if (stage == SwsStage.READ_REQUEST) {
                allocs.put(HEAD, 1);
                mayAlloc.put(HEAD, STREAMS_MAX);
            }
            if (GIVING_HEADS.contains(stage)) {
                frees.put(HEAD, 1);
            }
            if (hasScratch && READING.contains(stage)) {
                mayAlloc.put(READ, 1);
            }
            if (hasScratch && FRAMING.contains(stage)) {
                mayAlloc.put(WRITE, STREAMS_MAX);
                frees.put(WRITE, STREAMS_MAX);
            }
            if (!frees.isEmpty() || !mayAlloc.isEmpty()) {
                stages.add(new StageUse(stage.label(), allocs, mayAlloc, frees));
            }
        }
        stages.sort(Comparator.comparing(StageUse::name)); // as in a file
        return stages;
    }

    /** An IllegalArgumentException if a server cannot keep to a plan. */
    static void check(MemoryPlan plan) {
        for (PlannedObject object : plan.objects()) {
            Integer asked = ASKED_BYTES.get(object.name());
            check(asked != null, "stingy must plan " + ASKED_BYTES.keySet() + " only", "object", object.name());
            check(
                    asked == null || object.sizeBytes() > asked,
                    "stingy must have a size > " + asked + " for " + object.name() + ", or none is served",
                    "size",
                    object.sizeBytes());
        }
        check(
                plan.objects().stream().anyMatch(each -> each.name().equals(HEAD)),
                "stingy must plan " + HEAD,
                "objects",
                plan.objects().stream().map(PlannedObject::name).toList());
        for (StageUse stage : plan.stages()) {
            boolean isReadRequest = stage.name().equals(SwsStage.READ_REQUEST.label());
            check(
                    stage.allocs().isEmpty() || (isReadRequest && stage.allocs().equals(Map.of(HEAD, 1))),
                    "stingy may have events of " + SwsStage.READ_REQUEST.label() + " wait for one " + HEAD
                            + ", and nothing else: stage=" + stage.name(),
                    "allocs",
                    stage.allocs());
        }
        StingyPlan unused = RuntimePlan.of(plan); // checks the rest
    }

    private static void check(boolean isTrue, String must, String name, Object value) {
        if (!isTrue) {
            throw new IllegalArgumentException(must + ": " + name + "=" + value);
        }
    }
}
