// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.files.NativeMemory;
import io.mely.sws.http.HeadFields;
import io.mely.sws.http.HeadLimits;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of one thread. A connection may take one here and give it back on another thread, if its color was stolen in between: they are
 * all alike.
 *
 * <p><b>Threads.</b> The owner. <b>Bounds.</b> {@link #KEPT_MAX} are kept, and no more than the thread's part of all there is memory for, or idle ones here would leave another thread without any; those in use are as many as connections that are
 * in a request, at most the limit of clients, and what there is memory for.
 */
final class ExchangePool {
    /** 64 of 24 KB; more than a thread has requests under way, as it finishes one before it begins the next unless clients are slow. */
    static final int KEPT_MAX = 64;

    private final HeadLimits limits;
    private final HeadFields fields;
    private final long bodyBytesMax;
    private final NativeMemory memory;
    private final InputMemory inputs;
    private final int keptMax;
    private final ArrayDeque<Exchange> kept = new ArrayDeque<>(KEPT_MAX);

    /** Handed out here less given back here; negative where stolen connections end. */
    private long balance;

    /** @param keptMax at most {@link #KEPT_MAX} */
    ExchangePool(
            HeadLimits limits,
            HeadFields fields,
            long bodyBytesMax,
            NativeMemory memory,
            InputMemory inputs,
            int keptMax) {
        this.limits = limits;
        this.fields = fields;
        this.bodyBytesMax = bodyBytesMax;
        this.memory = memory;
        this.inputs = inputs;
        this.keptMax = keptMax;
    }

    /** Null if there is no memory for one more. */
    @Nullable
    Exchange take() {
        Exchange exchange = kept.pollLast();
        if (exchange == null) {
            exchange = make();
            if (exchange == null) {
                return null;
            }
        }
        balance++;
        return exchange;
    }

    private @Nullable Exchange make() {
        if (!inputs.take(Exchange.IN_BYTES)) {
            return null;
        }
        ByteBuf out = memory.take(Exchange.OUT_BYTES);
        if (out == null) {
            inputs.giveBack(Exchange.IN_BYTES);
            return null;
        }
        return new Exchange(limits, fields, bodyBytesMax, memory, inputs, out);
    }

    void giveBack(Exchange exchange) {
        balance--;
        if (kept.size() < keptMax) {
            exchange.clear();
            kept.addLast(exchange);
        } else {
            exchange.free();
        }
    }

    /** The sum over all threads is the number in use. */
    long balance() {
        return balance;
    }

    /** Once, when the thread has stopped. */
    void close() {
        kept.forEach(Exchange::free);
        kept.clear();
    }
}
