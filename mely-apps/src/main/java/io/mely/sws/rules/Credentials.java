// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A name and a password, as a client sends them (RFC 7617).
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class Credentials {
    private static final String SCHEME = "basic ";

    private final String name;
    private final byte[] password;

    private Credentials(String name, byte[] password) {
        this.name = name;
        this.password = password;
    }

    /**
     * Reads the field Authorization.
     *
     * @param field its value
     * @return null if it is of another scheme or malformed; a password has no zero, behind which bcrypt would not look
     */
    public static @Nullable Credentials parse(String field) {
        if (!field.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(field.substring(SCHEME.length()).strip());
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
        int colon = 0;
        while (colon < bytes.length && bytes[colon] != ':') {
            colon++;
        }
        if (colon == bytes.length) {
            return null;
        }
        for (byte each : bytes) {
            if (each == 0) {
                return null;
            }
        }
        try {
            String name = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, colon))
                    .toString();
            return new Credentials(name, Arrays.copyOfRange(bytes, colon + 1, bytes.length));
        } catch (CharacterCodingException notText) {
            return null;
        }
    }

    String name() {
        return name;
    }

    /**
     * The name, as it was sent.
     *
     * @return UTF-8
     */
    public byte[] nameBytes() {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    byte[] password() {
        return password;
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "Credentials[" + name + "]";
    }
}
