// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;
import org.jspecify.annotations.Nullable;

/**
 * A file of password hashes, as {@code htpasswd -B} makes it: on each line a name, a colon and a bcrypt hash. Read again when it has changed.
 *
 * <p><b>Threads.</b> {@link #matches}: any, and it takes long: that is what the hash is for. {@link #refresh}: one at a time.
 */
public final class PasswordFile {
    private static final System.Logger LOG = System.getLogger(PasswordFile.class.getName());
    private static final Pattern BCRYPT = Pattern.compile("\\$2[aby]\\$(0[4-9]|[12]\\d|3[01])\\$[./A-Za-z0-9]{53}");

    /** Where a hash says its cost. */
    private static final int COST_AT = 4;

    /** Bcrypt takes no more. A longer password is refused, as its rest would not count. */
    private static final int PASSWORD_BYTES_MAX = 72;

    private static final int SALT_BYTES = 16;

    /** Cost of the hashes made here: 2^12 rounds, what OWASP asks for at least is 2^10. */
    private static final int COST = 12;

    private final Path path;

    /**
     * What it says now.
     *
     * @param nobody for a name that is not there: as costly as the costliest hash, so that asking for it takes as long
     */
    private record Hashes(Map<String, String> byName, String nobody) {}

    private volatile Hashes hashes;
    private @Nullable FileState state;

    private PasswordFile(Path path) throws IOException {
        this.path = path;
        state = FileState.of(path).ifSettled();
        hashes = read();
    }

    /**
     * Opens a file.
     *
     * @param path of it
     * @return its hashes
     * @throws IOException naming the file, if it can't be read, or naming the line that is no name and hash
     */
    public static PasswordFile open(Path path) throws IOException {
        return new PasswordFile(path);
    }

    private Hashes read() throws IOException {
        List<String> lines = Files.readAllLines(path);
        Map<String, String> found = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            int colon = line.indexOf(':');
            String name = line.substring(0, Math.max(0, colon));
            String hash = line.substring(colon + 1);
            if (!User.isName(name) || !BCRYPT.matcher(hash).matches()) {
                throw new IOException(
                        path + ":" + (i + 1)
                                + ": not a name, a colon and a bcrypt hash, as sfs.jar --hash-password or htpasswd -B makes it");
            }
            if (found.put(name, hash) != null) {
                throw new IOException(path + ":" + (i + 1) + ": a second hash for the same name");
            }
        }
        int cost = found.values().stream().mapToInt(PasswordFile::cost).max().orElse(COST);
        return new Hashes(Map.copyOf(found), hash("no password has this hash".toCharArray(), cost));
    }

    private static int cost(String hash) {
        return Integer.parseInt(hash.substring(COST_AT, COST_AT + 2));
    }

    /** For tests. */
    int costOfNobody() {
        return cost(hashes.nobody);
    }

    /** Reads it if it is not what it was. If it is wrong now, what it was counts on. */
    void refresh() {
        try {
            FileState now = FileState.of(path);
            if (!now.equals(state)) {
                state = now.ifSettled();
                hashes = read();
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "passwords stay as they were: {0}", e.getMessage());
        }
    }

    /**
     * Whether a name has a hash at all.
     *
     * @param name of a user
     * @return whether a password may be right
     */
    public boolean contains(String name) {
        return hashes.byName.containsKey(name);
    }

    /**
     * Tries a password. <b>Costs.</b> Some 0.2 s of a CPU, whether the name is there or not.
     *
     * @param name of a user
     * @param password as it was typed
     * @return whether it is right
     */
    public boolean matches(String name, String password) {
        Hashes now = hashes;
        String hash = now.byName.get(name);
        boolean isShort = password.getBytes(StandardCharsets.UTF_8).length <= PASSWORD_BYTES_MAX;
        boolean isRight =
                OpenBSDBCrypt.checkPassword(hash == null ? now.nobody : hash, (isShort ? password : "").toCharArray());
        return isRight && hash != null && isShort;
    }

    /**
     * Makes a hash for such a file.
     *
     * @param password at most 72 bytes of UTF-8
     * @return the hash
     * @throws IllegalArgumentException if it is longer
     */
    public static String hash(char[] password) {
        return hash(password, COST);
    }

    static String hash(char[] password, int cost) {
        if (new String(password).getBytes(StandardCharsets.UTF_8).length > PASSWORD_BYTES_MAX) {
            throw new IllegalArgumentException("a password must have at most " + PASSWORD_BYTES_MAX + " bytes");
        }
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return OpenBSDBCrypt.generate("2y", password, salt, cost);
    }
}
