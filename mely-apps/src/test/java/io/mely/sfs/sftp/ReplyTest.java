// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Replies that are thrown away take nothing else with them. */
class ReplyTest {
    private final Reply reply = new Reply();

    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    @Test
    void undo_whenAReplyIsBegun_keepsThoseBefore() {
        Replies.ok(reply, 1);
        ByteBuffer first = copy(reply.take());
        Replies.ok(reply, 1);
        reply.begin(Sftp.DATA, 2).putText("half");
        reply.undo();
        assertThat(copy(reply.take())).isEqualTo(first);
    }

    // A request may fail before it has begun its reply.
    @Test
    void undo_whenNoneIsBegun_changesNothing() {
        Replies.ok(reply, 1);
        reply.undo();
        ByteBuffer first = copy(reply.take());
        assertThat(first.remaining()).isEqualTo(Integer.BYTES + first.getInt(0));
        reply.undo();
        assertThat(reply.size()).isZero();
        Replies.ok(reply, 1);
        assertThat(copy(reply.take())).isEqualTo(first);
    }
}
