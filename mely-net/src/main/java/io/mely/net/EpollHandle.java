// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;

/** A socket's descriptor on an epoll loop. */
abstract class EpollHandle extends LoopHandle implements EpollIoHandle {
    // epoll_event.events; Netty has no name for all of them
    static final int EPOLLIN = 0x1;
    static final int EPOLLPRI = 0x2;
    static final int EPOLLOUT = 0x4;
    static final int EPOLLERR = 0x8;
    static final int EPOLLHUP = 0x10;
    static final int EPOLLRDHUP = 0x2000;
    static final int EPOLLET = 1 << 31;

    final Socket socket;

    EpollHandle(CoreEventLoopGroup group, Socket socket) {
        super(group);
        this.socket = socket;
    }

    @Override
    public final FileDescriptor fd() {
        return socket;
    }

    @Override
    void closeDescriptor() throws IOException {
        socket.close();
    }

    /** The number of an exception of Netty's, &gt; 0; 0 if it has none. */
    static int errnoOf(IOException e) {
        return e instanceof NativeIoException known ? -known.expectedErr() : 0;
    }

    /** The exception to throw for one of Netty's. */
    static IOException translate(IOException e) {
        return Errno.isPeerGone(errnoOf(e)) ? new PeerGoneException(String.valueOf(e.getMessage()), e) : e;
    }
}
