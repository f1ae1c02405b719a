// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mely.spi.Supply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.internal.PlatformDependent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Netty's side of the regions: what comes from where, and goes back there.
class StingyAllocatorTest {
    private final UnpooledByteBufAllocator fallback = new UnpooledByteBufAllocator(true);
    private final StingyPlan plan = StingyPlan.builder(1 << 20)
            .site("read", 148, 3, 0)
            .site("page", 4097, 2, 1)
            .stage("parse", Map.of("read", 2))
            .build();
    private final Stingy stingy = Stingy.of(plan, 2);
    private final StingyAllocator reads = stingy.allocator(fallback).at("read");
    private final StingyAllocator pages = stingy.allocator(fallback).at("page");

    @AfterEach
    void everythingIsGivenBack() {
        StingyAlloc.use(null);
        stingy.validate();
        assertThat(read().live() + page().live()).isZero();
        assertThat(elsewhere()).isZero();
    }

    private StingyStats.SiteStats read() {
        return stingy.stats().site("read");
    }

    private StingyStats.SiteStats page() {
        return stingy.stats().site("page");
    }

    private long elsewhere() {
        return fallback.metric().usedDirectMemory() + fallback.metric().usedHeapMemory();
    }

    // spec Stingy §9, check 6: the guard is strict, and what is freed goes to its owner.
    @Test
    void guard_isStrict_andFreesGoToTheirOwner() {
        ByteBuf pooled = reads.buffer(147);
        assertThat(read().live()).isEqualTo(1);
        assertThat(elsewhere()).isZero();
        ByteBuf exact = reads.buffer(148);
        ByteBuf larger = reads.buffer(149);
        assertThat(read().live()).isEqualTo(1);
        assertThat(elsewhere()).isGreaterThanOrEqualTo(148 + 149);
        assertThat(read().guards()).isEqualTo(2);
        pooled.release();
        assertThat(read().live()).isZero();
        assertThat(elsewhere()).isGreaterThanOrEqualTo(148 + 149);
        exact.release();
        larger.release();
        assertThat(elsewhere()).isZero();
    }

