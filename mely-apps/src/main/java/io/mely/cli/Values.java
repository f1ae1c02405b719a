// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.nio.file.Path;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The values somebody gave, each with its source.
 *
 * <p><b>Threads.</b> Not safe for use by several. <b>Shape.</b> One entry per setting that was given; a value has its
 * setting's type, for {@link #put} is the only way in.
 */
public final class Values {
    private final IdentityHashMap<Setting<?>, Given> given = new IdentityHashMap<>();
    private @Nullable Path file;

    /**
     * A value and where it came from.
     *
     * @param value of the setting's type
     * @param text as it was written
     * @param source where
     */
    private record Given(Object value, String text, Source source) {}

    /** Where some of them came from, if that is a file. */
    public void from(Path newFile) {
        file = newFile;
    }

    /** The configuration file; null if there is none. */
    public @Nullable Path file() {
        return file;
    }

    /** Keeps a value; a later one for the same setting replaces it. */
    public <T> void put(Setting<T> setting, T value, String text, Source source) {
        given.put(setting, new Given(value, text, source));
    }

    /** Takes over another's values where it has some. */
    public void putAll(Values stronger) {
        given.putAll(stronger.given);
    }

    /** Whether somebody gave it. */
    public boolean isGiven(Setting<?> setting) {
        return given.containsKey(setting);
    }

    /** The value given, else the default. */
    @SuppressWarnings("unchecked")
    public <T> T get(Setting<T> setting) {
        Given entry = given.get(setting);
        return entry == null ? setting.defaultValue() : (T) entry.value();
    }

    /** The value with its source, as messages begin. */
    public <T> String describe(Setting<T> setting) {
        Given entry = given.get(setting);
        return entry == null
                ? Source.byDefault(setting.key()).with(setting.type().show(setting.defaultValue()))
                : entry.source().with(entry.text());
    }

    /**
     * Reads one value's text and keeps it.
     *
     * @return null, or the problem in one line
     */
    public <T> @Nullable String read(Setting<T> setting, String text, Source source) {
        T value = setting.type().parse(text);
        if (value == null) {
            return problem(setting, text, source);
        }
        put(setting, value, text, source);
        return null;
    }

    /** The message about a value that isn't allowed. */
    public static String problem(Setting<?> setting, String text, Source source) {
        return source.with(text) + ": not allowed; allowed: " + setting.type().allowed();
    }
}
