// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.nio.file.Path;
import java.security.PublicKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.jspecify.annotations.Nullable;

/**
 * All who may log in.
 *
 * <p><b>Threads.</b> {@link #refresh}: one at a time, as it reads files; the rest: any.
 */
public final class Users {
    /** In place of a user's number: key files may be anybody's. */
    public static final int ANYBODY = -1;

    private final Map<String, Known> byName = new LinkedHashMap<>();
    private final Map<Path, KeyFile> files = new LinkedHashMap<>();
    private final @Nullable PasswordFile passwords;

    private record Known(User user, List<KeyFile> keys) {}

    /**
     * Reads the keys of all.
     *
     * @param users each name once
     * @param passwords null if nobody has one
     * @param serverUserId whom key files may belong to, beside root, if nobody else may write to them; {@link #ANYBODY} = that is not looked at
     * @throws IllegalArgumentException if a name is there twice
     */
    public Users(Collection<User> users, @Nullable PasswordFile passwords, int serverUserId) {
        this.passwords = passwords;
        for (User user : users) {
            List<KeyFile> keys = user.keyFiles().stream()
                    .map(file -> files.computeIfAbsent(file.toAbsolutePath(), each -> new KeyFile(each, serverUserId)))
                    .toList();
            if (byName.put(user.name(), new Known(user, keys)) != null) {
                throw new IllegalArgumentException("a user's name must be there once: name=" + user.name());
            }
        }
        refresh();
    }

    /** Looks whether files have changed, and reads those again. */
    public void refresh() {
        files.values().forEach(KeyFile::refresh);
        if (passwords != null) {
            passwords.refresh();
        }
    }

    /**
     * Finds one.
     *
     * @param name as the client says it
     * @return null if there is nobody of that name
     */
    public @Nullable User find(String name) {
        Known known = byName.get(name);
        return known == null ? null : known.user;
    }

    /**
     * Whether a key is a user's. Says nothing about who has its other half.
     *
     * @param name of a user
     * @param key any
     * @return false for an unknown user, too
     */
    public boolean hasKey(String name, PublicKey key) {
        Known known = byName.get(name);
        if (known == null) {
            return false;
        }
        for (KeyFile file : known.keys) {
            for (PublicKey each : file.keys()) {
                if (KeyUtils.compareKeys(each, key)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether passwords are asked for. */
    public boolean havePasswords() {
        return passwords != null;
    }

    /**
     * Tries a password. Takes long.
     *
     * @param name of a user
     * @param password as it was typed
     * @return whether it is right
     */
    public boolean hasPassword(String name, String password) {
        return passwords != null && passwords.matches(name, password) && byName.containsKey(name);
    }

    /**
     * How many keys each user has now.
     *
     * @return by name
     */
    public Map<String, Integer> keyCounts() {
        Map<String, Integer> counts = new HashMap<>();
        byName.forEach((name, known) -> counts.put(
                name, known.keys.stream().mapToInt(file -> file.keys().size()).sum()));
        return counts;
    }

    /**
     * All of them.
     *
     * @return in the order given
     */
    public List<User> all() {
        return byName.values().stream().map(Known::user).toList();
    }
}