    // spec Stingy §9, check 3: never more than there are.
    @Test
    void noneLeft_comesFromElsewhere_andIsCounted() {
        List<ByteBuf> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(reads.buffer(100));
        }
        assertThat(read().live()).isEqualTo(3);
        assertThat(read().peak()).isEqualTo(3);
        assertThat(read().served()).isEqualTo(3);
        assertThat(read().fallbacks()).isEqualTo(2);
        assertThat(read().refused()).isEqualTo(2);
        assertThat(read().count()).isEqualTo(6);
        all.remove(0).release();
        all.add(reads.buffer(100));
        assertThat(read().served()).isEqualTo(4);
        all.forEach(ByteBuf::release);
    }

    @Test
    void buffersOfARegion_keepApart() {
        List<ByteBuf> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(reads.buffer(147).writeZero(147));
        }
        all.add(pages.buffer(4096).writeZero(4096));
        for (int i = 0; i < all.size(); i++) {
            all.get(i).setBytes(0, ("buffer " + i).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        }
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).toString(0, 8, java.nio.charset.StandardCharsets.US_ASCII))
                    .isEqualTo("buffer " + i);
        }
        all.forEach(ByteBuf::release);
    }

    @Test
    void newBuffer_isAsAny() {
        ByteBuf buffer = pages.buffer(100, 200);
        assertThat(buffer.capacity()).isEqualTo(100);
        assertThat(buffer.maxCapacity()).isEqualTo(200);
        assertThat(buffer.readableBytes()).isZero();
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffer.isDirect()).isTrue();
        assertThat(buffer.alloc()).isSameAs(pages);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.getByte(100));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.setLong(93, 1));
        buffer.release();
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(() -> buffer.getByte(0));
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(buffer::release);
        assertThatIllegalArgumentException().isThrownBy(() -> pages.buffer(-1));
    }

    // It grows in its place while it is smaller than declared, and then goes on elsewhere with what it holds.
    @Test
    void growth_staysInItsPlaceAsLongAsItFits() {
        ByteBuf buffer = pages.buffer(16);
        for (int i = 0; i < 1024; i++) {
            buffer.writeInt(i);
        }
        assertThat(buffer.capacity()).isEqualTo(4096);
        assertThat(elsewhere()).isZero();
        assertThat(page().live()).isEqualTo(1);
        buffer.writeInt(1024);
        assertThat(page().live()).as("its place is free").isZero();
        assertThat(page().guards()).isEqualTo(1);
        assertThat(elsewhere()).isPositive();
        buffer.writeZero(20_000);
        for (int i = 0; i <= 1024; i++) {
            assertThat(buffer.readInt()).isEqualTo(i);
        }
        assertThat(page().guards()).isEqualTo(1);
        buffer.release();
    }

    @Test
    void shrunk_staysInItsPlace() {
        ByteBuf buffer = pages.buffer(4000).writeZero(3000);
        buffer.setInt(0, 7);
        buffer.capacity(8);
        assertThat(buffer.writerIndex()).isEqualTo(8);
        assertThat(buffer.getInt(0)).isEqualTo(7);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.getByte(8));
        assertThat(page().live()).isEqualTo(1);
        buffer.release();
    }

    @Test
    void slicesRetainsAndComposites_countAsNettys() {
        ByteBuf buffer = pages.buffer(100).writeZero(100);
        ByteBuf slice = buffer.retainedSlice(10, 20);
        ByteBuf duplicate = buffer.retainedDuplicate();
        CompositeByteBuf composite = pages.compositeBuffer().addComponent(true, slice);
        buffer.release();
        duplicate.release();
        assertThat(page().live()).isEqualTo(1);
        composite.setByte(0, 42);
        assertThat(slice.getByte(0)).isEqualTo((byte) 42);
        composite.release();
        assertThat(page().live()).isZero();
    }

    // Where Netty has no Unsafe its buffers are of another class.
    @Test
    void bothKindsOfBuffers_growAndOutgrowTheirPlace() {
        assertThat(reads.buffer(1).release()).isTrue(); // the thread's region is the first one
        for (boolean isUnsafe : new boolean[] {false, PlatformDependent.hasUnsafe()}) {
            StingyRegion region = stingy.region(0);
            long guards = read().guards();
            StingyPlace place = new StingyPlace(stingy, region, 0, region.take(0), fallback);
            ByteBuf buffer = isUnsafe
                    ? new StingyUnsafeBuffer(place, reads, 100, 1_000)
                    : new StingyBuffer(place, reads, 100, 1_000);
            buffer.writeLong(0x0102030405060708L).setLong(92, -1);
            assertThat(buffer.capacity(147).getLong(0)).isEqualTo(0x0102030405060708L);
            assertThat(read().live()).isEqualTo(1);
            assertThat(buffer.capacity(148).getLong(92)).isEqualTo(-1);
            assertThat(read().live()).isZero();
            assertThat(read().guards()).isEqualTo(guards + 1);
            assertThat(buffer.readLong()).isEqualTo(0x0102030405060708L);
            assertThat(buffer.release()).isTrue();
            assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(() -> buffer.getLong(0));
        }
    }

    @Test
    void release_onAnotherThread_returnsItToItsRegion() {
        ByteBuf buffer = reads.buffer(10);
        CompletableFuture.runAsync(buffer::release).join();
        assertThat(read().live()).isZero();
    }

    @Test
    void noSite_unknownSite_andHeap_comeFromElsewhere() {
        List<ByteBuf> all = List.of(
                stingy.allocator(fallback).buffer(10),
                stingy.allocator(fallback).at(7).buffer(10),
                reads.heapBuffer(10));
        assertThat(stingy.stats().unknownSites()).isEqualTo(2);
        assertThat(all.get(2).hasArray()).isTrue();
        assertThat(read().served()).isZero();
        all.forEach(ByteBuf::release);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reads.at("reed"))
                .withMessageContaining("site=reed, plan=[read, page]");
    }

    // What a handler's stage took is the handler's: others find none, it cannot fail, and the rest is given back.
    @Test
    void handler_allocatesWhatItsStageTook() {
        Supply supply = stingy.supply("parse");
        assertThat(supply.tryTake(1, 1)).isTrue();
        assertThat(supply.isAvailable(1)).isFalse();
        ByteBuf kept = reads.buffer(10);
        assertThat(read().live()).isEqualTo(2);
        supply.giveBack(1);
        assertThat(read().live()).isEqualTo(1);
        assertThat(supply.isAvailable(1)).isTrue();
        assertThat(read().served()).isEqualTo(1);
        assertThat(read().undeclared()).isZero();
        kept.release();
    }

    // spec Stingy §9, check 8: with three, a batch of two events that need two each is refused, and nothing is taken.
    @Test
    void batch_isTakenWholeOrNotAtAll() {
        Supply supply = stingy.supply("parse");
        assertThat(supply.tryTake(0, 2)).isFalse();
        assertThat(read().live()).isZero();
        assertThat(read().served()).isZero();
        assertThat(supply.tryTake(0, 1)).isTrue();
        supply.giveBack(0);
    }

    @Test
    void handler_thatAllocatesMoreThanDeclared_isSeen() {
        Supply supply = stingy.supply("parse");
        assertThat(supply.tryTake(0, 1)).isTrue();
        List<ByteBuf> all = List.of(reads.buffer(1), reads.buffer(1), reads.buffer(1), pages.buffer(1));
        assertThat(read().undeclared()).isEqualTo(1);
        assertThat(page().undeclared()).isEqualTo(1);
        supply.giveBack(0);
        all.forEach(ByteBuf::release);
        supply.pass(0);
        ByteBuf passed = pages.buffer(1);
        supply.giveBack(0);
        passed.release();
        assertThat(page().undeclared()).isEqualTo(1);
        assertThat(stingy.stats().passed()).isEqualTo(Map.of("parse", 1L));
    }

    @Test
    void rewrittenCode_usesTheRegionsOfTheProcess() {
        ByteBuf before = StingyAlloc.buffer(fallback, 0, 10);
        assertThat(read().served()).isZero();
        StingyAlloc.use(stingy);
        ByteBuf after = StingyAlloc.buffer(fallback, 0, 10);
        ByteBuf large = StingyAlloc.buffer(fallback, 0, 148);
        ByteBuf unknown = StingyAlloc.buffer(fallback, 9, 10);
        assertThat(read().served()).isEqualTo(1);
        assertThat(after.alloc()).isSameAs(fallback);
        assertThatIllegalArgumentException().isThrownBy(() -> StingyAlloc.buffer(fallback, 0, -1));
        List.of(before, after, large, unknown).forEach(ByteBuf::release);
    }

    @Test
    void leakDetection_seesTheBuffers() {
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        try {
            ByteBuf buffer = reads.buffer(10);
            assertThat(buffer.getClass().getSimpleName()).contains("LeakAware");
            buffer.touch("here").release();
            assertThat(read().live()).isZero();
        } finally {
            ResourceLeakDetector.setLevel(before);
        }
    }

    // Whatever is done to it, it holds what a heap buffer does to which the same is done.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomCalls_doWhatAHeapBufferDoes(long seed) {
        Random random = new Random(seed);
        ByteBuf buffer = pages.buffer(64);
        ByteBuf expected = Unpooled.buffer(64);
        for (int i = 0; i < 3_000; i++) {
            change(random, buffer, expected);
            assertThat(buffer.writerIndex()).isEqualTo(expected.writerIndex());
            assertThat(buffer.readerIndex()).isEqualTo(expected.readerIndex());
        }
        assertThat(ByteBufUtil.equals(buffer, expected)).isTrue();
        ByteBuf copy = buffer.copy();
        assertThat(copy).isEqualTo(expected);
        copy.release();
        buffer.release();
    }

    private static void change(Random random, ByteBuf buffer, ByteBuf expected) {
        int value = random.nextInt();
        switch (random.nextInt(8)) {
            case 0 -> {
                buffer.writeInt(value);
                expected.writeInt(value);
            }
            case 1 -> {
                buffer.writeLongLE(value);
                expected.writeLongLE(value);
            }
            case 2 -> {
                byte[] bytes = new byte[random.nextInt(100)];
                random.nextBytes(bytes);
                buffer.writeBytes(bytes);
                expected.writeBytes(bytes);
            }
            case 3 -> {
                int bytes = Math.min(expected.readableBytes(), random.nextInt(100));
                assertThat(buffer.readBytes(new byte[bytes]).readerIndex())
                        .isEqualTo(expected.skipBytes(bytes).readerIndex());
            }
            case 4 -> {
                buffer.discardReadBytes();
                expected.discardReadBytes();
            }
            case 5 -> {
                if (expected.writerIndex() >= 8) {
                    int at = random.nextInt(expected.writerIndex() - 7);
                    buffer.setMedium(at, value).setShortLE(at + 4, value);
                    expected.setMedium(at, value).setShortLE(at + 4, value);
                    assertThat(buffer.getLong(at)).isEqualTo(expected.getLong(at));
                }
            }
            case 6 -> {
                if (random.nextInt(20) == 0) {
                    buffer.clear();
                    expected.clear();
                }
            }
            default -> {
                int capacity = Math.max(expected.writerIndex(), random.nextInt(6_000));
                buffer.capacity(capacity);
                expected.capacity(capacity);
            }
        }
    }
}
