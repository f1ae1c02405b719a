// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import io.mely.Stealing;
import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingTable;
import io.mely.cli.ValueTypes;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsConfig.Transport;
import io.mely.sfs.ssh.Algorithms;
import io.mely.sfs.ssh.HostKeys;
import io.mely.sfs.users.User;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * All settings of SFS, in the order of the reference. Keys are the fields of {@link SfsConfig} with dashes and without
 * "Bytes", for a size carries its unit in its value; and some that say who the only user is where there is no file of users.
 *
 * <p>Ranges are those that {@link SfsConfig} checks; a test compares the two at every bound.
 */
final class Settings {
    private static final Duration TIME_MIN = Duration.ofMillis(1);
    private static final Pattern OCTAL = Pattern.compile("[0-7]{3}");

    /** In paths of the settings: the home of whoever runs the server. */
    static final String HOME = "~/";

    static final Setting<Path> ROOT = new Setting<>(
            "root",
            true,
            ValueTypes.path(),
            "path, relative to the current folder",
            Path.of("."),
            "The folder that is served: the / of the user, or of all users that have no root of their own. Nothing outside it ever is.");

    static final Setting<Integer> PORT = CommonSettings.port(SfsConfig.Builder.PORT);

    static final Setting<String> BIND = CommonSettings.BIND;

    static final Setting<String> ADMIN = CommonSettings.ADMIN;

    static final Setting<Boolean> WRITE = new Setting<>(
            "write",
            true,
            ValueTypes.yesOrNo(),
            "true or false",
            false,
            "Whether the user, or all users whose rights are not said, may make, change and delete files. Without it they may list and read.");

    static final Setting<String> USERS = new Setting<>(
            "users",
            true,
            ValueTypes.text("empty or a path", Settings::isPath),
            "path, relative to the current folder",
            "",
            "File of the users, each with keys, root, rights and quota. Empty: one user, whom the next two keys tell.");

    static final Setting<String> USER = new Setting<>(
            "user",
            true,
            ValueTypes.text("empty or a name without spaces and colons", name -> name.isEmpty() || User.isName(name)),
            "name",
            "",
            "Name of the only user. Empty: that of whoever runs the server. Not together with users.");

    static final Setting<String> AUTHORIZED_KEYS = new Setting<>(
            "authorized-keys",
            true,
            ValueTypes.text("empty or a path", Settings::isPath),
            "path, relative to the current folder",
            "~/.ssh/authorized_keys",
            "File of the only user's public keys, looked at again at each connection. Empty: none. Not together with users.");

    static final Setting<Boolean> STRICT_MODES = new Setting<>(
            "strict-modes",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SfsConfig.Builder.STRICT_MODES,
            "Takes keys only from files that belong to root or to whoever runs the server, as all folders above them must, and that nobody else may write to.");

    static final Setting<String> PASSWORD_FILE = new Setting<>(
            "password-file",
            true,
            ValueTypes.text("empty or a path", Settings::isPath),
            "path, relative to the current folder",
            "",
            "File of bcrypt hashes, as sfs.jar --hash-password or htpasswd -B makes them. Empty: nobody has a password, keys alone count.");

    static final Setting<String> HOST_KEYS = new Setting<>(
            "host-keys",
            true,
            ValueTypes.text("a path", text -> !text.isEmpty() && isPath(text)),
            "path, relative to the current folder",
            "~/.config/sfs",
            "Folder of the server's keys, in OpenSSH's files (ssh_host_ed25519_key). What is not there is made.");

    static final Setting<List<String>> HOST_KEY_TYPES = new Setting<>(
            "host-key-types",
            false,
            ValueTypes.list("a list of " + words(hostKeyTypes()), hostKeyTypes()::contains),
            "words, the first preferred",
            SfsConfig.Builder.HOST_KEY_TYPES.stream().map(Settings::word).toList(),
            "Kinds of keys the server has. Only clients before 2014 need ecdsa, whose curve some auditors do not trust.");

    static final Setting<List<String>> CIPHERS = new Setting<>(
            "ciphers",
            false,
            ValueTypes.list("a list of " + words(Algorithms.cipherNames()), Algorithms.cipherNames()::contains),
            "names in SSH",
            SfsConfig.Builder.CIPHERS,
            "Ciphers that clients may choose from. The client's order counts, not this one.");

    static final Setting<Integer> CORES = CommonSettings.cores(SfsConfig.Builder.CORES);

    static final Setting<Boolean> PINNED = CommonSettings.pinned(SfsConfig.Builder.PINNED);

    static final Setting<Stealing> STEALING = CommonSettings.STEALING;

    static final Setting<Boolean> DEFAULT_COLOR = new Setting<>(
            "default-color",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SfsConfig.Builder.DEFAULT_COLOR,
            "Runs the requests of all clients in the default color, one at a time, as the paper's server did. For comparisons. Without it changes of one file, or of one name of a user, run one at a time in a color of theirs, and all else beside each other.");

    static final Setting<Boolean> STATS = CommonSettings.STATS;

    static final Setting<Transport> TRANSPORT =
            CommonSettings.transport(Transport.AUTO, Transport.EPOLL, Transport.NIO);

