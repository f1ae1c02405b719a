// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.mely.spi.Supply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Places with one buffer object each: they hold what is written, do not overlap, and are counted as allocations.
class StingyMemoryTest {
    private static final int HEAD = 0;
    private static final int LINE = 1;

    // One place of a line, and a cell that holds one head or ten lines.
    private final StingyPlan plan = StingyPlan.builder(1 << 16)
            .site("head", 601, 3, 0, 1)
            .site("line", 61, 21, 0, 1)
            .stage("parse", Map.of("head", 2))
            .build();
    private final Stingy stingy = Stingy.of(plan, 2);
    private final StingyMemory memory = new StingyMemory(stingy);

    @AfterEach
    void everythingIsGivenBack() {
        stingy.validate();
        assertThat(stingy.stats().sites()).allMatch(site -> site.live() == 0);
    }

    @Test
    void places_doNotOverlap_alsoWhereSitesShareAnArea() {
        List<Long> places = new ArrayList<>();
        places.add(memory.take(HEAD, 600));
        places.add(memory.take(HEAD, 600));
        for (int i = 0; i < 11; i++) {
            places.add(memory.take(LINE, 60));
        }
        assertThat(places).doesNotContain(StingyMemory.NONE).doesNotHaveDuplicates();
        for (int i = 0; i < places.size(); i++) {
            ByteBuffer buffer = memory.at(places.get(i), i < 2 ? 600 : 60);
            assertThat(buffer.remaining()).isEqualTo(i < 2 ? 600 : 60);
            while (buffer.hasRemaining()) {
                buffer.put((byte) i);
            }
        }
        for (int i = 0; i < places.size(); i++) {
            ByteBuffer buffer = memory.at(places.get(i), i < 2 ? 600 : 60);
            assertThat(buffer.get(0)).isEqualTo((byte) i);
            assertThat(buffer.get(buffer.limit() - 1)).isEqualTo((byte) i);
        }
        places.forEach(memory::give);
        // The cell of a head is one of lines now: of other buffers, as each has its own length.
        long place = memory.take(LINE, 60);
        assertThat(memory.at(place, 60).capacity()).isEqualTo(60);
        memory.give(place);
    }

    @Test
    void place_hasOneBufferForEver() {
        long held = memory.take(HEAD, 600);
        ByteBuffer first = memory.at(held, 600);
        memory.give(held);
        for (int i = 0; i < 100; i++) {
            long place = memory.take(HEAD, 600);
            ByteBuffer buffer = memory.at(place, 600);
            assertThat(buffer).isSameAs(first);
            assertThat(buffer.remaining()).as("empty again").isEqualTo(600);
            buffer.position(7).limit(8);
            memory.give(place);
        }
    }

    @Test
    void noneLeft_tooLarge_andTwiceGiven_areCounted() {
        long[] places = {memory.take(HEAD, 600), memory.take(HEAD, 600), memory.take(HEAD, 600)};
        assertThat(memory.take(HEAD, 600)).isEqualTo(StingyMemory.NONE);
        assertThat(memory.take(HEAD, 601)).isEqualTo(StingyMemory.NONE);
        StingyStats.SiteStats head = stingy.stats().site("head");
        assertThat(head.live()).isEqualTo(3);
        assertThat(head.served()).isEqualTo(3);
        assertThat(head.fallbacks()).isEqualTo(1);
        assertThat(head.guards()).isEqualTo(1);
        for (long each : places) {
            memory.give(each);
        }
        assertThatIllegalStateException().isThrownBy(() -> memory.give(places[0]));
    }

    // What a stage has taken for its event is what its handler finds, on the core of the event.
    @Test
    void take_findsWhatTheStageHas() {
        Supply supply = stingy.supply("parse");
        assertThat(supply.tryTake(1, 1)).isTrue();
        long[] places = {memory.take(HEAD, 600), memory.take(HEAD, 600)};
        assertThat(stingy.stats().site("head").undeclared()).isZero();
        long third = memory.take(HEAD, 600);
        assertThat(stingy.stats().site("head").undeclared()).isEqualTo(1);
        supply.giveBack(1);
        assertThat(supply.isAvailable(0)).isTrue();
        assertThat(supply.isAvailable(1)).isFalse();
        memory.give(third);
        for (long each : places) {
            memory.give(each);
        }
        assertThat(supply.isAvailable(1)).isTrue();
    }

    @Test
    void tryBuffer_isTheRegions_orNone() {
        StingyAllocator lines =
                stingy.allocator(UnpooledByteBufAllocator.DEFAULT).at("line");
        assertThat(lines.tryBuffer(61)).isNull();
        List<ByteBuf> all = new ArrayList<>();
        for (ByteBuf each = lines.tryBuffer(60); each != null; each = lines.tryBuffer(60)) {
            assertThat(each.maxCapacity()).isEqualTo(60);
            all.add(each);
        }
        assertThat(all).hasSize(21);
        all.forEach(ByteBuf::release);
    }
}
