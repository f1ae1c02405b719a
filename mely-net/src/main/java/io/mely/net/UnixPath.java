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
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
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

    private static final Set<OpenOption> LOCK_OPTIONS =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    private static final FileAttribute<Set<PosixFilePermission>> LOCK_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

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

    /**
     * Makes the file and listens. Nobody can connect before, when it has its permissions.
     *
     * <p>One start at a time looks whether the file is stale, replaces it and listens, or two could find it stale and the second take it from the first: each holds the lock of
     * a file beside it, which ends with its process. That file stays: who removed it could remove one that another has just locked.
     */
    Socket listen(int backlog) throws IOException {
        if (path.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
            throw new BindException("longer than " + BYTES_MAX + " bytes: " + this);
        }
        synchronized (UnixPath.class) { // the lock is the process's, and ends when any thread closes the file
            try (FileChannel start = FileChannel.open(Path.of(path + ".lock"), LOCK_OPTIONS, LOCK_MODE)) {
                if (start.tryLock() == null) {
                    throw new BindException("another server is just starting there: " + this);
                }
                return listenLocked(backlog);
            } catch (BindException e) {
                throw e;
            } catch (IOException e) {
                throw failure(e);
            }
        }
    }

    private Socket listenLocked(int backlog) throws IOException {
        Socket socket = newSocket();
        boolean isBound = false;
        try {
            if (isTaken()) {
                throw new BindException("somebody listens there, or it is another file: " + this);
            }
            socket.bind(new DomainSocketAddress(path)); // Netty removes what is there
            Files.setPosixFilePermissions(Path.of(path), permissions);
            fileKey = attributes().fileKey();
            socket.listen(backlog);
            isBound = true;
            return socket;
        } finally {
            if (!isBound) {
                delete();
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
        int errno = EpollHandle.errnoOf(e);
        boolean isNoFolder = errno == Errno.ENOENT || errno == Errno.ENOTDIR || e instanceof NoSuchFileException;
        boolean isDenied = errno == Errno.EACCES || errno == Errno.EPERM || e instanceof AccessDeniedException;
        String reason = isNoFolder ? "no such folder: " : isDenied ? "may not be made: " : null;
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
