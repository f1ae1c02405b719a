// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells systemd, or whoever speaks its protocol, how the service is (sd_notify(3)): a datagram to the Unix socket that NOTIFY_SOCKET names. Does nothing if there is none.
 *
 * <p>A message that can't be sent is logged once; the service goes on.
 *
 * <p><b>Threads.</b> One. <b>Costs.</b> Three system calls a message.
 */
final class ServiceManager {
    /** Nobody listens. */
    static final ServiceManager NONE = new ServiceManager("", Duration.ZERO);

    private static final int PATH_BYTES_MAX = 108;
    private static final long NS_PER_US = 1_000;

    private final String address;
    private final Duration watchdog;
    private boolean isFailed;

    private ServiceManager(String address, Duration watchdog) {
        this.address = address;
        this.watchdog = watchdog;
    }

    /**
     * Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
     *
     * @param variables of the process
     * @param pid its number; a watchdog of another does not count
     */
    static ServiceManager of(Map<String, String> variables, long pid) {
        String address = variables.getOrDefault("NOTIFY_SOCKET", "");
        if (address.isEmpty()) {
            return NONE;
        }
        if (!address.startsWith("/") && !address.startsWith("@")) {
            return failed(address, "neither a path nor an abstract name");
        }
        if (address.getBytes(StandardCharsets.UTF_8).length > PATH_BYTES_MAX) {
            return failed(address, "too long");
        }
        String time = variables.getOrDefault("WATCHDOG_USEC", "");
        String watched = variables.get("WATCHDOG_PID");
        boolean isWatched =
                time.matches("[1-9][0-9]{0,14}") && (watched == null || watched.equals(String.valueOf(pid)));
        return new ServiceManager(
                address, isWatched ? Duration.ofNanos(Long.parseLong(time) * NS_PER_US) : Duration.ZERO);
    }

    private static ServiceManager failed(String address, String why) {
        log("NOTIFY_SOCKET=" + Text.escape(address) + ": " + why);
        return NONE;
    }

    /** It serves. */
    void ready(String status) {
        send("READY=1\nSTATUS=" + status + "\n");
    }

    /** It begins to read its configuration again. */
    void reloading() {
        // the clock of nanoTime is CLOCK_MONOTONIC where there is systemd
        send("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()) + "\n");
    }

    /** It has; how that went the log says. */
    void reloaded() {
        send("READY=1\n");
    }

    /** It ends. */
    void stopping() {
        send("STOPPING=1\n");
    }

    /** Whether it is missed if it is silent. */
    boolean isWatching() {
        return !watchdog.isZero();
    }

    /** It is well. */
    void alive() {
        send("WATCHDOG=1\n");
    }

    /** A time after which to look whether it is well: half of that in which it must say so, if that is shorter. */
    Duration lookAtLeast(Duration time) {
        Duration half = watchdog.dividedBy(2);
        return isWatching() && half.compareTo(time) < 0 ? half : time;
    }

    private void send(String message) {
        if (address.isEmpty()) {
            return;
        }
        String problem = trySend(message);
        if (problem != null && !isFailed) {
            isFailed = true;
            log("the service manager can't be told, NOTIFY_SOCKET=" + Text.escape(address) + ": " + problem);
        }
    }

    private @Nullable String trySend(String message) {
        try {
            Calls.send(address.getBytes(StandardCharsets.UTF_8), message.getBytes(StandardCharsets.UTF_8));
            return null;
        } catch (LastErrorException | LinkageError e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void log(String message) {
        // not a constant: the first logger must not be made before LogSetup
        System.getLogger(ServiceManager.class.getName()).log(Level.WARNING, message);
    }

    /** What the JDK has not: datagrams of Unix sockets. Linked when the first message is sent. */
    private static final class Calls {
        private static final int AF_UNIX = 1;
        private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
        private static final int MSG_NOSIGNAL = 0x4000;
        private static final int FAMILY_BYTES = 2;

        static {
            Native.register(Calls.class, Platform.C_LIBRARY_NAME);
        }

        static void send(byte[] name, byte[] message) {
            byte[] address = new byte[FAMILY_BYTES + name.length];
            address[java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN ? 0 : 1] = AF_UNIX;
            System.arraycopy(name, 0, address, FAMILY_BYTES, name.length);
            if (name[0] == '@') {
                address[FAMILY_BYTES] = 0; // an abstract name
            }
            int descriptor = socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
            try {
                long unused = sendto(descriptor, message, message.length, MSG_NOSIGNAL, address, address.length);
            } finally {
                int unused = close(descriptor);
            }
        }

        private static native int socket(int domain, int type, int protocol) throws LastErrorException;

        private static native long sendto(
                int descriptor, byte[] message, long length, int flags, byte[] address, int addressLength)
                throws LastErrorException;

        private static native int close(int descriptor) throws LastErrorException;
    }
}
