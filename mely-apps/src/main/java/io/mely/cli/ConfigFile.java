// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.mely.deploy.Nearest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the file of {@code --config}: HOCON, of which every key must be known and given once.
 *
 * <p>A server's configuration is one file: {@code include} is refused. Substitutions work, those of environment variables too.
 *
 * <p><b>Threads.</b> Not safe for use by several. <b>Costs.</b> Loads the HOCON library. <b>Bounds.</b> A file has at most
 * 1 MiB.
 */
public final class ConfigFile {
    private static final int BYTES_MAX = 1 << 20;

    /** How the library begins its messages; the file and line are said in our way instead. */
    private static final Pattern LIBRARY_PLACE = Pattern.compile("^(?:.*?: )?(?:[0-9]+(?:-[0-9]+)?: )");

    private final SettingTable settings;
    private final String file;
    private final Values values = new Values();
    private final List<Problem> problems = new ArrayList<>();

    /** One line of the report, with the line of the file it is about. */
    private record Problem(int line, String text) {}

    private ConfigFile(SettingTable settings, String file) {
        this.settings = settings;
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @param settings that may be in it
     * @param file its path, as given
     * @return its values
     * @throws UsageException naming file, line and key of each problem
     */
    public static Values read(SettingTable settings, String file) throws UsageException {
        ConfigFile reader = new ConfigFile(settings, Text.escape(file));
        reader.readText(load(file));
        return reader.values;
    }

    /**
     * Reads a text.
     *
     * @param settings that may be in it
     * @param file the name to use in messages
     * @param text HOCON
     * @return its values
     * @throws UsageException naming line and key of each problem
     */
    public static Values readText(SettingTable settings, String file, String text) throws UsageException {
        ConfigFile reader = new ConfigFile(settings, Text.escape(file));
        reader.readText(text);
        return reader.values;
    }

    private static String load(String file) throws UsageException {
        String start = "configuration file " + Text.quote(file) + ": ";
        byte[] bytes;
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            bytes = in.readNBytes(BYTES_MAX + 1);
        } catch (NoSuchFileException missing) {
            throw new UsageException(start + "no such file");
        } catch (AccessDeniedException denied) {
            throw new UsageException(start + "permission denied");
        } catch (IOException | InvalidPathException unreadable) {
            throw new UsageException(start + Text.escape(String.valueOf(unreadable.getMessage())));
        }
        if (bytes.length > BYTES_MAX) {
            throw new UsageException(start + "longer than " + Units.show(BYTES_MAX));
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new UsageException(start + "not UTF-8 text");
        }
    }

    private void readText(String text) throws UsageException {
        Config config = parse(text);
        Map<String, Integer> lines = readKeys(text);
        for (Map.Entry<String, ConfigValue> entry : config.root().entrySet()) {
            readEntry(entry.getKey(), entry.getValue(), config, lines);
        }
        if (!problems.isEmpty()) {
            problems.sort(Comparator.comparingInt(Problem::line));
            throw new UsageException(problems.stream().map(Problem::text).toList());
        }
    }

    private Config parse(String text) throws UsageException {
        ConfigParseOptions options = ConfigParseOptions.defaults()
                .setSyntax(ConfigSyntax.CONF)
                .setOriginDescription(settings.program())
                .setAllowMissing(false)
                .setIncluder(NoIncludes.INSTANCE);
        try {
            return ConfigFactory.parseString(text, options).resolve();
        } catch (ConfigException wrong) {
            int line = wrong.origin() == null ? -1 : wrong.origin().lineNumber();
            throw new UsageException(parsePlace(line, text) + explain(wrong));
        }
    }

    private String parsePlace(int line, String text) {
        if (line > 0) {
            return file + ":" + line + ": ";
        }
        // The library names no line for an include.
        for (KeyScan.Key key : KeyScan.keys(text)) {
            if (key.name().equals(NoIncludes.KEYWORD)) {
                return file + ":" + key.line() + ": ";
            }
        }
        return file + ": ";
    }

    private static String explain(ConfigException wrong) {
        String message = String.valueOf(wrong.getMessage());
        Matcher place = LIBRARY_PLACE.matcher(message);
        String text = place.find() ? message.substring(place.end()) : message;
        return Text.escape(text.replaceAll("\\s*\\R\\s*", " "));
    }

    /** Refuses keys that are given twice, and remembers where each stands: of several values the library keeps the last. */
    private Map<String, Integer> readKeys(String text) {
        Map<String, Integer> lines = new HashMap<>();
        for (KeyScan.Key key : KeyScan.keys(text)) {
            Integer earlier = lines.put(key.name(), key.line());
            if (earlier != null) {
                add(key.line(), Text.escape(key.name()) + " is given twice; before in line " + earlier);
            }
        }
        return lines;
    }

    private void readEntry(String key, ConfigValue value, Config config, Map<String, Integer> lines) {
        int line = lines.getOrDefault(key, lineOf(value));
        Setting<?> setting = settings.byKey(key);
        if (setting == null) {
            readUnknown(key, value, line);
        } else {
            readValue(setting, value, config, line);
        }
    }

    /** Names the key that is unknown; for an object the first key inside, as in {@code cache { budget = 1 MiB }}. */
    private void readUnknown(String key, ConfigValue value, int line) {
        String path = key;
        int place = line;
        ConfigValue inner = value;
        while (inner instanceof ConfigObject object && !object.isEmpty()) {
            Map.Entry<String, ConfigValue> first = object.entrySet().stream()
                    .min(Comparator.comparingInt(entry -> lineOf(entry.getValue())))
                    .orElseThrow();
            path = path + "." + first.getKey();
            inner = first.getValue();
            place = Math.max(place, lineOf(inner));
        }
        List<String> known = settings.all().stream().map(Setting::key).toList();
        add(place, "unknown key " + Text.quote(path) + "; the nearest known key is " + Nearest.to(path, known));
    }

    private <T> void readValue(Setting<T> setting, ConfigValue value, Config config, int line) {
        Source source = Source.file(file, line, setting.key());
        T read = null;
        String text;
        if (value instanceof ConfigList list) {
            List<String> items = itemsOf(list);
            text = list.render(com.typesafe.config.ConfigRenderOptions.concise());
            read = items == null ? null : setting.type().parseList(items);
        } else if (value.valueType() == ConfigValueType.OBJECT || value.valueType() == ConfigValueType.NULL) {
            text = value.render(com.typesafe.config.ConfigRenderOptions.concise());
        } else {
            // As it was written: getString keeps a number's own text.
            text = config.getString(ConfigUtil.joinPath(setting.key()));
            read = setting.type().parse(text);
        }
        if (read == null) {
            problems.add(new Problem(line, Values.problem(setting, text, source)));
        } else {
            values.put(setting, read, text, source);
        }
    }

    private static @Nullable List<String> itemsOf(ConfigList list) {
        List<String> items = new ArrayList<>();
        for (ConfigValue item : list) {
            switch (item.valueType()) {
                case STRING, NUMBER, BOOLEAN -> items.add(String.valueOf(item.unwrapped()));
                default -> {
                    return null;
                }
            }
        }
        return items;
    }

    private static int lineOf(ConfigValue value) {
        ConfigOrigin origin = value.origin();
        return origin == null ? 0 : Math.max(0, origin.lineNumber());
    }

    private void add(int line, String text) {
        problems.add(new Problem(line, file + ":" + line + ": " + text));
    }
}