    static final Setting<Integer> BACKLOG = CommonSettings.backlog(SfsConfig.Builder.BACKLOG);

    static final Setting<Integer> MAX_CONNECTIONS = new Setting<>(
            "max-connections",
            true,
            ValueTypes.count(1, 1 << 20),
            "connections",
            SfsConfig.Builder.MAX_CONNECTIONS,
            "Most connections at once. One more is closed.");

    static final Setting<Integer> ADDRESS_CONNECTIONS_MAX = new Setting<>(
            "address-connections-max",
            false,
            ValueTypes.count(0, 1 << 20),
            "connections",
            SfsConfig.Builder.ADDRESS_CONNECTIONS_MAX,
            "Most connections of one client address at once (IPv6: of a /64). One more is closed. 0 is unlimited.");

    static final Setting<Integer> USER_CONNECTIONS_MAX = new Setting<>(
            "user-connections-max",
            false,
            ValueTypes.count(0, 1 << 20),
            "connections",
            SfsConfig.Builder.USER_CONNECTIONS_MAX,
            "Most connections of one user at once. One more is disconnected. 0 is unlimited.");

    static final Setting<Integer> LOGINS_MAX = new Setting<>(
            "logins-max",
            false,
            ValueTypes.count(1, 1 << 20),
            "connections",
            SfsConfig.Builder.LOGINS_MAX,
            "Most connections at once that have not logged in yet. For one more the oldest of the client address that has most of them is closed.");

    static final Setting<Integer> CHANNELS_MAX = new Setting<>(
            "channels-max",
            false,
            ValueTypes.count(1, 1024),
            "conversations",
            SfsConfig.Builder.CHANNELS_MAX,
            "Most SFTP conversations of one connection at once, as clients with a shared connection have.");

    static final Setting<Integer> HANDLES_MAX = new Setting<>(
            "handles-max",
            false,
            ValueTypes.count(1, 1 << 16),
            "files and folders",
            SfsConfig.Builder.HANDLES_MAX,
            "Most open files and folders of one conversation.");

    static final Setting<Integer> USER_HANDLES_MAX = new Setting<>(
            "user-handles-max",
            false,
            ValueTypes.count(0, 1 << 20),
            "files and folders",
            SfsConfig.Builder.USER_HANDLES_MAX,
            "Most open files and folders of one user, in all conversations of all connections. The root of each conversation is one. 0 is unlimited.");

    static final Setting<Duration> LOGIN_TIMEOUT = new Setting<>(
            "login-timeout",
            false,
            ValueTypes.time(TIME_MIN, SfsConfig.Builder.TIME_MAX),
            "time",
            SfsConfig.Builder.LOGIN_TIMEOUT,
            "How long a client may take to log in.");

    static final Setting<Duration> IDLE_TIMEOUT = new Setting<>(
            "idle-timeout",
            false,
            ValueTypes.time(Duration.ZERO, SfsConfig.Builder.TIME_MAX),
            "time",
            SfsConfig.Builder.IDLE_TIMEOUT,
            "How long a client may be silent. 0s is for ever. A client that sends keep-alives or waits for an answer is not silent.");

    static final Setting<Integer> LOGIN_TRIES = new Setting<>(
            "login-tries",
            false,
            ValueTypes.count(1, 1000),
            "tries",
            SfsConfig.Builder.LOGIN_TRIES,
            "Tries to log in on one connection. Each key that a client offers is one.");

    static final Setting<Duration> LOGIN_FAILURE_DELAY = new Setting<>(
            "login-failure-delay",
            false,
            ValueTypes.time(Duration.ZERO, SfsConfig.Builder.TIME_MAX),
            "time",
            SfsConfig.Builder.LOGIN_FAILURE_DELAY,
            "How long the answer to a wrong password is held back.");

    static final Setting<Integer> BAN_AFTER = new Setting<>(
            "ban-after",
            false,
            ValueTypes.count(0, 1 << 20),
            "failed logins",
            SfsConfig.Builder.BAN_AFTER,
            "A client address (IPv6: a /64) with more failed logins is banned. 0 is never.");

    static final Setting<Duration> BAN_FORGET = new Setting<>(
            "ban-forget",
            false,
            ValueTypes.time(TIME_MIN, SfsConfig.Builder.TIME_MAX),
            "time",
            SfsConfig.Builder.BAN_FORGET,
            "Time in which one failed login is forgotten. A login forgets them all.");

    static final Setting<Duration> BAN_TIME = new Setting<>(
            "ban-time",
            false,
            ValueTypes.time(TIME_MIN, SfsConfig.Builder.TIME_MAX),
            "time",
            SfsConfig.Builder.BAN_TIME,
            "How long an address is banned: its connections are closed at once.");

    static final Setting<Integer> BAN_ADDRESSES_MAX = new Setting<>(
            "ban-addresses-max",
            false,
            ValueTypes.count(1, 1 << 24),
            "addresses",
            SfsConfig.Builder.BAN_ADDRESSES_MAX,
            "Most addresses whose failed logins are remembered.");

