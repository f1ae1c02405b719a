// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads the small text files by which the kernel describes the machine, and never more of one than expected. */
final class Texts {
    /** Of one value: a page is what the kernel gives for most, and lists of many CPUs may be longer. */
    static final int VALUE_BYTES_MAX = 64 * 1024;

    /** Of {@code /proc/self/mountinfo}: some 20,000 mounts. */
    static final int MOUNTS_BYTES_MAX = 4 * 1024 * 1024;

    private static final int QUOTED_CHARS_MAX = 80;

    private Texts() {}

    /** Says in a sentence why a file could not be used, and names it: fit to be part of a warning. */
    static final class UnreadableException extends Exception {
        UnreadableException(String message) {
            super(message);
        }
    }

    /** The whole text of a file of at most {@code bytesMax} bytes. */
    static String read(Path file, int bytesMax) throws UnreadableException {
        try {
            // A pipe or a device in its place could block for ever.
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw new UnreadableException(file + " is not a regular file");
            }
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(bytesMax + 1);
                if (bytes.length > bytesMax) {
                    throw new UnreadableException(file + " is larger than " + bytesMax + " bytes");
                }
                return new String(bytes, StandardCharsets.UTF_8);
            }
        } catch (NoSuchFileException e) {
            throw new UnreadableException(file + " is missing");
        } catch (IOException | SecurityException e) {
            throw new UnreadableException(file + " cannot be read: " + e);
        }
    }

    /** The one value of a file, without white space around it. */
    static String value(Path file) throws UnreadableException {
        return read(file, VALUE_BYTES_MAX).strip();
    }

    /** The value of a file as a whole number. */
    static long number(Path file) throws UnreadableException {
        String value = value(file);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new UnreadableException(file + " holds no whole number: " + quoted(value));
        }
    }

    /** The value of a file as a CPU list. */
    static CpuSet cpus(Path file) throws UnreadableException {
        try {
            return CpuSet.parse(value(file));
        } catch (IllegalArgumentException e) {
            throw new UnreadableException(file + ": " + e.getMessage());
        }
    }

    /** A text from outside, fit for a message: short, and without control characters that could forge log lines. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().limit(QUOTED_CHARS_MAX).forEach(c -> {
            if (c >= ' ' && c < 0x7f) {
                quoted.append((char) c);
            } else {
                quoted.append(String.format("\\u%04x", c));
            }
        });
        return quoted.append(text.length() > QUOTED_CHARS_MAX ? "...\"" : "\"").toString();
    }
}
