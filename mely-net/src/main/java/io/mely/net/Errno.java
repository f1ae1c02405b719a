// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

/** Linux's error numbers, the same on all architectures Netty has a native library for, and what they mean to a server. */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int ENXIO = 6;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EACCES = 13;
    static final int ENOTDIR = 20;
    static final int EINVAL = 22;
    static final int ENFILE = 23;
    static final int EMFILE = 24;
    static final int EPIPE = 32;
    static final int ENOSYS = 38;
    static final int ELOOP = 40;
    static final int ENONET = 64;
    static final int EPROTO = 71;
    static final int EOPNOTSUPP = 95;
    static final int EADDRINUSE = 98;
    static final int EADDRNOTAVAIL = 99;
    static final int ENETDOWN = 100;
    static final int ENETUNREACH = 101;
    static final int ENETRESET = 102;
    static final int ECONNABORTED = 103;
    static final int ECONNRESET = 104;
    static final int ENOBUFS = 105;
    static final int ENOTCONN = 107;
    static final int ETIMEDOUT = 110;
    static final int ECONNREFUSED = 111;
    static final int EHOSTDOWN = 112;
    static final int EHOSTUNREACH = 113;

    private Errno() {}

    /** The connection is lost, by the peer or on the way. */
    static boolean isPeerGone(int errno) {
        return switch (errno) {
            case EPIPE,
                    ENETDOWN,
                    ENETUNREACH,
                    ENETRESET,
                    ECONNABORTED,
                    ECONNRESET,
                    ENOTCONN,
                    ETIMEDOUT,
                    EHOSTDOWN,
                    EHOSTUNREACH -> true;
            default -> false;
        };
    }

    /** No descriptor, or no memory for one. */
    static boolean isOutOfDescriptors(int errno) {
        return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    }

    /** What accept passes on from a connection that died while it waited; accept(2) says: try again. */
    static boolean isAcceptTransient(int errno) {
        return switch (errno) {
            case EPERM,
                    EINTR,
                    ENONET,
                    EPROTO,
                    EOPNOTSUPP,
                    ENETDOWN,
                    ENETUNREACH,
                    ECONNABORTED,
                    ETIMEDOUT,
                    EHOSTDOWN,
                    EHOSTUNREACH -> true;
            default -> false;
        };
    }
}
