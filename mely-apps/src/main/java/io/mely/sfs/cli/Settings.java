// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import io.mely.Stealing;
import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingList;
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
    private static final SettingList ALL = new SettingList();
    private static final Duration TIME_MIN = Duration.ofMillis(1);
    private static final Pattern OCTAL = Pattern.compile("[0-7]{3}");

    /** In paths of the settings: the home of whoever runs the server. */
    static final String HOME = "~/";

    static final Setting<Path> ROOT = ALL.of("root", "path, relative to the current folder", ValueTypes.path())
            .asFlag()
            .byDefault(Path.of("."))
            .says(
                    "The folder that is served: the / of the user, or of all users that have no root of their own. Nothing outside it ever is.");

    static final Setting<Integer> PORT = ALL.add(CommonSettings.port(SfsConfig.Builder.PORT));

    static final Setting<String> BIND = ALL.add(CommonSettings.BIND);

    static final Setting<String> ADMIN = ALL.add(CommonSettings.ADMIN);

    static final Setting<Boolean> WRITE = ALL.yesOrNo("write")
            .asFlag()
            .byDefault(false)
            .says(
                    "Whether the user, or all users whose rights are not said, may make, change and delete files. Without it they may list and read.");

    static final Setting<String> USERS = ALL.of(
                    "users",
                    "path, relative to the current folder",
                    ValueTypes.text("empty or a path", Settings::isPath))
            .asFlag()
            .byDefault("")
            .says(
                    "File of the users, each with keys, root, rights and quota. Empty: one user, whom the next two keys tell.");

    static final Setting<String> USER = ALL.of(
                    "user",
                    "name",
                    ValueTypes.text(
                            "empty or a name without spaces and colons", name -> name.isEmpty() || User.isName(name)))
            .asFlag()
            .byDefault("")
            .says("Name of the only user. Empty: that of whoever runs the server. Not together with users.");

    static final Setting<String> AUTHORIZED_KEYS = ALL.of(
                    "authorized-keys",
                    "path, relative to the current folder",
                    ValueTypes.text("empty or a path", Settings::isPath))
            .asFlag()
            .byDefault("~/.ssh/authorized_keys")
            .says(
                    "File of the only user's public keys, looked at again at each connection. Empty: none. Not together with users.");

    static final Setting<Boolean> STRICT_MODES = ALL.yesOrNo("strict-modes")
            .byDefault(SfsConfig.Builder.STRICT_MODES)
            .says(
                    "Takes keys only from files that belong to root or to whoever runs the server, as all folders above them must, and that nobody else may write to.");

    static final Setting<String> PASSWORD_FILE = ALL.of(
                    "password-file",
                    "path, relative to the current folder",
                    ValueTypes.text("empty or a path", Settings::isPath))
            .asFlag()
            .byDefault("")
            .says(
                    "File of bcrypt hashes, as sfs.jar --hash-password or htpasswd -B makes them. Empty: nobody has a password, keys alone count.");

    static final Setting<String> HOST_KEYS = ALL.of(
                    "host-keys",
                    "path, relative to the current folder",
                    ValueTypes.text("a path", text -> !text.isEmpty() && isPath(text)))
            .asFlag()
            .byDefault("~/.config/sfs")
            .says("Folder of the server's keys, in OpenSSH's files (ssh_host_ed25519_key). What is not there is made.");

    static final Setting<List<String>> HOST_KEY_TYPES = ALL.of(
                    "host-key-types",
                    "words, the first preferred",
                    ValueTypes.list("a list of " + words(hostKeyTypes()), hostKeyTypes()::contains))
            .byDefault(SfsConfig.Builder.HOST_KEY_TYPES.stream()
                    .map(Settings::word)
                    .toList())
            .says(
                    "Kinds of keys the server has. Only clients before 2014 need ecdsa, whose curve some auditors do not trust.");

    static final Setting<List<String>> CIPHERS = ALL.of(
                    "ciphers",
                    "names in SSH",
                    ValueTypes.list("a list of " + words(Algorithms.cipherNames()), Algorithms.cipherNames()::contains))
            .byDefault(SfsConfig.Builder.CIPHERS)
            .says("Ciphers that clients may choose from. The client's order counts, not this one.");

    static final Setting<Integer> CORES = ALL.add(CommonSettings.cores(SfsConfig.Builder.CORES));

    static final Setting<Boolean> PINNED = ALL.add(CommonSettings.pinned(SfsConfig.Builder.PINNED));

    static final Setting<Stealing> STEALING = ALL.add(CommonSettings.STEALING);

    static final Setting<Boolean> DEFAULT_COLOR = ALL.yesOrNo("default-color")
            .byDefault(SfsConfig.Builder.DEFAULT_COLOR)
            .says(
                    "Runs the requests of all clients in the default color, one at a time, as the paper's server did. For comparisons. Without it changes of one file, or of one name of a user, run one at a time in a color of theirs, and all else beside each other.");

    static final Setting<Boolean> STATS = ALL.add(CommonSettings.STATS);

    static final Setting<Transport> TRANSPORT = ALL.add(CommonSettings.transport(Transport.AUTO));

    static final Setting<Integer> BACKLOG = ALL.add(CommonSettings.backlog(SfsConfig.Builder.BACKLOG));

    static final Setting<Integer> MAX_CONNECTIONS = ALL.count("max-connections", "connections", 1, 1 << 20)
            .asFlag()
            .byDefault(SfsConfig.Builder.MAX_CONNECTIONS)
            .says("Most connections at once. One more is closed.");

    static final Setting<Integer> ADDRESS_CONNECTIONS_MAX = ALL.count(
                    "address-connections-max", "connections", 0, 1 << 20)
            .byDefault(SfsConfig.Builder.ADDRESS_CONNECTIONS_MAX)
            .says(
                    "Most connections of one client address at once (IPv6: of a /64). One more is closed. 0 is unlimited.");

    static final Setting<Integer> USER_CONNECTIONS_MAX = ALL.count("user-connections-max", "connections", 0, 1 << 20)
            .byDefault(SfsConfig.Builder.USER_CONNECTIONS_MAX)
            .says("Most connections of one user at once. One more is disconnected. 0 is unlimited.");

    static final Setting<Integer> LOGINS_MAX = ALL.count("logins-max", "connections", 1, 1 << 20)
            .byDefault(SfsConfig.Builder.LOGINS_MAX)
            .says(
                    "Most connections at once that have not logged in yet. For one more the oldest of the client address that has most of them is closed.");

    static final Setting<Integer> CHANNELS_MAX = ALL.count("channels-max", "conversations", 1, 1024)
            .byDefault(SfsConfig.Builder.CHANNELS_MAX)
            .says("Most SFTP conversations of one connection at once, as clients with a shared connection have.");

    static final Setting<Integer> HANDLES_MAX = ALL.count("handles-max", "files and folders", 1, 1 << 16)
            .byDefault(SfsConfig.Builder.HANDLES_MAX)
            .says("Most open files and folders of one conversation.");

    static final Setting<Integer> USER_HANDLES_MAX = ALL.count("user-handles-max", "files and folders", 0, 1 << 20)
            .byDefault(SfsConfig.Builder.USER_HANDLES_MAX)
            .says(
                    "Most open files and folders of one user, in all conversations of all connections. The root of each conversation is one. 0 is unlimited.");

    static final Setting<Duration> LOGIN_TIMEOUT = ALL.time("login-timeout", TIME_MIN, SfsConfig.Builder.TIME_MAX)
            .byDefault(SfsConfig.Builder.LOGIN_TIMEOUT)
            .says("How long a client may take to log in.");

    static final Setting<Duration> IDLE_TIMEOUT = ALL.time("idle-timeout", Duration.ZERO, SfsConfig.Builder.TIME_MAX)
            .byDefault(SfsConfig.Builder.IDLE_TIMEOUT)
            .says(
                    "How long a client may be silent. 0s is for ever. A client that sends keep-alives or waits for an answer is not silent.");

    static final Setting<Integer> LOGIN_TRIES = ALL.count("login-tries", "tries", 1, 1000)
            .byDefault(SfsConfig.Builder.LOGIN_TRIES)
            .says("Tries to log in on one connection. Each key that a client offers is one.");

    static final Setting<Duration> LOGIN_FAILURE_DELAY = ALL.time(
                    "login-failure-delay", Duration.ZERO, SfsConfig.Builder.TIME_MAX)
            .byDefault(SfsConfig.Builder.LOGIN_FAILURE_DELAY)
            .says("How long the answer to a wrong password is held back.");

    static final Setting<Integer> BAN_AFTER = ALL.count("ban-after", "failed logins", 0, 1 << 20)
            .byDefault(SfsConfig.Builder.BAN_AFTER)
            .says("A client address (IPv6: a /64) with more failed logins is banned. 0 is never.");

    static final Setting<Duration> BAN_FORGET = ALL.time("ban-forget", TIME_MIN, SfsConfig.Builder.TIME_MAX)
            .byDefault(SfsConfig.Builder.BAN_FORGET)
            .says("Time in which one failed login is forgotten. A login forgets them all.");

    static final Setting<Duration> BAN_TIME = ALL.time("ban-time", TIME_MIN, SfsConfig.Builder.TIME_MAX)
            .byDefault(SfsConfig.Builder.BAN_TIME)
            .says("How long an address is banned: its connections are closed at once.");

    static final Setting<Integer> BAN_ADDRESSES_MAX = ALL.count("ban-addresses-max", "addresses", 1, 1 << 24)
            .byDefault(SfsConfig.Builder.BAN_ADDRESSES_MAX)
            .says("Most addresses whose failed logins are remembered.");

    static final Setting<Boolean> SYMLINKS = ALL.yesOrNo("symlinks")
            .byDefault(SfsConfig.Builder.SYMLINKS)
            .says(
                    "Follows symbolic links, as if the root were all there is: none leads outside. Without it a path with a link in it is refused.");

    static final Setting<String> UMASK = ALL.of(
                    "umask",
                    "permissions",
                    ValueTypes.text(
                            "three octal digits", text -> OCTAL.matcher(text).matches()))
            .byDefault(String.format(Locale.ROOT, "%03o", SfsConfig.Builder.UMASK))
            .says("Permissions that new files and folders do not get.");

    static final Setting<Boolean> ATOMIC_UPLOADS = ALL.yesOrNo("atomic-uploads")
            .asFlag()
            .byDefault(SfsConfig.Builder.ATOMIC_UPLOADS)
            .says(
                    "Gives a new file its name only when the client has closed it, so that nobody sees a part of it. An upload that is cut off is gone, and can't be resumed.");

    static final Setting<Long> SLICE = ALL.size("slice", 32 << 10, 16 << 20)
            .byDefault((long) SfsConfig.Builder.SLICE_BYTES)
            .says("Most bytes of replies of one client before other clients of that core get their turn.");

    static final Setting<Duration> DRAIN_DEADLINE =
            ALL.add(CommonSettings.drainDeadline(SfsConfig.Builder.DRAIN_DEADLINE, SfsConfig.Builder.TIME_MAX));

    static final Setting<String> AUDIT_LOG = ALL.of(
                    "audit-log",
                    "path, relative to the current folder",
                    ValueTypes.text("empty, - or a path", Settings::isPath))
            .asFlag()
            .byDefault(SfsConfig.Builder.AUDIT_LOG)
            .says(
                    "File that a line is written to for each thing that somebody did: who, what, and how many bytes. - is standard error. Empty: none.");

    static final Setting<Long> AUDIT_LOG_ROTATE = ALL.size("audit-log-rotate", 0, Long.MAX_VALUE)
            .byDefault(SfsConfig.Builder.AUDIT_LOG_ROTATE_BYTES)
            .says("Size at which the audit log is rotated. 0 is never.");

    static final Setting<Duration> AUDIT_LOG_ROTATE_EVERY = ALL.time(
                    "audit-log-rotate-every", Duration.ZERO, Duration.ofDays(365))
            .byDefault(SfsConfig.Builder.AUDIT_LOG_ROTATE_EVERY)
            .says("Rotates the audit log at the end of each such time, counted from 1970 in UTC. 0s is never.");

    static final Setting<Integer> AUDIT_LOG_KEEP = ALL.count("audit-log-keep", "files", 0, 1000)
            .byDefault(SfsConfig.Builder.AUDIT_LOG_KEEP)
            .says("Rotated audit logs that are kept.");

    static final SettingTable TABLE = new SettingTable("sfs", ALL.all());

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
