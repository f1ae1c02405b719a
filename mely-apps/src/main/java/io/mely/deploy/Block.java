// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one object of a file. Each is read once; what nobody has read is unknown.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class Block {
    private final String file;
    private final String place; // for messages: "groups.main"
    private final Config config;
    private final ConfigObject object;
    private final List<String> problems;
    private final Set<String> known = new TreeSet<>();

    /**
     * Begins with an object.
     *
     * @param file its name, for messages
     * @param place where the object is in the file, such as {@code groups.main}; empty for the whole file
     * @param object whose keys are read
     * @param problems gets what is wrong
     */
    public Block(String file, String place, ConfigObject object, List<String> problems) {
        this.file = file;
        this.place = place;
        this.object = object;
        this.problems = problems;
        config = object.toConfig();
    }

    /** The keys that it has. */
    public Collection<String> names() {
        return object.keySet();
    }

    /** The object behind a key; null if it is missing or none. */
    public @Nullable Block block(String key) {
        known.add(key);
        ConfigValue value = object.get(key);
        if (value == null) {
            return null;
        }
        if (!(value instanceof ConfigObject inner)) {
            wrong(key, "must be an object");
            return null;
        }
        return new Block(file, place.isEmpty() ? key : place + "." + key, inner, problems);
    }

    /** A text. */
    public String text(String key, String otherwise) {
        return read(key, otherwise, Config::getString);
    }

    /** A whole number. */
    public int number(String key, int otherwise) {
        return read(key, otherwise, Config::getInt);
    }

    /** A number of bytes, with a unit or without, as in 64 KiB. */
    public long bytes(String key, long otherwise) {
        return read(key, otherwise, Config::getBytes);
    }

    /** A number. */
    public double decimal(String key, double otherwise) {
        return read(key, otherwise, Config::getDouble);
    }

    /** True or false. */
    public boolean flag(String key, boolean otherwise) {
        return read(key, otherwise, Config::getBoolean);
    }

    /** A time. */
    public Duration duration(String key, Duration otherwise) {
        return read(key, otherwise, Config::getDuration);
    }

    /** A list of texts; empty if it is missing. */
    public List<String> texts(String key) {
        return read(key, List.<String>of(), Config::getStringList);
    }

    /** Whether a key is there and has a list. */
    public boolean isList(String key) {
        known.add(key);
        ConfigValue value = object.get(key);
        return value != null && value.valueType() == ConfigValueType.LIST;
    }

    /** Whether a key is there. */
    public boolean has(String key) {
        known.add(key);
        return object.containsKey(key);
    }

    /** A reader of the library with a quoted path. */
    private interface Reader<T> {
        T read(Config config, String path);
    }

    private <T> T read(String key, T otherwise, Reader<T> reader) {
        known.add(key);
        ConfigValue value = object.get(key);
        if (value == null) {
            return otherwise;
        }
        try {
            return reader.read(config, com.typesafe.config.ConfigUtil.joinPath(key));
        } catch (ConfigException e) {
            String shown = value.valueType() == ConfigValueType.OBJECT
                    ? "an object"
                    : value.render(com.typesafe.config.ConfigRenderOptions.concise());
            wrong(key, "cannot be " + shown);
            return otherwise;
        }
    }

    /** One of several words, or null, which is said. */
    public <T> @Nullable T word(
            String key, String otherwise, Collection<String> words, Function<String, @Nullable T> meaning) {
        String word = text(key, otherwise);
        if (!words.contains(word)) {
            wrong(key, "'" + word + "' is unknown; the nearest is " + Nearest.to(word, words));
            return null;
        }
        return meaning.apply(word);
    }

    /** Says what is wrong with a key. */
    public void wrong(String key, String what) {
        ConfigValue value = object.get(key);
        int line = value == null ? object.origin().lineNumber() : value.origin().lineNumber();
        String path = place.isEmpty() ? key : key.isEmpty() ? place : place + "." + key;
        problems.add(file + (line > 0 ? ":" + line : "") + ": " + path + ": " + what);
    }

    /** Says which keys nobody has read. */
    public void end() {
        for (String key : object.keySet()) {
            if (!known.contains(key)) {
                wrong(key, "unknown; the nearest known key is " + Nearest.to(key, known));
            }
        }
    }
}
