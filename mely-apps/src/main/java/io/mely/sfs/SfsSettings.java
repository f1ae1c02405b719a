// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import io.mely.Stealing;
import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingList;
import io.mely.cli.ValueTypes;
import io.mely.sfs.SfsConfig.Transport;
import io.mely.sfs.ssh.Algorithms;
import io.mely.sfs.ssh.HostKeys;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a server can be told, each with its key in a file, its range, its default and what it does: for {@link SfsConfig}, and for the command line. Sizes are in bytes.
 *
 * <p>{@code config/sfs.conf} is made from this table, with what is left to the command line: {@code bind}, {@code users} and the like are fields of {@link SfsConfig}.
 *
 * <p><b>Threads.</b> Any.
 */
public final class SfsSettings {
    private static final Duration TIME_MIN = Duration.ofMillis(1);
    private static final Duration TIME_MAX = Duration.ofDays(1);

    private static final SettingList ALL = new SettingList();

    public static final Setting<Boolean> STRICT_MODES = ALL.yesOrNo("strict-modes")
            .byDefault(true) // OpenSSH's StrictModes
            .says(
                    "Takes keys only from files that belong to root or to whoever runs the server, as all folders above them must, and that nobody else may write to.");

    public static final Setting<List<HostKeys.Type>> HOST_KEY_TYPES = ALL.of(
                    "host-key-types",
                    "words, the first preferred",
                    ValueTypes.words("a list of ed25519, ecdsa", SfsSettings::hostKeyType, SfsSettings::word))
            .byDefault(List.of(HostKeys.Type.ED25519))
            .says(
                    "Kinds of keys the server has. Only clients before 2014 need ecdsa, whose curve some auditors do not trust.");

    public static final Setting<List<String>> CIPHERS = ALL.of(
                    "ciphers",
                    "names in SSH",
                    ValueTypes.list(
                            "a list of " + String.join(", ", Algorithms.cipherNames()),
                            Algorithms.cipherNames()::contains))
            .byDefault(List.of("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes256-ctr", "aes128-ctr"))
            .says("Ciphers that clients may choose from. The client's order counts, not this one.");

    public static final Setting<Integer> CORES = ALL.add(CommonSettings.cores(0));

    public static final Setting<Boolean> PINNED = ALL.add(CommonSettings.pinned(false));

    public static final Setting<Stealing> STEALING = ALL.add(CommonSettings.STEALING);

    public static final Setting<Boolean> DEFAULT_COLOR = ALL.yesOrNo("default-color")
            .byDefault(false)
            .says(
                    "Runs the requests of all clients in the default color, one at a time, as the paper's server did. For comparisons. Without it changes of one file, or of one name of a user, run one at a time in a color of theirs, and all else beside each other.");

    public static final Setting<Transport> TRANSPORT = ALL.add(CommonSettings.transport(Transport.AUTO));

    public static final Setting<Integer> BACKLOG = ALL.add(CommonSettings.backlog(4096)); // as SWS has it

    public static final Setting<Integer> MAX_CONNECTIONS = ALL.count("max-connections", "connections", 1, 1 << 20)
            .asFlag()
            .byDefault(1000)
            .says("Most connections at once. One more is closed.");

    public static final Setting<Integer> ADDRESS_CONNECTIONS_MAX = ALL.count(
                    "address-connections-max", "connections", 0, 1 << 20)
            .byDefault(0)
            .says(
                    "Most connections of one client address at once (IPv6: of a /64). One more is closed. 0 is unlimited.");

    public static final Setting<Integer> USER_CONNECTIONS_MAX = ALL.count(
                    "user-connections-max", "connections", 0, 1 << 20)
            .byDefault(0)
            .says("Most connections of one user at once. One more is disconnected. 0 is unlimited.");

    public static final Setting<Integer> LOGINS_MAX = ALL.count("logins-max", "connections", 1, 1 << 20)
            .byDefault(100) // OpenSSH's MaxStartups
            .says(
                    "Most connections at once that have not logged in yet. For one more the oldest of the client address that has most of them is closed.");

    public static final Setting<Integer> CHANNELS_MAX = ALL.count("channels-max", "conversations", 1, 1024)
            .byDefault(10) // OpenSSH's MaxSessions
            .says("Most SFTP conversations of one connection at once, as clients with a shared connection have.");

    public static final Setting<Integer> HANDLES_MAX = ALL.count("handles-max", "files and folders", 1, 1 << 16)
            .byDefault(256)
            .says("Most open files and folders of one conversation.");

    public static final Setting<Integer> USER_HANDLES_MAX = ALL.count(
                    "user-handles-max", "files and folders", 0, 1 << 20)
            .byDefault(1024) // what Linux lets a process have open, as a server for each user would be one
            .says(
                    "Most open files and folders of one user, in all conversations of all connections. The root of each conversation is one. 0 is unlimited.");

