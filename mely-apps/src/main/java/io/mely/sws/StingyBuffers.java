// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.StageOptions;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.RuntimePlan;
import io.mely.spi.Supply;
import io.mely.stingy.Stingy;
import io.mely.stingy.StingyAllocator;
import io.mely.stingy.StingyMemory;
import io.mely.stingy.StingyPlan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of one server that lie in the caches of its cores.
 *
 * <h2>Who waits, and who holds a place</h2>
 *
 * A request takes the place of its output before its ReadRequest, which waits for it, and keeps it through ParseRequest, CheckInCache and WriteResponse. So whoever holds one waits for nobody, and gives it back: no request can
 * wait for good. What takes longer than the chain of stages leaves the region first ({@link Exchange#leaveRegion}): a request that is not complete, an answer that the client does not take, a file that is large or not in memory, a
 * password, an application. Else a few slow clients could hold all places.
 *
 * <p>Streams of HTTP/2 take what is free, and do not wait: one that waited would hold up the color of its connection, and so the other streams that hold places.
 *
 * <p>A stolen connection takes its places along; they stay on the account of the core where they were taken, and are given back to it.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> No object for a request by HTTP/1.1.
 */
final class StingyBuffers {
    private static final int NONE = -1;

    private final Stingy stingy;
    private final StingyMemory memory;
    private final int read;
    private final int head;
    private final @Nullable StingyAllocator outputs;
    private final @Nullable Supply requests;

    private StingyBuffers(MemoryPlan plan, int cores) {
        stingy = Stingy.of(RuntimePlan.of(plan), cores);
        memory = new StingyMemory(stingy);
        List<String> names = plan.objects().stream().map(PlannedObject::name).toList();
        read = names.indexOf(SwsStingy.READ);
        head = names.indexOf(SwsStingy.HEAD);
        outputs = names.contains(SwsStingy.WRITE)
                ? stingy.allocator(UnpooledByteBufAllocator.DEFAULT).at(SwsStingy.WRITE)
                : null;
        String stage = SwsStage.READ_REQUEST.label();
        requests = stingy.plan().stages().contains(stage) ? new Requests(stingy.supply(stage)) : null;
    }

    /** By a plan, if there is one. */
    static @Nullable StingyBuffers of(@Nullable MemoryPlan plan, int cores) {
        return plan == null ? null : new StingyBuffers(plan, cores);
    }

    /** Native memory that the regions take. */
    static long bytes(@Nullable MemoryPlan plan, int cores) {
        return plan == null ? 0 : cores * (RuntimePlan.of(plan).bytes() + StingyPlan.LINE_BYTES);
    }

    Stingy stingy() {
        return stingy;
    }

    /** How a stage runs. */
    StageOptions options(SwsStage stage) {
        Supply supply = stage == SwsStage.READ_REQUEST ? requests : null;
        return supply == null ? stage.options() : stage.options().withSupply(supply);
    }

    /** Gives a request a place in the region, if it has none and one is free. */
    void enter(Exchange exchange) {
        if (exchange.mayEnterRegion()) {
            long place = memory.take(head, Exchange.OUT_BYTES);
            if (place != StingyMemory.NONE) {
                exchange.enterRegion(memory, place);
            }
        }
    }

    /** What a thread reads into; {@link StingyMemory#NONE} if the region has none left. */
    long takeRead() {
        return read == NONE ? StingyMemory.NONE : memory.take(read, ThreadState.READ_BYTES);
    }

    /** Empty. */
    ByteBuffer readAt(long place) {
        return memory.at(place, ThreadState.READ_BYTES);
    }

    void giveRead(long place) {
        memory.give(place);
    }

    /** For frames of HTTP/2; null if the region has none left. */
    @Nullable
    ByteBuf takeOutput(int bytes) {
        return outputs == null ? null : outputs.tryBuffer(bytes);
    }

    /** Whether it is from here. */
    static boolean isOutput(ByteBuf memory) {
        return memory.alloc() instanceof StingyAllocator;
    }

    /** What ReadRequest waits for: only an event that is going to use it. */
    private record Requests(Supply stock) implements Supply {
        @Override
        public boolean isNeededBy(@Nullable Object event) {
            return event instanceof Connection connection && connection.isPlaceWanted();
        }

        @Override
        public int cores() {
            return stock.cores();
        }

        @Override
        public boolean tryTake(int core, int events) {
            return stock.tryTake(core, events);
        }

        @Override
        public boolean isAvailable(int core) {
            return stock.isAvailable(core);
        }

        @Override
        public void pass(int core) {
            stock.pass(core);
        }

        @Override
        public void giveBack(int core) {
            stock.giveBack(core);
        }
    }
}
