// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.files.NativeMemory;
import io.mely.sws.http.HeadFields;
import io.mely.sws.http.HeadLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// Output goes into the region or into ordinary memory, and what is in there when it leaves is what is written next.
class ExchangeRegionTest {
    private final NativeMemory memory = new NativeMemory(Long.MAX_VALUE);
    private final InputMemory inputs = new InputMemory(1 << 20);
    private final StingyBuffers stingy = StingyBuffers.of(SwsStingy.plan(20_000), 1); // of one request
    private final ExchangePool pool =
            new ExchangePool(new HeadLimits(100, 1_000, 10), new HeadFields(false, false, false), 0, memory, inputs, 2);
    private Exchange exchange;

    @BeforeEach
    void enter() {
        exchange = pool.take();
        stingy.enter(exchange);
        assertThat(live()).isEqualTo(1);
    }

    @AfterEach
    void everythingIsGivenBack() {
        pool.giveBack(exchange);
        assertThat(live()).isZero();
        pool.close();
        assertThat(memory.usedBytes()).isZero();
    }

    private int live() {
        return stingy.stingy().stats().site(SwsStingy.HEAD).live();
    }

    private void put(String text) {
        exchange.out().put(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String unwritten() {
        ByteBuffer out = exchange.out().duplicate().flip().position(exchange.written);
        return StandardCharsets.US_ASCII.decode(out).toString();
    }

    @Test
    void leaveRegion_takesAlongWhatIsNotWritten() {
        put("0123456789");
        exchange.written = 4;
        exchange.leaveRegion();
        assertThat(live()).isZero();
        assertThat(unwritten()).isEqualTo("456789");
        assertThat(exchange.mayEnterRegion()).as("with output").isFalse();
        put("abc");
        assertThat(unwritten()).isEqualTo("456789abc");
        exchange.clearOut();
        assertThat(exchange.hasOutput()).isFalse();
        stingy.enter(exchange);
        assertThat(live()).isEqualTo(1);
        assertThat(exchange.hasOutput()).isFalse();
        assertThat(exchange.out().remaining()).isEqualTo(Exchange.OUT_BYTES);
    }

    @Test
    void leaveRegion_whenAllIsWritten_leavesNothing() {
        put("x".repeat(Exchange.OUT_BYTES));
        exchange.written = Exchange.OUT_BYTES;
        exchange.leaveRegion();
        exchange.leaveRegion();
        assertThat(live()).isZero();
        assertThat(exchange.hasOutput()).isFalse();
        assertThat(exchange.written).isZero();
    }

    // What does not fit has memory of its own, which does not move.
    @Test
    void leaveRegion_withLargeOutput_keepsThat() {
        assertThat(exchange.hasRoom(100_000)).isTrue();
        put("y".repeat(100_000));
        exchange.written = 99_997;
        exchange.leaveRegion();
        assertThat(live()).isZero();
        assertThat(unwritten()).isEqualTo("yyy");
        exchange.clearOut();
        assertThat(exchange.out().capacity()).isEqualTo(Exchange.OUT_BYTES);
        put("z");
        assertThat(unwritten()).isEqualTo("z");
    }

    // The second finds none, and has ordinary memory; it finds the place when the first is done.
    @Test
    void enter_withoutRoom_isOrdinary() {
        Exchange second = pool.take();
        stingy.enter(second);
        assertThat(live()).isEqualTo(1);
        assertThat(stingy.stingy().stats().site(SwsStingy.HEAD).fallbacks()).isEqualTo(1);
        assertThat(second.hasRoom(Exchange.OUT_BYTES)).isTrue();
        exchange.leaveRegion();
        stingy.enter(second);
        assertThat(live()).isEqualTo(1);
        pool.giveBack(second);
        assertThat(live()).isZero();
    }
}
