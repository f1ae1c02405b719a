// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A content coding (RFC 9110 8.4.1) that files may be stored in, beside the file itself; the one that compresses best comes first. */
public enum Coding {
    /** Brotli, RFC 7932. */
    BR(".br", 1),
    /** Zstandard, RFC 8878. */
    ZSTD(".zst", 2),
    /** Gzip, RFC 1952. */
    GZIP(".gz", 4);

    private final String suffix;
    private final int bit;
    private final String token;

    Coding(String suffix, int bit) {
        this.bit = bit;
        this.suffix = suffix;
        token = name().toLowerCase(Locale.ROOT);
    }

    /**
     * What the name of a file in this coding ends with.
     *
     * @return with its dot
     */
    public String suffix() {
        return suffix;
    }

    /**
     * The coding's place in a set.
     *
     * @return one bit
     */
    public int bit() {
        return bit;
    }

    /**
     * Finds a coding by its token.
     *
     * @param token in any case
     * @return null if there is none
     */
    public static @Nullable Coding parse(String token) {
        for (Coding coding : values()) {
            if (coding.token.equalsIgnoreCase(token)) {
                return coding;
            }
        }
        return null;
    }

    /** The token of Content-Encoding. */
    @Override
    public String toString() {
        return token;
    }
}
