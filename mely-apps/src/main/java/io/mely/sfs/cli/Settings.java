// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingList;
import io.mely.cli.SettingTable;
import io.mely.cli.ValueTypes;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsSettings;
import io.mely.sfs.users.User;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * All settings of SFS: those of {@link SfsSettings}, and here those that say in other words what {@link SfsConfig} has as a whole, as who the only user is where there is no
 * file of users.
 */
final class Settings {
    private static final SettingList OWN = new SettingList();

    /** In paths of the settings: the home of whoever runs the server. */
    static final String HOME = "~/";

    static final Setting<Path> ROOT = OWN.of("root", "path, relative to the current folder", ValueTypes.path())
            .asFlag()
            .byDefault(Path.of("."))
            .says(
                    "The folder that is served: the / of the user, or of all users that have no root of their own. Nothing outside it ever is.");

    static final Setting<Integer> PORT = OWN.add(CommonSettings.port(SfsConfig.PORT));

    static final Setting<String> BIND = OWN.add(CommonSettings.BIND);

    static final Setting<String> ADMIN = OWN.add(CommonSettings.ADMIN);

    static final Setting<Boolean> STATS = OWN.add(CommonSettings.STATS);

    static final Setting<Boolean> WRITE = OWN.yesOrNo("write")
            .asFlag()
            .byDefault(false)
            .says(
                    "Whether the user, or all users whose rights are not said, may make, change and delete files. Without it they may list and read.");

    static final Setting<String> USERS = file("users")
            .byDefault("")
            .says(
                    "File of the users, each with keys, root, rights and quota. Empty: one user, whom the next two keys tell.");

    static final Setting<String> USER = OWN.of(
                    "user",
                    "name",
                    ValueTypes.text(
                            "empty or a name without spaces and colons", name -> name.isEmpty() || User.isName(name)))
            .asFlag()
            .byDefault("")
            .says("Name of the only user. Empty: that of whoever runs the server. Not together with users.");

    static final Setting<String> AUTHORIZED_KEYS = file("authorized-keys")
            .byDefault("~/.ssh/authorized_keys")
            .says(
                    "File of the only user's public keys, looked at again at each connection. Empty: none. Not together with users.");

    static final Setting<String> PASSWORD_FILE = file("password-file")
            .byDefault("")
            .says(
                    "File of bcrypt hashes, as sfs.jar --hash-password or htpasswd -B makes them. Empty: nobody has a password, keys alone count.");

    static final Setting<String> HOST_KEYS = OWN.of(
                    "host-keys",
                    "path, relative to the current folder",
                    ValueTypes.text("a path", text -> !text.isEmpty() && isPath(text)))
            .asFlag()
            .byDefault("~/.config/sfs")
            .says("Folder of the server's keys, in OpenSSH's files (ssh_host_ed25519_key). What is not there is made.");

    static final SettingTable TABLE = new SettingTable(
            "sfs", Stream.of(OWN.all(), SfsSettings.all()).flatMap(List::stream).toList());

    private Settings() {}

    /** A file that may be left out. */
    private static Setting.Draft<String> file(String key) {
        return OWN.of(key, "path, relative to the current folder", ValueTypes.text("empty or a path", Settings::isPath))
                .asFlag();
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
