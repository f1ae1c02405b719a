// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.walk;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/** What the stub of the bridge was asked. */
public final class Asked {
    /** Sites and sizes. */
    static final List<List<Integer>> ALL = new ArrayList<>();

    private Asked() {}

    /** The stub calls this. */
    public static ByteBuf note(ByteBufAllocator fallback, int site, int size) {
        ALL.add(List.of(site, size));
        return fallback.directBuffer(size);
    }
}
