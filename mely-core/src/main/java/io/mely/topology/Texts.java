// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads the small text files by which the kernel describes the machine, and never more of one than expected.
 *
 * <p><b>Errors.</b> An {@link IOException} names the file and says in a sentence why it could not be used: fit to be part of a warning.
 */
final class Texts {
    /** A page is what the kernel gives for most values; lists of many CPUs may be longer. */
    static final int BYTES_MAX = 64 * 1024;

    private static final int QUOTED_CHARS_MAX = 80;
    private static final System.Logger LOG = System.getLogger("io.mely.topology");

    private Texts() {}

    static void warn(String warning) {
        LOG.log(System.Logger.Level.WARNING, "{0}", warning);
    }

    /** The text of a file, without white space around it. */
    static String read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) { // a pipe or a device in its place could block forever
            throw new IOException(file + (Files.exists(file) ? " is not a regular file" : " is missing"));
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(BYTES_MAX + 1);
        } catch (IOException e) {
            throw new IOException(file + " cannot be read: " + e, e);
        }
        if (bytes.length > BYTES_MAX) {
            throw new IOException(file + " is larger than " + BYTES_MAX + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8).strip();
    }

    static String read(Path file, String ifMissing) throws IOException {
        return Files.exists(file) ? read(file) : ifMissing;
    }

    static int number(Path file) throws IOException {
        String text = read(file);
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw wrong(file, "whole number", text);
        }
    }

    static CpuSet cpus(Path file) throws IOException {
        try {
            return CpuSet.parse(read(file));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    static IOException wrong(Path file, String wanted, String text) {
        return new IOException(file + " holds no " + wanted + ": " + quoted(text));
    }

    /** A text from outside, fit for a message: short, and without control characters that could forge log lines. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars()
                .limit(QUOTED_CHARS_MAX)
                .forEach(c -> quoted.append(c >= ' ' && c < 0x7f ? (char) c : String.format("\\u%04x", c)));
        return quoted.append(text.length() > QUOTED_CHARS_MAX ? "...\"" : "\"").toString();
    }
}