    public static final Setting<Duration> LOGIN_TIMEOUT = ALL.time("login-timeout", TIME_MIN, TIME_MAX)
            .byDefault(Duration.ofMinutes(2)) // OpenSSH's LoginGraceTime
            .says("How long a client may take to log in.");

    public static final Setting<Duration> IDLE_TIMEOUT = ALL.time("idle-timeout", Duration.ZERO, TIME_MAX)
            .byDefault(Duration.ofMinutes(10)) // MINA's
            .says(
                    "How long a client may be silent. 0s is for ever. A client that sends keep-alives or waits for an answer is not silent.");

    public static final Setting<Integer> LOGIN_TRIES = ALL.count("login-tries", "tries", 1, 1000)
            .byDefault(6) // OpenSSH's MaxAuthTries
            .says("Tries to log in on one connection. Each key that a client offers is one.");

    public static final Setting<Duration> LOGIN_FAILURE_DELAY = ALL.time("login-failure-delay", Duration.ZERO, TIME_MAX)
            .byDefault(Duration.ofSeconds(2)) // that of Linux's pam_faildelay
            .says("How long the answer to a wrong password is held back.");

    public static final Setting<Integer> BAN_AFTER = ALL.count("ban-after", "failed logins", 0, 1 << 20)
            .byDefault(5) // fail2ban's maxretry
            .says("A client address (IPv6: a /64) with more failed logins is banned. 0 is never.");

    public static final Setting<Duration> BAN_FORGET = ALL.time("ban-forget", TIME_MIN, TIME_MAX)
            .byDefault(Duration.ofMinutes(2)) // five in fail2ban's findtime of ten minutes
            .says("Time in which one failed login is forgotten. A login forgets them all.");

    public static final Setting<Duration> BAN_TIME = ALL.time("ban-time", TIME_MIN, TIME_MAX)
            .byDefault(Duration.ofMinutes(10)) // fail2ban's bantime
            .says("How long an address is banned: its connections are closed at once.");

    public static final Setting<Integer> BAN_ADDRESSES_MAX = ALL.count("ban-addresses-max", "addresses", 1, 1 << 24)
            .byDefault(65_536) // as many as SWS remembers
            .says("Most addresses whose failed logins are remembered.");

    public static final Setting<Boolean> SYMLINKS = ALL.yesOrNo("symlinks")
            .byDefault(true)
            .says(
                    "Follows symbolic links, as if the root were all there is: none leads outside. Without it a path with a link in it is refused.");

    public static final Setting<Integer> UMASK = ALL.of("umask", "permissions", ValueTypes.permissions())
            .byDefault(022)
            .says("Permissions that new files and folders do not get.");

    public static final Setting<Boolean> ATOMIC_UPLOADS = ALL.yesOrNo("atomic-uploads")
            .asFlag()
            .byDefault(false)
            .says(
                    "Gives a new file its name only when the client has closed it, so that nobody sees a part of it. An upload that is cut off is gone, and can't be resumed.");

    public static final Setting<Long> SLICE = ALL.size("slice", 32 << 10, 16 << 20)
            .byDefault(256L << 10) // the longest packet of SFTP
            .says("Most bytes of replies of one client before other clients of that core get their turn.");

    public static final Setting<Duration> DRAIN_DEADLINE =
            ALL.add(CommonSettings.drainDeadline(Duration.ofSeconds(10), TIME_MAX)); // as SWS has it

    public static final Setting<String> AUDIT_LOG = ALL.of(
                    "audit-log",
                    "path, relative to the current folder",
                    ValueTypes.text("empty, - or a path", ValueTypes::isFile))
            .asFlag()
            .byDefault("")
            .says(
                    "File that a line is written to for each thing that somebody did: who, what, and how many bytes. - is standard error. Empty: none.");

    public static final Setting<Long> AUDIT_LOG_ROTATE = ALL.size("audit-log-rotate", 0, Long.MAX_VALUE)
            .byDefault(100L << 20) // as SWS has it
            .says("Size at which the audit log is rotated. 0 is never.");

    public static final Setting<Duration> AUDIT_LOG_ROTATE_EVERY = ALL.time(
                    "audit-log-rotate-every", Duration.ZERO, Duration.ofDays(365))
            .byDefault(Duration.ZERO)
            .says("Rotates the audit log at the end of each such time, counted from 1970 in UTC. 0s is never.");

    public static final Setting<Integer> AUDIT_LOG_KEEP = ALL.count("audit-log-keep", "files", 0, 1000)
            .byDefault(10) // as SWS has it
            .says("Rotated audit logs that are kept.");

    private SfsSettings() {}

    /**
     * The whole table.
     *
     * @return in the order of the reference
     */
    public static List<Setting<?>> all() {
        return ALL.all();
    }

    private static String word(HostKeys.Type type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    private static HostKeys.@Nullable Type hostKeyType(String word) {
        return Stream.of(HostKeys.Type.values())
                .filter(each -> word(each).equals(word))
                .findFirst()
                .orElse(null);
    }
}
