// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import io.netty.handler.ssl.OpenSslSessionTicketKey;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys that session tickets are sealed with: the first one, and those that open what was sealed before. Who steals a key can read what was said by sessions resumed
 * with it, so a key is forgotten when the last ticket under it has ended. Keys outlive a change of certificates.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> {@link #KEPT} keys of its own, or as many as there are files.
 */
final class Tickets {
    /** The current key, and the two before: a ticket lives for two changes of keys. */
    private static final int KEPT = 3;

    private final SecureRandom random;
    private List<OpenSslSessionTicketKey> keys = List.of(); // guarded by this
    private boolean isOwn = true; // guarded by this

    Tickets(SecureRandom random) {
        this.random = random;
        rotate();
    }

    /** A new key seals from now on, unless keys come from files. */
    synchronized void rotate() {
        if (isOwn) {
            byte[] key = new byte[OpenSslSessionTicketKey.TICKET_KEY_SIZE];
            random.nextBytes(key);
            List<OpenSslSessionTicketKey> next = new ArrayList<>(List.of(key(key)));
            next.addAll(keys.subList(0, Math.min(keys.size(), KEPT - 1)));
            keys = List.copyOf(next);
        }
    }

    /** Forgets keys of its own: what they have sealed is not resumed. */
    synchronized void forget() {
        if (isOwn) {
            keys = List.of();
            rotate();
        }
    }

    /** Takes the keys of files; of its own if there are none. */
    synchronized void use(List<OpenSslSessionTicketKey> ofFiles) {
        if (!ofFiles.isEmpty()) {
            keys = List.copyOf(ofFiles);
            isOwn = false;
        } else if (!isOwn) {
            keys = List.of();
            isOwn = true;
            rotate();
        }
    }

    synchronized OpenSslSessionTicketKey[] keys() {
        return keys.toArray(new OpenSslSessionTicketKey[0]);
    }

    /** Reads the keys of files. */
    static List<OpenSslSessionTicketKey> read(List<Path> files) throws IOException {
        List<OpenSslSessionTicketKey> keys = new ArrayList<>();
        for (Path file : files) {
            byte[] bytes = readFile(file);
            if (bytes.length != OpenSslSessionTicketKey.TICKET_KEY_SIZE) {
                throw new TlsException(file + ": a key of tickets must have " + OpenSslSessionTicketKey.TICKET_KEY_SIZE
                        + " bytes, and this has " + bytes.length + "; make one by: openssl rand -out " + file + " "
                        + OpenSslSessionTicketKey.TICKET_KEY_SIZE);
            }
            keys.add(key(bytes));
        }
        return keys;
    }

    private static byte[] readFile(Path file) throws IOException {
        try {
            return Pem.read(file);
        } catch (java.nio.file.NoSuchFileException e) {
            throw new TlsException(file + ": there is no such file", e);
        }
    }

    private static OpenSslSessionTicketKey key(byte[] bytes) {
        int hmacAt = OpenSslSessionTicketKey.NAME_SIZE;
        int aesAt = hmacAt + OpenSslSessionTicketKey.HMAC_KEY_SIZE;
        return new OpenSslSessionTicketKey(
                Arrays.copyOfRange(bytes, 0, hmacAt),
                Arrays.copyOfRange(bytes, hmacAt, aesAt),
                Arrays.copyOfRange(bytes, aesAt, bytes.length));
    }
}
