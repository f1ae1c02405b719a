// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.planted;

import io.mely.bench.stingy.planted.Shop.Order;
import io.netty.buffer.ByteBufAllocator;

/** Allocates several times in one event, of a size that a field says. */
final class Till {
    private final ByteBufAllocator allocator;
    private final int lineBytes;

    Till(ByteBufAllocator allocator, int lineBytes) {
        this.allocator = allocator;
        this.lineBytes = lineBytes;
    }

    void print(Order order) {
        for (int i = 0; i < 2; i++) {
            if (order.line != null) {
                order.line.release();
            }
            order.line = allocator.ioBuffer(lineBytes);
        }
    }
}
