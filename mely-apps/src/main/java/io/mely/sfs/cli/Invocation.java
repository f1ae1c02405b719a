// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import io.mely.cli.Addresses;
import io.mely.cli.Roots;
import io.mely.cli.SettingException;
import io.mely.cli.StartException;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsSettings;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.Secrets;
import io.mely.sfs.users.User;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Makes a configuration of what the user asked for. */
final class Invocation {
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
        String passwords = values.get(Settings.PASSWORD_FILE);
        String audit = values.get(SfsSettings.AUDIT_LOG);
        try {
            List<User> users = users(values, root);
            checkUsersFile(values, users);
            return SfsConfig.builder(users, Settings.path(values.get(Settings.HOST_KEYS)))
                    .passwordFile(passwords.isEmpty() ? null : Settings.path(passwords))
                    .bind(new InetSocketAddress(address, values.get(Settings.PORT)))
                    .set(values)
                    .set(
                            SfsSettings.AUDIT_LOG,
                            audit.startsWith(Settings.HOME)
                                    ? Settings.path(audit).toString()
                                    : audit)
                    .build();
        } catch (SettingException wrong) {
            throw new UsageException(values.describe(wrong.setting()) + ": " + Text.escape(wrong.reason()));
        } catch (IllegalArgumentException refused) {
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
}
