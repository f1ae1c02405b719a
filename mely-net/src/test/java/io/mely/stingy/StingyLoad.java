// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;

/**
 * Requests that go through three stages in colors of their own: the first keeps a small buffer, the second a large one besides, the third checks and frees them, or leaves that to others. Each buffer holds a number of its own at both ends, so that an overlap shows.
 */
final class StingyLoad {
    private static final int SMALL = 100;
    private static final int LARGE = 600;

    static final StingyPlan PLAN = StingyPlan.builder(1 << 16)
            .site("small", SMALL + 1, 16, 0)
            .site("large", LARGE + 1, 6, 1)
            .site("scratch", 200, 12, 2, 1) // these two are never live together
            .site("reply", 300, 4, 2, 1)
            .stage("read", Map.of("small", 1, "scratch", 1))
            .stage("mix", Map.of("large", 1))
            .stage("write", Map.of("reply", 1))
            .build();

    /** What a request has. */
    private static final class Request {
        ByteBuf small;
        ByteBuf large;
    }

    final Stingy stingy;
    final AtomicLong allocated = new AtomicLong();
    final AtomicLong released = new AtomicLong();
    final AtomicLong done = new AtomicLong();
    final AtomicReference<String> wrong = new AtomicReference<>();

    /** What a thread outside frees. */
    final Queue<ByteBuf> toFree = new ConcurrentLinkedQueue<>();

    private final Mely mely;
    private final int colors;
    private final IntUnaryOperator chance;
    private final AtomicLong budget;
    private final AtomicLong numbers = new AtomicLong();
    private final StingyAllocator allocator;
    private final Stage<Request> read;
    private final Stage<Request> mix;
    private final Stage<Request> write;

    /** Its requests are as many as the budget, each followed by the next; {@code chance} draws numbers below a bound. */
    StingyLoad(Mely mely, int colors, long requests, IntUnaryOperator chance) {
        this.mely = mely;
        this.colors = colors;
        this.chance = chance;
        budget = new AtomicLong(requests);
        stingy = Stingy.of(PLAN, mely.cores());
        allocator = stingy.allocator(PooledByteBufAllocator.DEFAULT);
        write = mely.stage("write", with("write"), this::write);
        mix = mely.stage("mix", with("mix"), this::mix);
        read = mely.stage("read", with("read"), this::read);
    }

    private StageOptions with(String stage) {
        return StageOptions.defaults().withSupply(stingy.supply(stage));
    }

    private Color someColor() {
        return mely.colorAt(1 + chance.applyAsInt(colors));
    }

    /** Sends one more request, if there is budget left. */
    boolean begin() {
        return budget.getAndDecrement() > 0 && read.offer(someColor(), new Request());
    }

    private void read(Request request) {
        request.small = make("small", SMALL);
        ByteBuf scratch = make("scratch", 150);
        if (chance.applyAsInt(4) == 0) {
            free(make("small", SMALL)); // one more than it has declared
        }
        free(scratch);
        mix.send(someColor(), request);
    }

    private void mix(Request request) {
        if (chance.applyAsInt(4) != 0) {
            request.large = make("large", LARGE);
        }
        write.send(someColor(), request);
    }

    private void write(Request request) {
        free(make("reply", 250));
        freeSomewhere(request.small);
        if (request.large != null) {
            freeSomewhere(request.large);
        }
        done.incrementAndGet();
        boolean unused = begin();
    }

    private void freeSomewhere(ByteBuf buffer) {
        if (chance.applyAsInt(8) == 0) {
            toFree.add(buffer);
        } else {
            free(buffer);
        }
    }

    private ByteBuf make(String site, int bytes) {
        long number = numbers.incrementAndGet();
        ByteBuf buffer = allocator.at(site).buffer(bytes);
        allocated.incrementAndGet();
        buffer.setLong(0, number).setLong(bytes - Long.BYTES, number);
        return buffer;
    }

    void free(ByteBuf buffer) {
        if (buffer.getLong(0) != buffer.getLong(buffer.capacity() - Long.BYTES)) {
            wrong.compareAndSet(null, "overlap: " + buffer);
        }
        if (!buffer.release()) {
            wrong.compareAndSet(null, "held still: " + buffer);
        }
        released.incrementAndGet();
    }

    /** Frees what was left to others. */
    void freeRest() {
        for (ByteBuf buffer = toFree.poll(); buffer != null; buffer = toFree.poll()) {
            free(buffer);
        }
    }

    /** At any time: the accounts are sound, and no site has more in use than there are. */
    void check() {
        stingy.validate();
        for (StingyStats.SiteStats site : stingy.stats().sites()) {
            if (site.live() > site.count() || site.peak() > site.count() || site.live() < 0) {
                throw new AssertionError("more in use than there are: " + site);
            }
        }
        if (wrong.get() != null) {
            throw new AssertionError(wrong.get());
        }
    }

    /** When all has run and is freed: the books close. */
    void checkBooks() {
        check();
        long served = 0;
        long fallbacks = 0;
        for (StingyStats.SiteStats site : stingy.stats().sites()) {
            if (site.live() != 0 || site.guards() != 0) {
                throw new AssertionError("in use still, or too large: " + site);
            }
            served += site.served();
            fallbacks += site.fallbacks();
        }
        if (allocated.get() != released.get() || allocated.get() != served + fallbacks) {
            throw new AssertionError("allocated=" + allocated + ", released=" + released + ", served=" + served
                    + ", fallbacks=" + fallbacks);
        }
    }
}
