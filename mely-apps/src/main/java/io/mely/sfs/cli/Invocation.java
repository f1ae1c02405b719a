// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import io.mely.cli.Addresses;
import io.mely.cli.Roots;
import io.mely.cli.StartException;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.ssh.HostKeys;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.Secrets;
import io.mely.sfs.users.User;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Makes a configuration of what the user asked for. */
final class Invocation {
    private static final int OCTAL = 8;

    private Invocation() {}

    /**
     * Builds the configuration.
     *
     * @param values from all sources
     * @return the configuration, its root checked
     * @throws UsageException when values don't go together, or the file of users is wrong
     * @throws StartException when the root or the address isn't there
     */
    static SfsConfig of(Values values) throws UsageException, StartException {
        Path root = Roots.check(values, Settings.ROOT);
        InetAddress address = Addresses.lookUp(values, Settings.BIND);
        try {
            List<User> users = users(values, root);
            checkUsersFile(values, users);
            return build(SfsConfig.builder(users, Settings.path(values.get(Settings.HOST_KEYS))), values)
                    .bind(new InetSocketAddress(address, values.get(Settings.PORT)))
                    .build();
        } catch (IllegalArgumentException refused) {
            // Not reached while the ranges of Settings are those of SfsConfig; a message all the same.
            throw new UsageException(Text.escape(String.valueOf(refused.getMessage())));
        }
    }

    private static void checkUsersFile(Values values, List<User> users) throws StartException {
        String file = values.get(Settings.USERS);
        if (file.isEmpty()) {
            return;
        }
        try {
            Secrets.check("the file of users", Settings.path(file), users);
        } catch (NoSuchFileException missing) {
            return; // a root that is not there: the start says so
        } catch (IOException below) {
            throw new StartException(Text.escape(String.valueOf(below.getMessage())));
        }
    }

    private static List<User> users(Values values, Path root) throws UsageException {
        boolean isWritable = values.get(Settings.WRITE);
        String file = values.get(Settings.USERS);
        if (!file.isEmpty()) {
            if (values.isGiven(Settings.USER) || values.isGiven(Settings.AUTHORIZED_KEYS)) {
                throw new UsageException(values.describe(Settings.USERS)
                        + ": not allowed together with user or authorized-keys: who may log in is in that file");
            }
            return UsersFile.read(Settings.path(file), root, isWritable);
        }
        String name = values.get(Settings.USER);
        String known = name.isEmpty() ? System.getProperty("user.name", "") : name;
        if (!User.isName(known)) {
            throw new UsageException("user: the name of whoever runs the server is not known; say --user NAME");
        }
        String keys = values.get(Settings.AUTHORIZED_KEYS);
        return List.of(new User(
                known,
                root,
                isWritable ? Right.ALL : Right.READ_ONLY,
                0,
                keys.isEmpty() ? List.of() : List.of(Settings.path(keys))));
    }

    private static SfsConfig.Builder build(SfsConfig.Builder builder, Values values) {
        String passwords = values.get(Settings.PASSWORD_FILE);
        String audit = values.get(Settings.AUDIT_LOG);
        return builder.passwordFile(passwords.isEmpty() ? null : Settings.path(passwords))
                .strictModes(values.get(Settings.STRICT_MODES))
                .hostKeyTypes(values.get(Settings.HOST_KEY_TYPES).stream()
                        .map(word -> HostKeys.Type.valueOf(word.toUpperCase(Locale.ROOT)))
                        .toList())
                .ciphers(values.get(Settings.CIPHERS))
                .cores(values.get(Settings.CORES))
                .pinned(values.get(Settings.PINNED))
                .stealing(values.get(Settings.STEALING))
                .defaultColor(values.get(Settings.DEFAULT_COLOR))
                .transport(values.get(Settings.TRANSPORT))
                .backlog(values.get(Settings.BACKLOG))
                .maxConnections(values.get(Settings.MAX_CONNECTIONS))
                .addressConnectionsMax(values.get(Settings.ADDRESS_CONNECTIONS_MAX))
                .userConnectionsMax(values.get(Settings.USER_CONNECTIONS_MAX))
                .loginsMax(values.get(Settings.LOGINS_MAX))
                .channelsMax(values.get(Settings.CHANNELS_MAX))
                .handlesMax(values.get(Settings.HANDLES_MAX))
                .userHandlesMax(values.get(Settings.USER_HANDLES_MAX))
                .loginTimeout(values.get(Settings.LOGIN_TIMEOUT))
                .idleTimeout(values.get(Settings.IDLE_TIMEOUT))
                .loginTries(values.get(Settings.LOGIN_TRIES))
                .loginFailureDelay(values.get(Settings.LOGIN_FAILURE_DELAY))
                .banAfter(values.get(Settings.BAN_AFTER))
                .banForget(values.get(Settings.BAN_FORGET))
                .banTime(values.get(Settings.BAN_TIME))
                .banAddressesMax(values.get(Settings.BAN_ADDRESSES_MAX))
                .symlinks(values.get(Settings.SYMLINKS))
                .umask(Integer.parseInt(values.get(Settings.UMASK), OCTAL))
                .atomicUploads(values.get(Settings.ATOMIC_UPLOADS))
                .sliceBytes(Math.toIntExact(values.get(Settings.SLICE)))
                .drainDeadline(values.get(Settings.DRAIN_DEADLINE))
                .auditLog(audit.startsWith(Settings.HOME) ? Settings.path(audit).toString() : audit)
                .auditLogRotateBytes(values.get(Settings.AUDIT_LOG_ROTATE))
                .auditLogRotateEvery(values.get(Settings.AUDIT_LOG_ROTATE_EVERY))
                .auditLogKeep(values.get(Settings.AUDIT_LOG_KEEP));
    }
}
