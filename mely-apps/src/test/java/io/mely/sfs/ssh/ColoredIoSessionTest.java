// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.net.ColoredSocket;
import io.mely.net.CoreEventLoopGroup;
import io.mely.spi.NanoClock;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.apache.sshd.common.io.IoHandler;
import org.apache.sshd.common.io.IoSession;
import org.apache.sshd.common.util.Readable;
import org.apache.sshd.common.util.buffer.ByteArrayBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection whose other end does not read. */
@Timeout(60)
class ColoredIoSessionTest {
    private static final int REPLY_BYTES = 1000;

    private int room;
    private int reads;
    private int writtenBytes;

    /** Has bytes whenever it is asked, and takes as many as there is room for. */
    private final ColoredSocket socket = (ColoredSocket) Proxy.newProxyInstance(
            ColoredIoSessionTest.class.getClassLoader(),
            new Class<?>[] {ColoredSocket.class},
            (self, method, given) -> {
                switch (method.getName()) {
                    case "read" -> {
                        reads++;
                        ((ByteBuffer) given[0]).put((byte) 1);
                        return 1;
                    }
                    case "write" -> {
                        ByteBuffer bytes = (ByteBuffer) given[0];
                        int n = Math.min(room, bytes.remaining());
                        bytes.position(bytes.position() + n);
                        room -= n;
                        writtenBytes += n;
                        return n;
                    }
                    case "remoteAddress" -> {
                        return InetSocketAddress.createUnresolved("client", 1);
                    }
                    default -> {
                        return null; // no answer is asked of the others
                    }
                }
            });

    /** Answers whatever comes. */
    private static final class Echo implements IoHandler {
        @Override
        public void sessionCreated(IoSession session) {}

        @Override
        public void sessionClosed(IoSession session) {}

        @Override
        public void exceptionCaught(IoSession session, Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void messageReceived(IoSession session, Readable message) throws Exception {
            session.writeBuffer(new ByteArrayBuffer(new byte[REPLY_BYTES]));
        }
    }

    private static final class OpenGate implements ColoredIoService.Gate {
        @Override
        public void copied(int bytes) {}

        @Override
        public boolean mayEnter(InetSocketAddress peer) {
            return true;
        }

        @Override
        public void entered(ColoredIoSession session) {}

        @Override
        public void ended(ColoredIoSession session) {}

        @Override
        public void left(ColoredIoSession session) {}
    }

    // Who sends and does not read is not read any more: what is kept for it is what one event has answered.
    @Test
    void read_whileRepliesWait_isPutOffUntilTheyHaveGone() {
        CoreEventLoopGroup group = CoreEventLoopGroup.nio();
        try (Mely mely = Mely.builder().cores(1).pollers(group).build()) {
            ColoredIoService service = new ColoredIoService(mely, group, NanoClock.SYSTEM, new OpenGate(), 1);
            service.createAcceptor(new Echo());
            mely.start();
            ColoredIoSession session = new ColoredIoSession(service, socket, mely.color(7), 1);
            CompletableFuture.runAsync(() -> check(session), session.color()).join();
        }
    }

    private void check(ColoredIoSession session) {
        session.admit();
        assertThat(reads).isEqualTo(1);
        assertThat(session.isFull()).isTrue();
        for (int i = 0; i < 100; i++) {
            session.readable();
        }
        assertThat(reads).isEqualTo(1);
        room = REPLY_BYTES - 1; // not enough
        session.writable();
        assertThat(reads).isEqualTo(1);
        room = 2 * REPLY_BYTES;
        session.writable();
        assertThat(reads).isEqualTo(2);
        assertThat(writtenBytes).isEqualTo(2 * REPLY_BYTES);
        assertThat(session.isFull()).isFalse();
        session.writable(); // nothing was put off
        assertThat(reads).isEqualTo(2);
    }
}
