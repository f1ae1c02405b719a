// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValue;
import io.mely.bench.record.WorkloadProfile.ColorBand;
import io.mely.bench.record.WorkloadProfile.Dispersion;
import io.mely.bench.record.WorkloadProfile.Sends;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import io.mely.bench.record.WorkloadProfile.TimeBucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Reads what {@link WorkloadProfile#write} has written, and nothing else. */
public final class ProfileReader {
    private static final Set<String> KEYS =
            Set.of("format", "version", "seconds", "cores", "uncountedColors", "stages", "colors");
    private static final Set<String> STAGE_KEYS = Set.of(
            "name",
            "processingTimeNs",
            "penalty",
            "priority",
            "dataBytes",
            "runs",
            "totalNs",
            "times",
            "sends",
            "arrivals",
            "dispersion");
    private static final Set<String> SENDS_KEYS = Set.of("to", "ownColor", "events", "runs");
    private static final Set<String> BAND_KEYS = Set.of("colors", "events");

    private ProfileReader() {}

    /**
     * Reads a profile.
     *
     * @param file JSON
     * @return of an application that did something
     * @throws IOException if the file cannot be read
     * @throws IllegalArgumentException naming the file, and what is missing or wrong
     */
    public static WorkloadProfile read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("no such profile: " + file);
        }
        try {
            ConfigParseOptions json = ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON);
            return checked(of(ConfigFactory.parseString(Files.readString(file), json)));
        } catch (ConfigException | ClassCastException | IllegalArgumentException e) {
            throw new IllegalArgumentException("cannot read profile " + file + ": " + e.getMessage(), e);
        }
    }

    private static WorkloadProfile of(Config c) {
        if (!c.hasPath("format") || !c.getString("format").equals(WorkloadProfile.FORMAT)) {
            throw new IllegalArgumentException("it does not say \"format\": \"" + WorkloadProfile.FORMAT + "\"");
        }
        if (c.getInt("version") != WorkloadProfile.VERSION) {
            throw new IllegalArgumentException(
                    "it has version " + c.getInt("version") + ", and this program reads " + WorkloadProfile.VERSION);
        }
        checkKeys(c, KEYS);
        return new WorkloadProfile(
                c.getDouble("seconds"),
                c.getInt("cores"),
                c.getConfigList("stages").stream().map(ProfileReader::stage).toList(),
                c.getConfigList("colors").stream().map(ProfileReader::band).toList(),
                c.getLong("uncountedColors"));
    }

    private static StageLoad stage(Config c) {
        checkKeys(c, STAGE_KEYS);
        return new StageLoad(
                c.getString("name"),
                c.getLong("processingTimeNs"),
                c.getInt("penalty"),
                c.getInt("priority"),
                c.getLong("dataBytes"),
                c.getLong("runs"),
                c.getLong("totalNs"),
                c.getList("times").stream()
                        .map(value -> numbers(value, 3))
                        .map(n -> new TimeBucket(
                                n.get(0).longValue(),
                                n.get(1).longValue(),
                                n.get(2).longValue()))
                        .toList(),
                c.getConfigList("sends").stream().map(ProfileReader::sends).toList(),
                c.getLong("arrivals"),
                c.getList("dispersion").stream()
                        .map(value -> numbers(value, 2))
                        .map(n ->
                                new Dispersion(n.get(0).doubleValue(), n.get(1).doubleValue()))
                        .toList());
    }

    private static Sends sends(Config c) {
        checkKeys(c, SENDS_KEYS);
        return new Sends(c.getString("to"), c.getBoolean("ownColor"), c.getLong("events"), c.getLong("runs"));
    }

    private static ColorBand band(Config c) {
        checkKeys(c, BAND_KEYS);
        return new ColorBand(c.getInt("colors"), c.getLongList("events"));
    }

    private static List<Number> numbers(ConfigValue value, int count) {
        if (!(value.unwrapped() instanceof List<?> list) || list.size() != count) {
            throw new IllegalArgumentException(
                    value.origin().description() + ": needs " + count + " numbers: " + value.unwrapped());
        }
        return list.stream().map(Number.class::cast).toList();
    }

    private static void checkKeys(Config c, Set<String> known) {
        for (String key : c.root().keySet()) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException("unknown key " + key);
            }
        }
    }

    /** What the rest may rely on: something ran, something came, and what comes ends. */
    private static WorkloadProfile checked(WorkloadProfile profile) {
        if (profile.runs() == 0) {
            throw new IllegalArgumentException("it is empty: no event ran while it was recorded");
        }
        if (profile.stages().stream().allMatch(stage -> stage.arrivals() == 0)) {
            throw new IllegalArgumentException(
                    "nothing arrived while it was recorded: its events only caused each other");
        }
        Visits visits = Visits.of(profile);
        if (!visits.isFinite()) {
            throw new IllegalArgumentException("a request of it never ends: its events cause as many as they are");
        }
        return profile;
    }
}
