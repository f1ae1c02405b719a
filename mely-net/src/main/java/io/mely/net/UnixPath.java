// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.channel.ChannelException;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of a Unix socket.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class UnixPath {
    /** Of whoever connects: there are no addresses. */
    static final InetSocketAddress PEER = new InetSocketAddress(loopback(), 0);

    /** {@code sun_path} without its zero, and a byte less: the JDK, which tries whether somebody listens, takes no more. */
    private static final int BYTES_MAX = 106;

    /** Of {@code st_mode}: the type of a file, and a socket's. */
    private static final int TYPE_MASK = 0170000;

    private static final int SOCKET = 0140000;

    private static final Logger LOGGER = System.getLogger(UnixPath.class.getName());

    private final String path;
    private final Set<PosixFilePermission> permissions;

    /** What was made, to be removed; null: it is another's. */
    private @Nullable Object fileKey;

    /** To be bound, with the permissions to give. */
    UnixPath(String path, Set<PosixFilePermission> permissions) {
        this.path = path;
        this.permissions = Set.copyOf(permissions);
    }

    private static InetAddress loopback() {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException impossible) {
            throw new AssertionError("4 bytes are an address", impossible);
        }
    }

    /** Makes the file. Nobody can connect before it listens, when it has its permissions. */
    Socket bind() throws IOException {
        if (path.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
            throw new BindException("longer than " + BYTES_MAX + " bytes: " + this);
        }
        Socket socket = newSocket();
        boolean isBound = false;
        try {
            if (isTaken()) {
                throw new BindException("somebody listens there, or it is another file: " + this);
            }
            socket.bind(new DomainSocketAddress(path)); // Netty removes what is there
            Files.setPosixFilePermissions(Path.of(path), permissions);
            fileKey = attributes().fileKey();
            isBound = true;
            return socket;
        } catch (BindException e) {
            throw e;
        } catch (IOException e) {
            throw failure(e);
        } finally {
            if (!isBound) {
                socket.close();
            }
        }
    }

    private static Socket newSocket() throws IOException {
        try {
            return Socket.newSocketDomain();
        } catch (ChannelException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
    }

    private BasicFileAttributes attributes() throws IOException {
        return Files.readAttributes(Path.of(path), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether there is anything but a socket that nobody listens at. */
    private boolean isTaken() throws IOException {
        Path file = Path.of(path);
        try {
            Object mode = Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if (!(mode instanceof Integer bits) || (bits & TYPE_MASK) != SOCKET) {
                return true;
            }
        } catch (NoSuchFileException free) {
            return false;
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false); // a full backlog must not hold up the start
            return !isRefused(probe, file);
        }
    }

    /**
     * Whether the kernel says that nobody listens. The JDK has its ConnectException for ECONNREFUSED only, where the socket is a Unix one; Netty has it for EAGAIN of a full
     * backlog, EACCES and EPROTOTYPE too.
     */
    private static boolean isRefused(SocketChannel probe, Path file) {
        try {
            probe.connect(UnixDomainSocketAddress.of(file));
            return false;
        } catch (ConnectException refused) {
            return true;
        } catch (IOException another) {
            return false;
        }
    }

    private IOException failure(IOException e) {
        String reason = switch (EpollHandle.errnoOf(e)) {
            case Errno.ENOENT, Errno.ENOTDIR -> "no such folder: ";
            case Errno.EACCES, Errno.EPERM -> "may not be made: ";
            default -> null;
        };
        if (reason == null) {
            return new IOException("cannot listen at " + this + ": " + e.getMessage(), e);
        }
        BindException failure = new BindException(reason + this);
        failure.initCause(e);
        return failure;
    }

    /** Removes the file if it is still the one that was made: a successor may have replaced it. */
    void delete() {
        Object mine = fileKey;
        fileKey = null;
        try {
            if (mine != null && mine.equals(attributes().fileKey())) {
                Files.deleteIfExists(Path.of(path));
            }
        } catch (NoSuchFileException gone) {
            // as it should be
        } catch (IOException e) {
            LOGGER.log(Logger.Level.DEBUG, "could not be removed: " + this, e);
        }
    }

    /** As {@link ColoredListener#name} says it. */
    @Override
    public String toString() {
        return "unix:" + path;
    }
}
