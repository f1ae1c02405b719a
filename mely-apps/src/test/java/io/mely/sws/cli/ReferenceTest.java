// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.mely.cli.ConfigFile;
import io.mely.cli.KeyScan;
import io.mely.cli.Reference;
import io.mely.cli.Setting;
import io.mely.cli.Values;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import io.mely.sws.tls.TlsSettings;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** After a change of {@link Settings}: {@code mvn test -Dtest=ReferenceTest -Dmely.reference.write=true} writes both files anew. */
class ReferenceTest {
    /** Each before its first setting. */
    private static final Map<Setting<?>, String> HEADINGS = Map.of(
            Settings.ROOT, "What is served, and where",
            Settings.STAGES, "The runtime",
            SwsSettings.MAX_CLIENTS, "Limits of clients, and overload",
            SwsSettings.IDLE_TIMEOUT, "Times",
            SwsSettings.MAX_REQUESTS_PER_CONNECTION, "Limits of a request",
            SwsSettings.CACHE_BUDGET, "The cache",
            SwsSettings.INDEX_FILES, "What clients see",
            SwsSettings.ACCESS_LOG, "The access log",
            TlsSettings.CERTIFICATES, "TLS");

    private static final Path FILE = Path.of("..", "config", "sws.conf");
    private static final Path MANUAL = Path.of("..", "docs", "sws.md");

    // The sample file is what the code says: every key, its unit, default and effect.
    @Test
    void sample_isUpToDate() throws Exception {
        Reference.checkFile(FILE, Settings.TABLE, "SWS", HEADINGS);
    }

    // Read by the library alone: no key is missing, none is unknown.
    @Test
    void sample_hasEveryKeyOnce() throws Exception {
        Config config = ConfigFactory.parseFile(FILE.toFile());
        Set<String> known =
                Settings.TABLE.all().stream().map(Setting::key).collect(Collectors.toCollection(TreeSet::new));
        assertThat(new TreeSet<>(config.root().keySet())).isEqualTo(known);
        assertThat(KeyScan.keys(Files.readString(FILE))).hasSameSizeAs(known);
    }

    // Read by SWS: it is accepted, and equals having no file at all.
    @Test
    void sample_holdsTheDefaults() throws Exception {
        Values values = ConfigFile.read(Settings.TABLE, FILE.toString());
        SwsConfig fromFile = Invocation.of(values).config();
        SwsConfig fromNothing = Invocation.of(new Values()).config();
        assertThat(fromFile).isEqualTo(fromNothing);
        assertThat(fromFile).isEqualTo(SwsConfig.builder(fromFile.root()).build());
        assertThat(values.get(Settings.STATS)).isFalse();
    }

    // A key is the name of its constant, and no constant was left out of the table.
    @Test
    void settings_areTheConstants() throws Exception {
        List<String> keys = new ArrayList<>();
        for (Map.Entry<Class<?>, String> each :
                Map.of(SwsSettings.class, "", TlsSettings.class, "tls-").entrySet()) {
            for (Field field : each.getKey().getFields()) {
                if (field.get(null) instanceof Setting<?> setting) {
                    String name = field.getName().toLowerCase(Locale.ROOT).replace('_', '-');
                    assertThat(setting.key()).isEqualTo(each.getValue() + name);
                    keys.add(setting.key());
                }
            }
        }
        keys.addAll(List.of("root", "sites", "port", "bind", "unix-socket", "tls-redirect-bind"));
        keys.addAll(List.of("admin", "stages", "stingy", "stats"));
        assertThat(Settings.TABLE.all()).extracting(Setting::key).containsExactlyInAnyOrderElementsOf(keys);
    }

    // The manual names every flag, variable rule and exit code that the program has.
    @Test
    void manual_namesFlagsAndExitCodes() throws IOException {
        String manual = Files.readString(MANUAL);
        for (Setting<?> setting : Settings.TABLE.all()) {
            if (setting.isFlag()) {
                assertThat(manual).contains("`" + setting.flag());
            }
        }
        assertThat(manual).contains("`--config", "`--version`", "`--help`", Settings.TABLE.configVariable());
        assertThat(manual).contains("| 0 |", "| 1 |", "| 2 |", "| 130, 143 |");
    }
}
