// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

/**
 * Where a value came from, so that a message can say it.
 *
 * @param place what stands before the value, such as {@code --port}, {@code SWS_PORT} or {@code sws.conf:12: port}
 * @param separator what stands between place and value: a space or an equals sign
 */
public record Source(String place, String separator) {
    /** A flag. */
    public static Source flag(String name) {
        return new Source(name, " ");
    }

    /** The folder given without a flag. */
    public static Source argument() {
        return new Source("DIR", " ");
    }

    /** An environment variable. */
    public static Source variable(String name) {
        return new Source("environment variable " + name, "=");
    }

    /** A key in a file. */
    public static Source file(String file, int line, String key) {
        return new Source(file + ":" + line + ": " + key, " = ");
    }

    /** Nobody. */
    public static Source byDefault(String key) {
        return new Source(key + " (default)", " = ");
    }

    /** The start of a message about a value. */
    public String with(String value) {
        boolean isBare = !value.isEmpty() && value.indexOf(' ') < 0;
        return place + separator + (isBare ? Text.escape(value) : Text.quote(value));
    }
}
