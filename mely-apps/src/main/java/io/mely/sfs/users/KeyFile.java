// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.users;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.sshd.common.config.keys.AuthorizedKeyEntry;
import org.apache.sshd.common.config.keys.PublicKeyEntryResolver;
import org.jspecify.annotations.Nullable;

/**
 * An {@code authorized_keys} file, read again when it has changed. A file that others could have changed gives no keys, as with OpenSSH ({@link StrictModes}); nor does one
 * that can't be read. A key with an option that SFS can't keep to is left out: to ignore a restriction would open what somebody has closed.
 *
 * <p><b>Threads.</b> {@link #refresh}: one at a time; {@link #keys}: any.
 */
final class KeyFile {
    private static final System.Logger LOG = System.getLogger(KeyFile.class.getName());

    /** Options that forbid what SFS does not do for anybody. */
    private static final Set<String> KEPT_OPTIONS = Set.of(
            "restrict", "no-pty", "no-port-forwarding", "no-agent-forwarding", "no-x11-forwarding", "no-user-rc");

    private static final String COMMAND = "command";
    private static final String SFTP_COMMAND = "internal-sftp";

    private final Path path;
    private final int serverUserId;
    private @Nullable FileState state;
    private @Nullable String told;
    private volatile List<PublicKey> keys = List.of();

    /** @param serverUserId the user whom it may belong to, beside root; {@link Users#ANYBODY} = it is not asked whom */
    KeyFile(Path path, int serverUserId) {
        this.path = path;
        this.serverUserId = serverUserId;
    }

    /** Those of its last state that was read. */
    List<PublicKey> keys() {
        return keys;
    }

    /** Reads it if it is not what it was. */
    void refresh() {
        try {
            String wrong = serverUserId == Users.ANYBODY ? null : StrictModes.whyNot(path, serverUserId);
            if (wrong != null) {
                giveNone(wrong);
                return;
            }
            FileState now = FileState.of(path);
            if (!now.equals(state)) {
                FileState settled = now.ifSettled();
                keys = read();
                state = settled;
                told = null;
            }
        } catch (IOException missing) {
            giveNone("it can't be read: " + missing);
        }
    }

    /** Said once, and again when the reason is another. */
    private void giveNone(String why) {
        keys = List.of();
        state = null;
        if (!why.equals(told)) {
            told = why;
            LOG.log(Level.WARNING, "no keys of {0}, as {1}", path, why);
        }
    }

    private List<PublicKey> read() throws IOException {
        List<PublicKey> found = new ArrayList<>();
        int line = 0;
        for (String text : Files.readAllLines(path)) {
            line++;
            String entry = text.strip();
            if (entry.isEmpty() || entry.startsWith("#")) {
                continue;
            }
            PublicKey key = readLine(entry, path + ":" + line + ": ");
            if (key != null) {
                found.add(key);
            }
        }
        return List.copyOf(found);
    }

    private static @Nullable PublicKey readLine(String entry, String where) {
        try {
            AuthorizedKeyEntry parsed = AuthorizedKeyEntry.parseAuthorizedKeyEntry(entry);
            Map<String, String> options = parsed.getLoginOptions();
            for (Map.Entry<String, String> option :
                    options == null ? Set.<Map.Entry<String, String>>of() : options.entrySet()) {
                String name = option.getKey().toLowerCase(Locale.ROOT);
                boolean isSftp =
                        name.equals(COMMAND) && option.getValue().strip().equals(SFTP_COMMAND);
                if (!isSftp && !KEPT_OPTIONS.contains(name)) {
                    LOG.log(Level.WARNING, "{0}key left out, as its option can''t be kept to: {1}", where, name);
                    return null;
                }
            }
            return parsed.resolvePublicKey(null, Map.of(), PublicKeyEntryResolver.FAILING);
        } catch (IOException | GeneralSecurityException | RuntimeException wrong) {
            LOG.log(Level.WARNING, "{0}key left out: {1}", where, wrong.getMessage());
            return null;
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
