// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The colors of a runtime by slot, made when first asked for: a slot that is not used costs one reference.
 *
 * <p>Keys are mixed with numbers that only this process knows, so that input cannot be made to meet in one lane. Single-threaded stages get
 * colors outside the table, so that no key shares theirs.
 *
 * <p><b>Source.</b> spec: Mely §2 (colour map), §11.5.
 */
final class ColorTable {
    /** Colors behind the keys' for single-threaded stages. */
    static final int OWN_MAX = 1 << 10;

    private final IntFunction<ColorImpl> factory;
    private final AtomicReferenceArray<@Nullable ColorImpl> slots;
    private final int keySlots;

    // the secret of the hash; the factors are odd
    private final long addend;
    private final long firstFactor;
    private final long secondFactor;
    private final long nameStart;
    private final long nameFactor;

    private final AtomicInteger ownCount = new AtomicInteger();

    ColorTable(RuntimeConfig config, IntFunction<ColorImpl> factory) {
        this.factory = factory;
        slots = new AtomicReferenceArray<>(config.colors() + OWN_MAX);
        Long given = config.hooks().hashSeed();
        SplittableRandom secret = new SplittableRandom(
                given != null ? given : ThreadLocalRandom.current().nextLong());
        addend = secret.nextLong();
        firstFactor = secret.nextLong() | 1;
        secondFactor = secret.nextLong() | 1;
        nameStart = secret.nextLong();
        nameFactor = secret.nextLong() | 1;
        keySlots = config.colors() - 1;
    }

    /** The color of a key: that of its slot. */
    ColorImpl ofKey(long key) {
        return at(slotOf(key));
    }

    /**
     * The slot of a key, 1 to colors - 1, as the default color is nobody's key: two rounds of a shift and a multiplication by a secret factor, then the upper half scaled
     * to the slots, which takes no division.
     */
    int slotOf(long key) {
        long mixed = key + addend;
        mixed = (mixed ^ (mixed >>> 32)) * firstFactor;
        mixed = (mixed ^ (mixed >>> 29)) * secondFactor;
        return (int) (((mixed >>> 32) * keySlots) >>> 32) + 1;
    }

    /** The key of a name, which differs from table to table. All 128 bits of each product count: with the lower half alone what is far down would depend on few characters, whatever the secret. */
    long keyOf(CharSequence name) {
        Objects.requireNonNull(name, "name");
        long factor = nameFactor;
        long key = nameStart;
        for (int i = 0; i < name.length(); i++) {
            long mixed = key ^ name.charAt(i);
            key = Math.multiplyHigh(mixed, factor) ^ (mixed * factor);
        }
        return key;
    }

    /** The color of a slot, always the same: of a key, or of a color of {@link #makeOwn}. */
    ColorImpl at(int slot) {
        ColorImpl color = slots.getAcquire(slot);
        return color != null ? color : make(slot);
    }

    private ColorImpl make(int slot) {
        ColorImpl fresh = factory.apply(slot);
        ColorImpl before = slots.compareAndExchange(slot, null, fresh);
        return before != null ? before : fresh;
    }

    /** A color for a single-threaded stage, which no key has. Beyond {@link #OWN_MAX} of them stages share these colors. */
    ColorImpl makeOwn() {
        return at(keySlots + 1 + Math.floorMod(ownCount.getAndIncrement(), OWN_MAX));
    }
}
