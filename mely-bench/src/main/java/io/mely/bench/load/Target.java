// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * What is asked for, and what must come back. What is not known beforehand is learned from the first whole response with the right status; all
 * later ones must be like it.
 *
 * <p><b>Threads.</b> Each loop has its own copy.
 */
final class Target {
    /** Not known. */
    static final long ANY = -1;

    final String method;
    final String path;
    final int status;

    /** How often it is asked for, beside others. */
    final double weight;

    private long length;
    private long checksum;

    /**
     * A target.
     *
     * @param status that is right
     * @param length of the body in bytes, or {@link #ANY}
     * @param checksum CRC-32C of the body, or {@link #ANY}
     */
    Target(String method, String path, int status, long length, long checksum) {
        this(method, path, status, length, checksum, 1);
    }

    /**
     * The same, asked for more or less often than others.
     *
     * @param weight &gt; 0
     */
    Target(String method, String path, int status, long length, long checksum, double weight) {
        if (!path.startsWith("/") || path.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
            throw new IllegalArgumentException("a path begins with / and has no white space: " + path);
        }
        this.method = method;
        this.path = path;
        this.status = status;
        this.length = length;
        this.checksum = checksum;
        this.weight = weight;
    }

    /** Says whether a body may be so long; the first tells. */
    boolean accepts(long bytes) {
        if (length == ANY) {
            length = bytes;
        }
        return length == bytes;
    }

    /** Says whether a body may have this checksum; the first tells. */
    boolean acceptsChecksum(long value) {
        if (checksum == ANY) {
            checksum = value;
        }
        return checksum == value;
    }

    /** The bytes of a request. */
    byte[] request(String host, String headers) {
        return (method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    Target copy() {
        return new Target(method, path, status, length, checksum, weight);
    }

    /** For the way to a slave. */
    String text() {
        return String.join(
                " ",
                method,
                path,
                Integer.toString(status),
                Long.toString(length),
                Long.toString(checksum),
                Double.toString(weight));
    }

    /** A file below the root, by its name: all of it, and nothing else, is right. */
    static Target of(Path file) throws IOException {
        byte[] body = Files.readAllBytes(file);
        CRC32C checksum = new CRC32C();
        checksum.update(body);
        return new Target("GET", "/" + file.getFileName(), 200, body.length, checksum.getValue());
    }

    static Target parse(String text) {
        String[] parts = text.split(" ", -1);
        return new Target(
                parts[0],
                parts[1],
                Integer.parseInt(parts[2]),
                Long.parseLong(parts[3]),
                Long.parseLong(parts[4]),
                Double.parseDouble(parts[5]));
    }
}
