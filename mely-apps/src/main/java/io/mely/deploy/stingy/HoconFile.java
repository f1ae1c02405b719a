// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy.stingy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigUtil;
import io.mely.deploy.Block;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A file of plans and models: HOCON, all of it in one object. Every key must be known.
 *
 * <p><b>Threads.</b> Any.
 */
public final class HoconFile {
    private static final int BYTES_MAX = 8 << 20;

    private HoconFile() {}

    /** A file makes no sense: a line for each problem, with file, line and key. */
    public static final class WrongFileException extends Exception {
        private static final long serialVersionUID = 1L;

        /** Unmodifiable, as made by {@code List.copyOf}. */
        @SuppressWarnings("serial")
        private final List<String> problems;

        /**
         * Makes one.
         *
         * @param problems at least one
         */
        public WrongFileException(List<String> problems) {
            super(String.join(System.lineSeparator(), problems));
            this.problems = List.copyOf(problems);
        }

        /**
         * What is wrong, a line each.
         *
         * @return at least one
         */
        public List<String> problems() {
            return problems;
        }
    }

    /**
     * Reads a file.
     *
     * @param <T> what is in it
     * @param file its path
     * @param root key of the object that has everything
     * @param reader makes something of the object; it may say problems of the block, and return null then
     * @return what is in it
     * @throws WrongFileException naming each problem
     */
    public static <T> T read(Path file, String root, Function<Block, @Nullable T> reader) throws WrongFileException {
        String text;
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw new WrongFileException(List.of(file + ": longer than " + (BYTES_MAX >> 20) + " MiB"));
            }
            text = Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new WrongFileException(List.of(file + ": no such file"));
        } catch (CharacterCodingException e) {
            throw new WrongFileException(List.of(file + ": not UTF-8 text"));
        } catch (IOException e) {
            throw new WrongFileException(List.of(file + ": cannot be read: " + e));
        }
        return readText(file.toString(), text, root, reader);
    }

    /**
     * Reads a text.
     *
     * @param <T> what is in it
     * @param file the name to use in messages
     * @param text HOCON
     * @param root key of the object that has everything
     * @param reader makes something of the object; it may say problems of the block, and return null then
     * @return what is in it
     * @throws WrongFileException naming each problem
     */
    public static <T> T readText(String file, String text, String root, Function<Block, @Nullable T> reader)
            throws WrongFileException {
        Config config;
        try {
            ConfigParseOptions options =
                    ConfigParseOptions.defaults().setSyntax(ConfigSyntax.CONF).setOriginDescription(file);
            config = ConfigFactory.parseString(text, options).resolve();
        } catch (ConfigException e) {
            throw new WrongFileException(List.of(String.valueOf(e.getMessage())));
        }
        List<String> problems = new ArrayList<>();
        Block whole = new Block(file, "", config.root(), problems);
        Block inner = whole.block(root);
        whole.end();
        if (inner == null) {
            if (problems.isEmpty()) {
                problems.add(file + ": has no " + root);
            }
            throw new WrongFileException(problems);
        }
        T read = null;
        try {
            read = reader.apply(inner);
            inner.end();
        } catch (IllegalArgumentException e) {
            problems.add(file + ": " + e.getMessage());
        }
        if (!problems.isEmpty() || read == null) {
            throw new WrongFileException(problems.isEmpty() ? List.of(file + ": makes no sense") : problems);
        }
        return read;
    }

    /**
     * Calls with each inner object, sorted by name.
     *
     * @param parent whose; null: none
     * @param action reads one
     */
    public static void forEach(@Nullable Block parent, BiConsumer<String, Block> action) {
        if (parent == null) {
            return;
        }
        for (String name : new TreeSet<>(parent.names())) {
            Block inner = parent.block(name);
            if (inner != null) {
                action.accept(name, inner);
                inner.end();
            }
        }
    }

    /**
     * Reads an object of whole numbers.
     *
     * @param parent that has it, or not
     * @param key of the object
     * @return numbers &gt;= 1
     */
    public static SortedMap<String, Integer> counts(Block parent, String key) {
        SortedMap<String, Integer> counts = new TreeMap<>();
        Block block = parent.has(key) ? parent.block(key) : null;
        if (block != null) {
            for (String name : new TreeSet<>(block.names())) {
                int count = block.number(name, 1);
                if (count < 1) {
                    block.wrong(name, "must be >= 1: " + count);
                } else {
                    counts.put(name, count);
                }
            }
        }
        return counts;
    }

    // Writing.

    /**
     * Writes a text.
     *
     * @param text any
     * @return in quotes
     */
    public static String quote(String text) {
        return ConfigUtil.quoteString(text);
    }

    /**
     * Writes a list.
     *
     * @param texts any
     * @return each in quotes
     */
    public static String list(Iterable<String> texts) {
        List<String> quoted = new ArrayList<>();
        texts.forEach(text -> quoted.add(quote(text)));
        return "[" + String.join(", ", quoted) + "]";
    }

    /**
     * Writes an object of whole numbers.
     *
     * @param counts by name
     * @return in one line
     */
    public static String object(SortedMap<String, Integer> counts) {
        List<String> entries = new ArrayList<>();
        counts.forEach((name, count) -> entries.add(quote(name) + " = " + count));
        return entries.isEmpty() ? "{}" : "{ " + String.join(", ", entries) + " }";
    }

    /**
     * Writes a comment.
     *
     * @param indent before it
     * @param text any; empty: none
     * @return a line, ended
     */
    public static String comment(String indent, String text) {
        return text.isEmpty() ? "" : indent + "# " + text.replaceAll("\\s*\\R\\s*", " ") + "\n";
    }
}
