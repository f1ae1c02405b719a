// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

// Property: what was put in comes out, whatever the pieces, and no more memory is taken than was announced or has come.
class RequestBodyTest {
    private static final int BYTES = 300_000;

    private final InputMemory memory = new InputMemory(4 << 20).forBodies();

    @Test
    void body_comesOutAsItWentIn() throws IOException {
        byte[] sent = new byte[BYTES];
        Random random = new Random(3);
        random.nextBytes(sent);
        RequestBody body = new RequestBody(memory);
        for (int at = 0; at < BYTES; ) {
            int n = Math.min(BYTES - at, 1 + random.nextInt(9_000));
            assertThat(body.take(sent, at, n, n)).isTrue();
            at += n;
        }
        assertThat(body.bytes()).isEqualTo(BYTES);
        assertThat(body.stream().readAllBytes()).isEqualTo(sent);
        assertThat(memory.usedBytes()).isBetween((long) BYTES, (long) BYTES + (64 << 10));
        body.release();
        assertThat(memory.usedBytes()).isZero();
    }

    // A client that announces a large body and sends a byte of it holds one piece.
    @Test
    void announcedBytes_takeNoMemoryBeforeTheyCome() {
        RequestBody body = new RequestBody(memory);
        assertThat(body.take(new byte[1], 0, 1, 1 << 30)).isTrue();
        assertThat(memory.usedBytes()).isEqualTo(64 << 10);
        body.release();
    }

    // Chunks of one byte do not make pieces of one byte.
    @Test
    void tinyRanges_shareAPiece() throws IOException {
        RequestBody body = new RequestBody(memory);
        for (int i = 0; i < 1_000; i++) {
            assertThat(body.take(new byte[] {(byte) i}, 0, 1, 1)).isTrue();
        }
        assertThat(memory.usedBytes()).isEqualTo(1 << 10);
        assertThat(body.stream().read()).isZero();
        assertThat(body.stream().skip(5_000)).isEqualTo(999);
        body.release();
    }

    @Test
    void take_refusesBeyondTheMemory_whichIsGivenBack() {
        InputMemory whole = new InputMemory(200 << 10);
        RequestBody body = new RequestBody(whole.forBodies());
        byte[] range = new byte[64 << 10];
        assertThat(body.take(range, 0, range.length, range.length)).isTrue();
        assertThat(body.take(range, 0, range.length, range.length)).isFalse();
        assertThat(whole.usedBytes()).isEqualTo(64 << 10);
        body.release();
        assertThat(whole.usedBytes()).isZero();
    }

    @Test
    void intake_refusesANegativeLimit() {
        assertThatIllegalArgumentException().isThrownBy(() -> Intake.upTo(-1)).withMessageContaining("bytesMax=-1");
    }
}
