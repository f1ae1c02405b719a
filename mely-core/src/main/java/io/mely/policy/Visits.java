// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Workers;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stages with a queue each, between which the cores go to and fro: thread per core, no stealing. A core runs much of one stage before it goes on, so that the stage's code and data stay in its caches.
 *
 * <p>A single-threaded stage is one color, whose lane is nowhere while it runs. So a core that comes there meanwhile finds nothing, and goes on at once.
 *
 * <p><b>Parts.</b> The cores may be divided. With a partition each stage is in one part. With replicas each part has all stages: an event stays in the part where it was sent, and what comes from elsewhere goes to the parts in turn, or to that of its color. What
 * an event in a color sends on goes to the parts in turn, too: all events of a single-threaded stage are in one part, which would have to run everything behind that stage.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §4 to §8.
 */
final class Visits implements StageGroup {
    private final Workers workers;
    private final VisitPolicy policy;
    private final VisitPart[] parts;
    private final StageVisitor[] visitors;
    private final int[] partOfCore;
    private final AtomicInteger turns = new AtomicInteger();

    Visits(Workers workers, VisitPolicy policy) {
        this.workers = workers;
        this.policy = policy;
        int cores = workers.cores();
        int count = policy.parts();
        if (cores % count != 0) {
            throw new IllegalArgumentException(
                    "the cores cannot be divided evenly: cores=" + cores + ", parts=" + count);
        }
        int each = cores / count;
        parts = new VisitPart[count];
        Arrays.setAll(parts, part -> new VisitPart(workers, part * each, (part + 1) * each));
        partOfCore = new int[cores];
        visitors = new StageVisitor[cores];
        for (int core = 0; core < cores; core++) {
            partOfCore[core] = core / each;
            visitors[core] =
                    new StageVisitor(parts[core / each], core, policy.orders().create(core % each, each), policy);
        }
    }

    @Override
    public synchronized Sink sink(Stage<?> stage) {
        Partition partition = policy.partition();
        if (partition != null) {
            Integer part = partition.partOf().get(stage.name());
            return queue(stage, part == null ? 0 : part);
        }
        if (parts.length == 1) {
            return queue(stage, 0);
        }
        StageQueue[] copies = new StageQueue[parts.length];
        Arrays.setAll(copies, part -> queue(stage, part));
        return lane -> copies[replicaOf(lane)].add(lane);
    }

    private StageQueue queue(Stage<?> stage, int part) {
        StageQueue queue = new StageQueue(workers, stage, policy, parts[part]);
        parts[part].add(queue);
        return queue;
    }

    private int replicaOf(Lane lane) {
        int color = lane.color();
        if (color >= 0) {
            return color % parts.length; // always the same: its data stays there
        }
        int core = workers.handlerCore();
        boolean stays = core >= 0 && !workers.isInColor();
        return stays ? partOfCore[core] : (turns.getAndIncrement() & Integer.MAX_VALUE) % parts.length;
    }

    @Override
    public @Nullable Visitor visitor(int core) {
        return visitors[core];
    }

    @Override
    public int threads(Stage<?> stage, int cores) {
        return policy.partition() == null ? cores : cores / parts.length;
    }
}
