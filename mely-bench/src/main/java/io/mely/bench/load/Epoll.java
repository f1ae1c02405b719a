// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import com.sun.jna.LastErrorException;
import com.sun.jna.Platform;
import io.netty.channel.epoll.Native;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.FileDescriptor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A set of watched descriptors, edge-triggered. Netty's native library does all but the wait, whose events it keeps to itself: that is
 * bound here, for 0.1 us more a call, which has many events when it matters.
 *
 * <p><b>Threads.</b> One.
 */
final class Epoll implements Closeable {
    static final int IN = Native.EPOLLIN;
    static final int OUT = Native.EPOLLOUT;
    /** The peer has said its last, or is gone. */
    static final int GONE = Native.EPOLLRDHUP | Native.EPOLLERR | 0x10;

    private static final int EVENTS = 1_024;
    private static final int INTERRUPTED = 4;
    private static final long NS_PER_S = 1_000_000_000L;

    /** The calls of the C library. */
    private static final class Calls {
        static {
            com.sun.jna.Native.register(Calls.class, Platform.C_LIBRARY_NAME);
        }

        private Calls() {}

        /** Since Linux 5.11 and glibc 2.35: a time-out in nanoseconds. */
        @SuppressWarnings("checkstyle:MethodName")
        static native int epoll_pwait2(int epoll, long events, int max, long timeout, long mask)
                throws LastErrorException;
    }

    private final FileDescriptor epoll = Native.newEpollCreate();
    private final int eventBytes = Native.sizeofEpollEvent();
    private final int dataOffset = Native.offsetofEpollData();
    private final ByteBuffer events =
            ByteBuffer.allocateDirect(EVENTS * eventBytes).order(ByteOrder.nativeOrder());
    private final long eventsAddress = Buffer.memoryAddress(events);
    private final ByteBuffer timeout = ByteBuffer.allocateDirect(2 * Long.BYTES).order(ByteOrder.nativeOrder());
    private final long timeoutAddress = Buffer.memoryAddress(timeout);

    /** An empty set. The first one loads what it needs: so that nobody's clock runs then, it has waited once. */
    Epoll() throws IOException {
        await(0);
    }

    /** Watches a descriptor for all that may happen to it; closing it ends that. */
    void add(int fd) throws IOException {
        Native.epollCtlAdd(epoll.intValue(), fd, IN | OUT | Native.EPOLLRDHUP | Native.EPOLLET);
    }

    /**
     * Waits.
     *
     * @param timeoutNs at most; 0 only looks
     * @return number of events; 0 also if a signal came
     */
    int await(long timeoutNs) throws IOException {
        timeout.putLong(0, timeoutNs / NS_PER_S);
        timeout.putLong(Long.BYTES, timeoutNs % NS_PER_S);
        try {
            return Calls.epoll_pwait2(epoll.intValue(), eventsAddress, EVENTS, timeoutAddress, 0);
        } catch (LastErrorException e) {
            if (e.getErrorCode() == INTERRUPTED) {
                return 0;
            }
            throw new IOException("epoll_pwait2", e);
        }
    }

    int flags(int index) {
        return events.getInt(index * eventBytes);
    }

    int fd(int index) {
        return events.getInt(index * eventBytes + dataOffset);
    }

    @Override
    public void close() throws IOException {
        epoll.close();
    }
}
