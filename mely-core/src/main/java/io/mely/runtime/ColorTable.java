// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The colors of a runtime by slot, made when first asked for: a slot that is not used costs one reference.
 *
 * <p>Keys are mixed with a seed that only this process knows, so that input cannot be made to meet in one lane. Single-threaded stages get
 * colors outside the table, so that no key shares theirs.
 *
 * <p><b>Source.</b> spec: Mely §2 (colour map), §11.5.
 */
public final class ColorTable<C extends EngineColor> {
    private final Factory<C> factory;
    private final AtomicReferenceArray<@Nullable C> slots;
    private final AtomicInteger nextOwn;
    private final IntUnaryOperator homeOf;
    private final long seed;
    private final int mask;

    /**
     * Makes a color.
     *
     * @param <C> the engine's type
     */
    @FunctionalInterface
    public interface Factory<C> {
        /**
         * Makes one.
         *
         * @param slot its number
         * @param home the core it starts on
         * @return idle
         */
        C make(int slot, int home);
    }

    /**
     * Makes an empty table.
     *
     * @param config colors, placement and hash seed
     * @param cores how many there are
     * @param factory makes the colors
     */
    public ColorTable(RuntimeConfig config, int cores, Factory<C> factory) {
        this.factory = factory;
        slots = new AtomicReferenceArray<>(config.colors());
        nextOwn = new AtomicInteger(config.colors());
        IntUnaryOperator placement = config.placement();
        homeOf = placement == null ? slot -> slot % cores : slot -> Math.floorMod(placement.applyAsInt(slot), cores);
        Long given = config.hashSeed();
        seed = given != null ? given : ThreadLocalRandom.current().nextLong();
        mask = config.colors() - 1;
    }

    /**
     * The color of a key.
     *
     * @param key any
     * @return never slot 0
     */
    public C ofKey(long key) {
        long mixed = mix(mix(key + seed) ^ Long.rotateLeft(seed, 32));
        int slot = (int) ((mixed >>> 33) % mask) + 1; // 1 to colors - 1: the default color is nobody's key
        return at(slot);
    }

    /** Stafford's variant 13 of the 64-bit finalizer: each input bit changes each output bit with probability one half. */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /**
     * The color of a slot.
     *
     * @param slot of the table
     * @return always the same
     */
    public C at(int slot) {
        C color = slots.getAcquire(slot);
        return color != null ? color : make(slot);
    }

    private C make(int slot) {
        C fresh = factory.make(slot, homeOf.applyAsInt(slot));
        C before = slots.compareAndExchange(slot, null, fresh);
        return before != null ? before : fresh;
    }

    /**
     * A color of a stage's own.
     *
     * @return outside the table
     */
    public C makeOwn() {
        int slot = nextOwn.getAndIncrement();
        return factory.make(slot, homeOf.applyAsInt(slot));
    }
}
