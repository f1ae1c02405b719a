// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A listening socket that somebody else has made: whether it is one, and of what kind. */
final class InheritedDescriptor {
    private InheritedDescriptor() {}

    /**
     * Checks it, and makes it as one of our own would be: non-blocking, closed by an exec, with TCP_NODELAY for what it accepts.
     *
     * @return its path if it is a Unix socket; null if it is of TCP
     * @throws IOException if it is no listening socket of streams
     */
    static @Nullable UnixPath check(int descriptor) throws IOException {
        if (!Posix.isAvailable()) {
            throw new IOException("native calls are not available: descriptor " + descriptor + " can't be used");
        }
        int domain = option(descriptor, Posix.SO_DOMAIN);
        boolean isKnown = domain == Posix.AF_UNIX || domain == Posix.AF_INET || domain == Posix.AF_INET6;
        if (!isKnown
                || option(descriptor, Posix.SO_TYPE) != Posix.SOCK_STREAM
                || option(descriptor, Posix.SO_ACCEPTCONN) == 0) {
            throw new IOException("no listening socket of streams: descriptor " + descriptor);
        }
        int flags = checked("fcntl", Posix.fcntl(descriptor, Posix.F_GETFL, 0));
        checked("fcntl", Posix.fcntl(descriptor, Posix.F_SETFL, flags | Posix.O_NONBLOCK));
        checked("fcntl", Posix.fcntl(descriptor, Posix.F_SETFD, Posix.FD_CLOEXEC));
        if (domain != Posix.AF_UNIX) {
            new Socket(descriptor).setTcpNoDelay(true);
            return null;
        }
        DomainSocketAddress address = new Socket(descriptor).localDomainSocketAddress();
        return new UnixPath(address == null ? "" : address.path(), Set.of());
    }

    private static int option(int descriptor, int option) throws IOException {
        int[] length = {Integer.BYTES};
        byte[] value = new byte[Integer.BYTES];
        checked("descriptor " + descriptor, Posix.getsockopt(descriptor, Posix.SOL_SOCKET, option, value, length));
        return java.nio.ByteBuffer.wrap(value)
                .order(java.nio.ByteOrder.nativeOrder())
                .getInt();
    }

    private static int checked(String call, int answer) throws IOException {
        if (answer < 0) {
            throw Posix.failure(call, Posix.errno());
        }
        return answer;
    }
}
