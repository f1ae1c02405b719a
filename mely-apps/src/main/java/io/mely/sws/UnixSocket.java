// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Unix socket to listen at.
 *
 * <p><b>Threads.</b> Any; immutable.
 *
 * @param path its file
 * @param permissions of the file: who may write may connect
 */
public record UnixSocket(Path path, Set<PosixFilePermission> permissions) {
    private static final Pattern TEXT = Pattern.compile("(\\S+)([ \t]+([0-7]{3}))?");
    private static final String LETTERS = "rwxrwxrwx";

    /** Owner and group may connect. */
    private static final String MODE = "660";

    /** Keeps a copy. */
    public UnixSocket {
        permissions = Set.copyOf(permissions);
    }

    /**
     * Reads {@code PATH} or {@code PATH MODE}, as {@code /run/sws/http.sock 660}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable UnixSocket parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        int bits = Integer.parseInt(parts.group(3) == null ? MODE : parts.group(3), 8);
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < LETTERS.length(); i++) {
            boolean isSet = (bits >> (LETTERS.length() - 1 - i) & 1) != 0;
            letters.append(isSet ? LETTERS.charAt(i) : '-');
        }
        try {
            return new UnixSocket(Path.of(parts.group(1)), PosixFilePermissions.fromString(letters.toString()));
        } catch (InvalidPathException notAPath) {
            return null;
        }
    }
}
