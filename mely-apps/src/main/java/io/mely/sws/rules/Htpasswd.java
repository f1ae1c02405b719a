// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Names and bcrypt hashes, as {@code htpasswd -B} writes them.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Bounds.</b> A file has at most 1 MiB.
 */
final class Htpasswd {
    private static final System.Logger LOG = System.getLogger(Htpasswd.class.getName());
    private static final int BYTES_MAX = 1 << 20;

    /** {@code $2y$10$}, 22 characters of salt, 31 of hash. */
    private static final Pattern HASH = Pattern.compile("\\$2[aby]\\$(0[4-9]|[12][0-9]|3[01])\\$[./A-Za-z0-9]{53}");

    private static final int COST_AT = 4;

    /** Of the version of {@code htpasswd}; what a longer password has behind 72 bytes does not count, as there. */
    private static final BCrypt.Verifyer VERIFYER =
            BCrypt.verifyer(BCrypt.Version.VERSION_2Y, LongPasswordStrategies.truncate(BCrypt.Version.VERSION_2Y));

    private final Map<String, byte[]> hashes;

    /** What a name that is not there is compared with, so that it takes as long. Empty if there are no names. */
    private final byte[] decoy;

    private Htpasswd(Map<String, byte[]> hashes) {
        this.hashes = hashes;
        decoy = hashes.values().stream()
                .max(Comparator.comparing(Htpasswd::costOf))
                .orElse(new byte[0]);
    }

    /**
     * Reads a file.
     *
     * @throws IOException naming file, line and what is wrong
     */
    static Htpasswd read(Path file) throws IOException {
        String[] lines = load(file).split("\\R", -1);
        Map<String, byte[]> hashes = new LinkedHashMap<>();
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i].strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String start = file + ":" + (i + 1) + ": ";
            int colon = line.indexOf(':');
            String name = line.substring(0, Math.max(0, colon));
            String hash = line.substring(colon + 1);
            if (name.isEmpty() || !HASH.matcher(hash).matches()) {
                throw new IOException(start + "not a name, a colon and a bcrypt hash, as htpasswd -B writes it");
            }
            if (hashes.put(name, hash.getBytes(StandardCharsets.US_ASCII)) != null) {
                throw new IOException(start + "a second hash for the same name");
            }
        }
        warnIfCostsDiffer(file, hashes);
        return new Htpasswd(hashes);
    }

    /** The time of a refusal tells the cost, and so tells names that are there from others. */
    private static void warnIfCostsDiffer(Path file, Map<String, byte[]> hashes) {
        List<String> costs = hashes.values().stream()
                .map(Htpasswd::costOf)
                .distinct()
                .sorted()
                .toList();
        if (costs.size() > 1) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0}: hashes of different costs ({1}), by whose times a stranger can tell which names there are",
                    file,
                    String.join(", ", costs));
        }
    }

    private static String costOf(byte[] hash) {
        return new String(hash, COST_AT, 2, StandardCharsets.US_ASCII);
    }

    private static String load(Path file) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(BYTES_MAX + 1);
        } catch (NoSuchFileException missing) {
            throw new IOException(file + ": no such file", missing);
        } catch (AccessDeniedException denied) {
            throw new IOException(file + ": may not be read", denied);
        } catch (IOException failed) {
            throw new IOException(file + ": " + failed.getMessage(), failed);
        }
        if (bytes.length > BYTES_MAX) {
            throw new IOException(file + ": longer than 1 MiB");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new IOException(file + ": not UTF-8 text", notText);
        }
    }

    /** Whether a name is there with the hash that it has elsewhere. */
    boolean hasSame(String name, Htpasswd other) {
        byte[] hash = hashes.get(name);
        return hash != null && Arrays.equals(hash, other.hashes.get(name));
    }

    /**
     * Tries a password. <b>Costs.</b> What the hash costs, by its own word: some 50 ms with cost 10; no less if there is no such name.
     *
     * @param name of a user
     * @param password in UTF-8, without a zero
     */
    boolean matches(String name, byte[] password) {
        byte[] hash = hashes.getOrDefault(name, decoy);
        boolean isRight = hash.length > 0 && VERIFYER.verify(password, hash).verified;
        return isRight && hashes.containsKey(name);
    }
}
