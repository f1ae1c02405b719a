// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import io.mely.cli.Text;
import io.mely.cli.Units;
import io.mely.cli.UsageException;
import io.mely.deploy.Block;
import io.mely.deploy.Nearest;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.User;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the file of users: HOCON, a block for each.
 *
 * <pre>
 *   alice {
 *     keys = alice.pub                       # authorized_keys files, relative to this file; one or a list
 *     root = /srv/files/alice                # default: the server's root
 *     rights = [list, read, create]          # or read-only, or all; default: as --write says
 *     quota = 10 GiB                         # default: none
 *   }
 * </pre>
 *
 * <p><b>Threads.</b> Not safe for use by several. <b>Bounds.</b> A file has at most 1 MiB.
 */
final class UsersFile {
    private static final int BYTES_MAX = 1 << 20;
    private static final String READ_ONLY = "read-only";
    private static final String ALL = "all";

    private final Path file;
    private final Path root;
    private final boolean isWritable;
    private final List<String> problems = new ArrayList<>();

    private UsersFile(Path file, Path root, boolean isWritable) {
        this.file = file;
        this.root = root;
        this.isWritable = isWritable;
    }

    /**
     * Reads a file.
     *
     * @param file its path
     * @param root of users that have none of their own
     * @param isWritable whether users whose rights are not said have all
     * @return at least one
     * @throws UsageException naming file, line and key of each problem
     */
    static List<User> read(Path file, Path root, boolean isWritable) throws UsageException {
        return new UsersFile(file, root, isWritable).readAll();
    }

    private List<User> readAll() throws UsageException {
        Config config = parse(load());
        Block all = new Block(Text.escape(file.toString()), "", config.root(), problems);
        List<User> users = new ArrayList<>();
        for (String name : all.names().stream().sorted().toList()) {
            Block block = all.block(name);
            if (block != null) {
                User user = readUser(name, all, block);
                if (user != null) {
                    users.add(user);
                }
                block.end();
            }
        }
        all.end();
        if (problems.isEmpty() && users.isEmpty()) {
            problems.add(Text.escape(file.toString()) + ": no user");
        }
        if (!problems.isEmpty()) {
            throw new UsageException(problems.stream().map(Text::escape).toList());
        }
        return users;
    }

    private String load() throws UsageException {
        String start = "file of users " + Text.quote(file.toString()) + ": ";
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw new UsageException(start + "longer than " + Units.show(BYTES_MAX));
            }
            return Files.readString(file);
        } catch (IOException e) {
            throw new UsageException(start + "cannot be read: " + Text.escape(e.toString()));
        }
    }

    private Config parse(String text) throws UsageException {
        try {
            return ConfigFactory.parseString(
                            text,
                            ConfigParseOptions.defaults()
                                    .setSyntax(ConfigSyntax.CONF)
                                    .setOriginDescription(file.toString()))
                    .resolve();
        } catch (ConfigException e) {
            throw new UsageException(Text.escape(String.valueOf(e.getMessage())));
        }
    }

    private @Nullable User readUser(String name, Block all, Block block) {
        if (!User.isName(name)) {
            all.wrong(name, "a user's name has no spaces and no colons");
            return null;
        }
        List<Path> keys = new ArrayList<>();
        for (String each : textsOf(block, "keys")) {
            Path path = pathOf(block, "keys", each);
            if (path != null) {
                keys.add(path);
            }
        }
        String ownRoot = block.text("root", "");
        Path path = ownRoot.isEmpty() ? root : pathOf(block, "root", ownRoot);
        Set<Right> rights = rightsOf(block);
        long quota = quotaOf(block);
        return path == null ? null : new User(name, path, rights, quota, keys);
    }

    /** One text, or a list of them. */
    private static List<String> textsOf(Block block, String key) {
        return block.isList(key)
                ? block.texts(key)
                : List.of(block.text(key, "")).stream()
                        .filter(text -> !text.isEmpty())
                        .toList();
    }

    private @Nullable Path pathOf(Block block, String key, String text) {
        try {
            return text.startsWith(Settings.HOME)
                    ? Settings.path(text)
                    : file.toAbsolutePath().resolveSibling(text).normalize();
        } catch (InvalidPathException notAPath) {
            block.wrong(key, "not a path");
            return null;
        }
    }

    private Set<Right> rightsOf(Block block) {
        List<String> words = textsOf(block, "rights");
        if (!block.has("rights")) {
            return isWritable ? Right.ALL : Right.READ_ONLY;
        }
        if (words.equals(List.of(READ_ONLY))) {
            return Right.READ_ONLY;
        }
        if (words.equals(List.of(ALL))) {
            return Right.ALL;
        }
        Set<Right> rights = EnumSet.noneOf(Right.class);
        Collection<String> known =
                new ArrayList<>(Arrays.stream(Right.values()).map(Right::word).toList());
        for (String word : words) {
            if (known.contains(word)) {
                Arrays.stream(Right.values())
                        .filter(each -> each.word().equals(word))
                        .forEach(rights::add);
            } else {
                known.addAll(List.of(READ_ONLY, ALL));
                block.wrong("rights", "'" + word + "' is unknown; the nearest is " + Nearest.to(word, known));
            }
        }
        return rights;
    }

    private static long quotaOf(Block block) {
        String text = block.text("quota", "0");
        long bytes = Units.bytes(text);
        if (bytes < 0) {
            block.wrong("quota", "'" + text + "' is no size");
            return 0;
        }
        return bytes;
    }
}
