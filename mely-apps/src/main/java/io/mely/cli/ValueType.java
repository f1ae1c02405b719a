// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a setting may be, how it is read from text, and how it is written.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param <T> the value's type
 */
public interface ValueType<T> {
    /**
     * Reads a value as a flag, an environment variable or a plain value of a file gives it.
     *
     * @param text the value's text
     * @return the value; null when it isn't allowed
     */
    @Nullable
    T parse(String text);

    /**
     * Reads a list of a file.
     *
     * @param items the texts of its items
     * @return the value; null when it isn't allowed, as for every type that is no list
     */
    default @Nullable T parseList(List<String> items) {
        return null;
    }

    /**
     * Looks at a value that a program gives.
     *
     * @param value any of the type
     * @return the value, or a copy that nobody else can change; null when it isn't allowed
     */
    @Nullable
    T checked(T value);

    /**
     * What is allowed, to follow "allowed: " in a message.
     *
     * @return some words
     */
    String allowed();

    /**
     * Writes a value so that a configuration file can hold it.
     *
     * @param value an allowed value
     * @return HOCON
     */
    String show(T value);
}
