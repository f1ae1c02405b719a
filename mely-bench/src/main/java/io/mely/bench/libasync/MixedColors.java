// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import io.mely.MelyBuilder;
import io.mely.spi.Lane;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The colors of a group by slot, made when first asked for. A slot that is not used costs a reference if one near it is used, and nothing otherwise.
 *
 * <p><b>Threads.</b> Any.
 */
final class MixedColors {
    private static final int CHUNK_BITS = 12;
    private static final int CHUNK = 1 << CHUNK_BITS;

    private final IntUnaryOperator homes;

    /** One more than the keys' colors need, for the own colors of stages. */
    private final AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable MixedColor>> chunks =
            new AtomicReferenceArray<>((MelyBuilder.COLORS_MAX >> CHUNK_BITS) + 1);

    /** Makes an empty table; homes are first homes by slot. */
    MixedColors(IntUnaryOperator homes) {
        this.homes = homes;
    }

    /** The slot of a lane's color: without a color it is of the default color, which is 0. */
    static int slotOf(Lane lane) {
        return Math.max(lane.color(), 0);
    }

    /**
     * The color of a lane.
     *
     * @throws OutOfMemoryError if it had to be made, and nothing has changed
     */
    MixedColor of(Lane lane) {
        return at(slotOf(lane));
    }

    /** The color of a slot; the same holds. */
    MixedColor at(int slot) {
        AtomicReferenceArray<@Nullable MixedColor> chunk = chunks.get(slot >> CHUNK_BITS);
        MixedColor color = chunk == null ? null : chunk.get(slot & (CHUNK - 1));
        return color != null ? color : make(slot);
    }

    private MixedColor make(int slot) {
        AtomicReferenceArray<@Nullable MixedColor> chunk = makeChunk(slot >> CHUNK_BITS);
        MixedColor fresh = new MixedColor(slot, homes.applyAsInt(slot));
        MixedColor before = chunk.compareAndExchange(slot & (CHUNK - 1), null, fresh);
        return before != null ? before : fresh;
    }

    private AtomicReferenceArray<@Nullable MixedColor> makeChunk(int index) {
        AtomicReferenceArray<@Nullable MixedColor> chunk = chunks.get(index);
        if (chunk != null) {
            return chunk;
        }
        AtomicReferenceArray<@Nullable MixedColor> fresh = new AtomicReferenceArray<>(CHUNK);
        AtomicReferenceArray<@Nullable MixedColor> before = chunks.compareAndExchange(index, null, fresh);
        return before != null ? before : fresh;
    }
}