    static final Setting<Boolean> SYMLINKS = new Setting<>(
            "symlinks",
            false,
            ValueTypes.yesOrNo(),
            "true or false",
            SfsConfig.Builder.SYMLINKS,
            "Follows symbolic links, as if the root were all there is: none leads outside. Without it a path with a link in it is refused.");

    static final Setting<String> UMASK = new Setting<>(
            "umask",
            false,
            ValueTypes.text("three octal digits", text -> OCTAL.matcher(text).matches()),
            "permissions",
            String.format(Locale.ROOT, "%03o", SfsConfig.Builder.UMASK),
            "Permissions that new files and folders do not get.");

    static final Setting<Boolean> ATOMIC_UPLOADS = new Setting<>(
            "atomic-uploads",
            true,
            ValueTypes.yesOrNo(),
            "true or false",
            SfsConfig.Builder.ATOMIC_UPLOADS,
            "Gives a new file its name only when the client has closed it, so that nobody sees a part of it. An upload that is cut off is gone, and can't be resumed.");

    static final Setting<Long> SLICE = new Setting<>(
            "slice",
            false,
            ValueTypes.size(32 << 10, 16 << 20),
            "size",
            (long) SfsConfig.Builder.SLICE_BYTES,
            "Most bytes of replies of one client before other clients of that core get their turn.");

    static final Setting<Duration> DRAIN_DEADLINE =
            CommonSettings.drainDeadline(SfsConfig.Builder.DRAIN_DEADLINE, SfsConfig.Builder.TIME_MAX);

    static final Setting<String> AUDIT_LOG = new Setting<>(
            "audit-log",
            true,
            ValueTypes.text("empty, - or a path", Settings::isPath),
            "path, relative to the current folder",
            SfsConfig.Builder.AUDIT_LOG,
            "File that a line is written to for each thing that somebody did: who, what, and how many bytes. - is standard error. Empty: none.");

    static final Setting<Long> AUDIT_LOG_ROTATE = new Setting<>(
            "audit-log-rotate",
            false,
            ValueTypes.size(0, Long.MAX_VALUE),
            "size",
            SfsConfig.Builder.AUDIT_LOG_ROTATE_BYTES,
            "Size at which the audit log is rotated. 0 is never.");

    static final Setting<Duration> AUDIT_LOG_ROTATE_EVERY = new Setting<>(
            "audit-log-rotate-every",
            false,
            ValueTypes.time(Duration.ZERO, Duration.ofDays(365)),
            "time",
            SfsConfig.Builder.AUDIT_LOG_ROTATE_EVERY,
            "Rotates the audit log at the end of each such time, counted from 1970 in UTC. 0s is never.");

    static final Setting<Integer> AUDIT_LOG_KEEP = new Setting<>(
            "audit-log-keep",
            false,
            ValueTypes.count(0, 1000),
            "files",
            SfsConfig.Builder.AUDIT_LOG_KEEP,
            "Rotated audit logs that are kept.");

    static final SettingTable TABLE = new SettingTable(
            "sfs",
            List.of(
                    ROOT,
                    PORT,
                    BIND,
                    ADMIN,
                    WRITE,
                    USERS,
                    USER,
                    AUTHORIZED_KEYS,
                    STRICT_MODES,
                    PASSWORD_FILE,
                    HOST_KEYS,
                    HOST_KEY_TYPES,
                    CIPHERS,
                    CORES,
                    PINNED,
                    STEALING,
                    DEFAULT_COLOR,
                    STATS,
                    TRANSPORT,
                    BACKLOG,
                    MAX_CONNECTIONS,
                    ADDRESS_CONNECTIONS_MAX,
                    USER_CONNECTIONS_MAX,
                    LOGINS_MAX,
                    CHANNELS_MAX,
                    HANDLES_MAX,
                    USER_HANDLES_MAX,
                    LOGIN_TIMEOUT,
                    IDLE_TIMEOUT,
                    LOGIN_TRIES,
                    LOGIN_FAILURE_DELAY,
                    BAN_AFTER,
                    BAN_FORGET,
                    BAN_TIME,
                    BAN_ADDRESSES_MAX,
                    SYMLINKS,
                    UMASK,
                    ATOMIC_UPLOADS,
                    SLICE,
                    DRAIN_DEADLINE,
                    AUDIT_LOG,
                    AUDIT_LOG_ROTATE,
                    AUDIT_LOG_ROTATE_EVERY,
                    AUDIT_LOG_KEEP));

    private Settings() {}

    private static List<String> hostKeyTypes() {
        return Stream.of(HostKeys.Type.values()).map(Settings::word).toList();
    }

    static String word(HostKeys.Type type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    private static String words(List<String> words) {
        return String.join(", ", words);
    }

    private static boolean isPath(String text) {
        try {
            return text.isEmpty() || !Path.of(text).toString().isEmpty();
        } catch (InvalidPathException notAPath) {
            return false;
        }
    }

    /** A path of a setting. */
    static Path path(String text) {
        return text.startsWith(HOME)
                ? Path.of(System.getProperty("user.home", ".")).resolve(text.substring(HOME.length()))
                : Path.of(text);
    }
}
