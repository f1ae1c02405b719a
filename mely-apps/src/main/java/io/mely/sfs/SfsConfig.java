// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import io.mely.Stealing;
import io.mely.sfs.ssh.Algorithms;
import io.mely.sfs.ssh.HostKeys;
import io.mely.sfs.users.User;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything an SFTP server can be told. Immutable; start from {@link #builder}, which has all defaults.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field and the value that is out of range.
 *
 * @param users who may log in, each name once, at least one
 * @param passwordFile bcrypt hashes of passwords; null if nobody has a password
 * @param strictModes true takes keys only from files that nobody but root and the server's user could have changed
 * @param hostKeys folder of the server's keys; those that are not there are made
 * @param hostKeyTypes kinds of keys the server has, the first preferred, at least one
 * @param ciphers names in SSH of the ciphers that clients may choose from, at least one
 * @param bind address and port to listen on; port 0 lets the system choose
 * @param cores number of Mely cores; 0 = one per CPU this process may use
 * @param pinned true binds each core's thread to a CPU; false lets the kernel move it
 * @param stealing which stealing heuristics are on
 * @param transport how sockets are watched
 * @param backlog connections the kernel may queue before they are accepted, &gt;= 1
 * @param maxConnections most connections at once, &gt;= 1; one more is closed
 * @param addressConnectionsMax most connections of one client address at once, &gt;= 0; one more is closed; 0 = unlimited
 * @param userConnectionsMax most connections of one user at once, &gt;= 0; one more is disconnected; 0 = unlimited
 * @param loginsMax most connections at once that have not logged in yet, &gt;= 1; for one more the oldest of the client address with most of them is closed
 * @param channelsMax most SFTP conversations of one connection at once, &gt;= 1
 * @param handlesMax most open files and folders of one conversation, &gt;= 1
 * @param userHandlesMax most open files and folders of one user, in all conversations of all connections, &gt;= 0; the root of each conversation is one; 0 = unlimited
 * @param loginTimeout how long a client may take to log in, &gt; 0
 * @param idleTimeout how long a client that has logged in may be silent, &gt;= 0; 0 = for ever
 * @param loginTries tries to log in on one connection, &gt;= 1; each key that a client offers is one
 * @param loginFailureDelay how long the answer to a wrong password is held back, &gt;= 0
 * @param banAfter failed logins of a client address after which it is banned, &gt;= 0; 0 = never
 * @param banForget time in which one failed login is forgotten, &gt; 0
 * @param banTime how long an address is banned, &gt; 0
 * @param banAddressesMax most addresses whose failed logins are remembered, &gt;= 1
 * @param symlinks true follows symbolic links, which end at the root; false refuses any path with a link in it
 * @param umask permissions that new files and folders do not get, 0 to 0777
 * @param atomicUploads true gives a new file its name only when the client has closed it
 * @param defaultColor true runs all requests in the default color, as the paper's server does; false those that change something in a color of the file, or of the user and the name, and those that need not wait in the client's color
 * @param sliceBytes most bytes of replies of one client before other clients of that core get their turn, 32 KiB to 16 MiB
 * @param drainDeadline how long {@code SfsServer.close} lets transfers go on when the caller says nothing else, &gt;= 0
 * @param auditLog file that a line is written to for each thing that somebody did; "-" is standard error, and empty none
 * @param auditLogRotateBytes size at which the file is rotated, &gt;= 0; 0 = never
 * @param auditLogRotateEvery the same at the end of each such time, counted from 1970 in UTC, &gt;= 0; 0 = never
 * @param auditLogKeep rotated files that are kept, 0 to 1000
 */
public record SfsConfig(
        List<User> users,
        @Nullable Path passwordFile,
        boolean strictModes,
        Path hostKeys,
        List<HostKeys.Type> hostKeyTypes,
        List<String> ciphers,
        InetSocketAddress bind,
        int cores,
        boolean pinned,
        Stealing stealing,
        Transport transport,
        int backlog,
        int maxConnections,
        int addressConnectionsMax,
        int userConnectionsMax,
        int loginsMax,
        int channelsMax,
        int handlesMax,
        int userHandlesMax,
        Duration loginTimeout,
        Duration idleTimeout,
        int loginTries,
        Duration loginFailureDelay,
        int banAfter,
        Duration banForget,
        Duration banTime,
        int banAddressesMax,
        boolean symlinks,
        int umask,
        boolean atomicUploads,
        boolean defaultColor,
        int sliceBytes,
        Duration drainDeadline,
        String auditLog,
        long auditLogRotateBytes,
        Duration auditLogRotateEvery,
        int auditLogKeep) {

    /** How sockets are watched. */
    public enum Transport {
        /** Epoll where there is a native library for this machine, NIO elsewhere. */
        AUTO,
        /** Linux epoll; the start fails where it is not available. */
        EPOLL,
        /** The JDK's selector. */
        NIO
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException naming the field that is out of range
     */
    public SfsConfig {
        users = List.copyOf(users);
        hostKeyTypes = List.copyOf(hostKeyTypes);
        ciphers = List.copyOf(ciphers);
        Objects.requireNonNull(hostKeys, "hostKeys");
        Objects.requireNonNull(bind, "bind");
        Objects.requireNonNull(stealing, "stealing");
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(auditLog, "auditLog");
        check(!users.isEmpty(), "users must have at least one", "users", users);
        Set<String> names = new HashSet<>();
        for (User each : users) {
            check(names.add(each.name()), "users must have each name once", "users", each.name());
        }
        check(!hostKeyTypes.isEmpty(), "hostKeyTypes must have at least one", "hostKeyTypes", hostKeyTypes);
        check(!ciphers.isEmpty(), "ciphers must have at least one", "ciphers", ciphers);
        for (String each : ciphers) {
            check(
                    Algorithms.cipherNames().contains(each),
                    "ciphers must be of " + Algorithms.cipherNames(),
                    "ciphers",
                    each);
        }
        check(!bind.isUnresolved(), "bind must be an address that resolves", "bind", bind);
        range("cores", cores, 0, 1024);
        range("backlog", backlog, 1, Integer.MAX_VALUE);
        range("maxConnections", maxConnections, 1, 1 << 20);
        range("addressConnectionsMax", addressConnectionsMax, 0, 1 << 20);
        range("userConnectionsMax", userConnectionsMax, 0, 1 << 20);
        range("loginsMax", loginsMax, 1, 1 << 20);
        range("channelsMax", channelsMax, 1, 1024);
        range("handlesMax", handlesMax, 1, 1 << 16);
        range("userHandlesMax", userHandlesMax, 0, 1 << 20);
        time("loginTimeout", loginTimeout, Duration.ofMillis(1));
        time("idleTimeout", idleTimeout, Duration.ZERO);
        range("loginTries", loginTries, 1, 1000);
        time("loginFailureDelay", loginFailureDelay, Duration.ZERO);
        range("banAfter", banAfter, 0, 1 << 20);
        time("banForget", banForget, Duration.ofMillis(1));
        time("banTime", banTime, Duration.ofMillis(1));
        range("banAddressesMax", banAddressesMax, 1, 1 << 24);
        range("umask", umask, 0, 0777);
        range("sliceBytes", sliceBytes, 32 << 10, 16 << 20);
        time("drainDeadline", drainDeadline, Duration.ZERO);
        range("auditLogRotateBytes", auditLogRotateBytes, 0, Long.MAX_VALUE);
        check(
                !auditLogRotateEvery.isNegative(),
                "auditLogRotateEvery must be >= 0",
                "auditLogRotateEvery",
                auditLogRotateEvery);
        range("auditLogKeep", auditLogKeep, 0, 1000);
    }

    private static void check(boolean isValid, String rule, String field, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + field + "=" + value);
        }
    }

    private static void range(String field, long value, long min, long max) {
        check(value >= min && value <= max, field + " must be " + min + " to " + max, field, value);
    }

    private static void time(String field, Duration value, Duration min) {
        boolean isValid = value.compareTo(min) >= 0 && value.compareTo(Builder.TIME_MAX) <= 0;
        check(isValid, field + " must be " + min + " to " + Builder.TIME_MAX, field, value);
    }

    /**
     * Starts a configuration.
     *
     * @param users who may log in
     * @param hostKeys folder of the server's keys
     * @return a builder with the defaults
     */
    public static Builder builder(List<User> users, Path hostKeys) {
        return new Builder(users, hostKeys);
    }

    /**
     * Collects values; {@link #build} checks them.
     *
     * <p><b>Threads.</b> Not safe for use by several.
     */
    public static final class Builder {
        /** Longest time. */
        public static final Duration TIME_MAX = Duration.ofDays(1);
        /** Default of {@link SfsConfig#bind}: what sshd's port is called when it is taken. */
        public static final int PORT = 2222;
        /** Default of {@link SfsConfig#strictModes}, OpenSSH's StrictModes. */
        public static final boolean STRICT_MODES = true;
        /** Default of {@link SfsConfig#hostKeyTypes}. */
        public static final List<HostKeys.Type> HOST_KEY_TYPES = List.of(HostKeys.Type.ED25519);
        /** Default of {@link SfsConfig#ciphers}. */
        public static final List<String> CIPHERS =
                List.of("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes256-ctr", "aes128-ctr");
        /** Default of {@link SfsConfig#cores}. */
        public static final int CORES = 0;
        /** Default of {@link SfsConfig#pinned}. */
        public static final boolean PINNED = false;
        /** Default of {@link SfsConfig#transport}. */
        public static final Transport TRANSPORT = Transport.AUTO;
        /** Default of {@link SfsConfig#backlog}, as SWS has it. */
        public static final int BACKLOG = 4096;
        /** Default of {@link SfsConfig#maxConnections}. */
        public static final int MAX_CONNECTIONS = 1000;
        /** Default of {@link SfsConfig#addressConnectionsMax}. */
        public static final int ADDRESS_CONNECTIONS_MAX = 0;
        /** Default of {@link SfsConfig#userConnectionsMax}. */
        public static final int USER_CONNECTIONS_MAX = 0;
        /** Default of {@link SfsConfig#loginsMax}, OpenSSH's MaxStartups. */
        public static final int LOGINS_MAX = 100;
        /** Default of {@link SfsConfig#channelsMax}, OpenSSH's MaxSessions. */
        public static final int CHANNELS_MAX = 10;
        /** Default of {@link SfsConfig#handlesMax}. */
        public static final int HANDLES_MAX = 256;
        /** Default of {@link SfsConfig#userHandlesMax}: what Linux lets a process have open, as a server for each user would be one. */
        public static final int USER_HANDLES_MAX = 1024;
        /** Default of {@link SfsConfig#loginTimeout}, OpenSSH's LoginGraceTime. */
        public static final Duration LOGIN_TIMEOUT = Duration.ofMinutes(2);
        /** Default of {@link SfsConfig#idleTimeout}, MINA's. */
        public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(10);
        /** Default of {@link SfsConfig#loginTries}, OpenSSH's MaxAuthTries. */
        public static final int LOGIN_TRIES = 6;
        /** Default of {@link SfsConfig#loginFailureDelay}, that of Linux's pam_faildelay. */
        public static final Duration LOGIN_FAILURE_DELAY = Duration.ofSeconds(2);
        /** Default of {@link SfsConfig#banAfter}, fail2ban's maxretry. */
        public static final int BAN_AFTER = 5;
        /** Default of {@link SfsConfig#banForget}: five in fail2ban's findtime of ten minutes. */
        public static final Duration BAN_FORGET = Duration.ofMinutes(2);
        /** Default of {@link SfsConfig#banTime}, fail2ban's bantime. */
        public static final Duration BAN_TIME = Duration.ofMinutes(10);
        /** Default of {@link SfsConfig#banAddressesMax}, as many as SWS remembers. */
        public static final int BAN_ADDRESSES_MAX = 65_536;
        /** Default of {@link SfsConfig#symlinks}. */
        public static final boolean SYMLINKS = true;
        /** Default of {@link SfsConfig#umask}. */
        public static final int UMASK = 022;
        /** Default of {@link SfsConfig#atomicUploads}. */
        public static final boolean ATOMIC_UPLOADS = false;
        /** Default of {@link SfsConfig#defaultColor}. */
        public static final boolean DEFAULT_COLOR = false;
        /** Default of {@link SfsConfig#sliceBytes}: the longest packet of SFTP. */
        public static final int SLICE_BYTES = 256 << 10;
        /** Default of {@link SfsConfig#drainDeadline}, as SWS has it. */
        public static final Duration DRAIN_DEADLINE = Duration.ofSeconds(10);
        /** Default of {@link SfsConfig#auditLog}. */
        public static final String AUDIT_LOG = "";
        /** Default of {@link SfsConfig#auditLogRotateBytes}, as SWS has it. */
        public static final long AUDIT_LOG_ROTATE_BYTES = 100L << 20;
        /** Default of {@link SfsConfig#auditLogRotateEvery}. */
        public static final Duration AUDIT_LOG_ROTATE_EVERY = Duration.ZERO;
        /** Default of {@link SfsConfig#auditLogKeep}, as SWS has it. */
        public static final int AUDIT_LOG_KEEP = 10;

        private final List<User> users;
        private final Path hostKeys;
        private @Nullable Path passwordFile;
        private boolean strictModes = STRICT_MODES;
        private List<HostKeys.Type> hostKeyTypes = HOST_KEY_TYPES;
        private List<String> ciphers = CIPHERS;
        private InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);
        private int cores = CORES;
        private boolean pinned = PINNED;
        private Stealing stealing = Stealing.mely();
        private Transport transport = TRANSPORT;
        private int backlog = BACKLOG;
        private int maxConnections = MAX_CONNECTIONS;
        private int addressConnectionsMax = ADDRESS_CONNECTIONS_MAX;
        private int userConnectionsMax = USER_CONNECTIONS_MAX;
        private int loginsMax = LOGINS_MAX;
        private int channelsMax = CHANNELS_MAX;
        private int handlesMax = HANDLES_MAX;
        private int userHandlesMax = USER_HANDLES_MAX;
        private Duration loginTimeout = LOGIN_TIMEOUT;
        private Duration idleTimeout = IDLE_TIMEOUT;
        private int loginTries = LOGIN_TRIES;
        private Duration loginFailureDelay = LOGIN_FAILURE_DELAY;
        private int banAfter = BAN_AFTER;
        private Duration banForget = BAN_FORGET;
        private Duration banTime = BAN_TIME;
        private int banAddressesMax = BAN_ADDRESSES_MAX;
        private boolean symlinks = SYMLINKS;
        private int umask = UMASK;
        private boolean atomicUploads = ATOMIC_UPLOADS;
        private boolean defaultColor = DEFAULT_COLOR;
        private int sliceBytes = SLICE_BYTES;
        private Duration drainDeadline = DRAIN_DEADLINE;
        private String auditLog = AUDIT_LOG;
        private long auditLogRotateBytes = AUDIT_LOG_ROTATE_BYTES;
        private Duration auditLogRotateEvery = AUDIT_LOG_ROTATE_EVERY;
        private int auditLogKeep = AUDIT_LOG_KEEP;

        private Builder(List<User> users, Path hostKeys) {
            this.users = users;
            this.hostKeys = hostKeys;
        }

        /** Sets {@link SfsConfig#passwordFile}. */
        public Builder passwordFile(@Nullable Path value) {
            passwordFile = value;
            return this;
        }

        /** Sets {@link SfsConfig#strictModes}. */
        public Builder strictModes(boolean value) {
            strictModes = value;
            return this;
        }

        /** Sets {@link SfsConfig#hostKeyTypes}. */
        public Builder hostKeyTypes(List<HostKeys.Type> value) {
            hostKeyTypes = value;
            return this;
        }

        /** Sets {@link SfsConfig#ciphers}. */
        public Builder ciphers(List<String> value) {
            ciphers = value;
            return this;
        }

        /** Sets {@link SfsConfig#bind}. */
        public Builder bind(InetSocketAddress value) {
            bind = value;
            return this;
        }

        /** Sets {@link SfsConfig#cores}. */
        public Builder cores(int value) {
            cores = value;
            return this;
        }

        /** Sets {@link SfsConfig#pinned}. */
        public Builder pinned(boolean value) {
            pinned = value;
            return this;
        }

        /** Sets {@link SfsConfig#stealing}. */
        public Builder stealing(Stealing value) {
            stealing = value;
            return this;
        }

        /** Sets {@link SfsConfig#transport}. */
        public Builder transport(Transport value) {
            transport = value;
            return this;
        }

        /** Sets {@link SfsConfig#backlog}. */
        public Builder backlog(int value) {
            backlog = value;
            return this;
        }

        /** Sets {@link SfsConfig#maxConnections}. */
        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        /** Sets {@link SfsConfig#addressConnectionsMax}. */
        public Builder addressConnectionsMax(int value) {
            addressConnectionsMax = value;
            return this;
        }

        /** Sets {@link SfsConfig#userConnectionsMax}. */
        public Builder userConnectionsMax(int value) {
            userConnectionsMax = value;
            return this;
        }

        /** Sets {@link SfsConfig#loginsMax}. */
        public Builder loginsMax(int value) {
            loginsMax = value;
            return this;
        }

        /** Sets {@link SfsConfig#channelsMax}. */
        public Builder channelsMax(int value) {
            channelsMax = value;
            return this;
        }

        /** Sets {@link SfsConfig#handlesMax}. */
        public Builder handlesMax(int value) {
            handlesMax = value;
            return this;
        }

        /** Sets {@link SfsConfig#userHandlesMax}. */
        public Builder userHandlesMax(int value) {
            userHandlesMax = value;
            return this;
        }

        /** Sets {@link SfsConfig#loginTimeout}. */
        public Builder loginTimeout(Duration value) {
            loginTimeout = value;
            return this;
        }

        /** Sets {@link SfsConfig#idleTimeout}. */
        public Builder idleTimeout(Duration value) {
            idleTimeout = value;
            return this;
        }

        /** Sets {@link SfsConfig#loginTries}. */
        public Builder loginTries(int value) {
            loginTries = value;
            return this;
        }

        /** Sets {@link SfsConfig#loginFailureDelay}. */
        public Builder loginFailureDelay(Duration value) {
            loginFailureDelay = value;
            return this;
        }

        /** Sets {@link SfsConfig#banAfter}. */
        public Builder banAfter(int value) {
            banAfter = value;
            return this;
        }

        /** Sets {@link SfsConfig#banForget}. */
        public Builder banForget(Duration value) {
            banForget = value;
            return this;
        }

        /** Sets {@link SfsConfig#banTime}. */
        public Builder banTime(Duration value) {
            banTime = value;
            return this;
        }

        /** Sets {@link SfsConfig#banAddressesMax}. */
        public Builder banAddressesMax(int value) {
            banAddressesMax = value;
            return this;
        }

        /** Sets {@link SfsConfig#symlinks}. */
        public Builder symlinks(boolean value) {
            symlinks = value;
            return this;
        }

        /** Sets {@link SfsConfig#umask}. */
        public Builder umask(int value) {
            umask = value;
            return this;
        }

        /** Sets {@link SfsConfig#atomicUploads}. */
        public Builder atomicUploads(boolean value) {
            atomicUploads = value;
            return this;
        }

        /** Sets {@link SfsConfig#defaultColor}. */
        public Builder defaultColor(boolean value) {
            defaultColor = value;
            return this;
        }

        /** Sets {@link SfsConfig#sliceBytes}. */
        public Builder sliceBytes(int value) {
            sliceBytes = value;
            return this;
        }

        /** Sets {@link SfsConfig#drainDeadline}. */
        public Builder drainDeadline(Duration value) {
            drainDeadline = value;
            return this;
        }

        /** Sets {@link SfsConfig#auditLog}. */
        public Builder auditLog(String value) {
            auditLog = value;
            return this;
        }

        /** Sets {@link SfsConfig#auditLogRotateBytes}. */
        public Builder auditLogRotateBytes(long value) {
            auditLogRotateBytes = value;
            return this;
        }

        /** Sets {@link SfsConfig#auditLogRotateEvery}. */
        public Builder auditLogRotateEvery(Duration value) {
            auditLogRotateEvery = value;
            return this;
        }

        /** Sets {@link SfsConfig#auditLogKeep}. */
        public Builder auditLogKeep(int value) {
            auditLogKeep = value;
            return this;
        }

        /**
         * Checks the values.
         *
         * @return the configuration
         * @throws IllegalArgumentException naming the field that is out of range
         */
        public SfsConfig build() {
            return new SfsConfig(
                    users,
                    passwordFile,
                    strictModes,
                    hostKeys,
                    hostKeyTypes,
                    ciphers,
                    bind,
                    cores,
                    pinned,
                    stealing,
                    transport,
                    backlog,
                    maxConnections,
                    addressConnectionsMax,
                    userConnectionsMax,
                    loginsMax,
                    channelsMax,
                    handlesMax,
                    userHandlesMax,
                    loginTimeout,
                    idleTimeout,
                    loginTries,
                    loginFailureDelay,
                    banAfter,
                    banForget,
                    banTime,
                    banAddressesMax,
                    symlinks,
                    umask,
                    atomicUploads,
                    defaultColor,
                    sliceBytes,
                    drainDeadline,
                    auditLog,
                    auditLogRotateBytes,
                    auditLogRotateEvery,
                    auditLogKeep);
        }
    }
}
