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
import io.mely.sws.ClientLimits;
import io.mely.sws.SiteRules;
import io.mely.sws.SwsConfig;
import io.mely.sws.rules.GateRules;
import io.mely.sws.tls.TlsConfig;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** After a change of {@link Settings}: {@code mvn test -Dtest=ReferenceTest -Dmely.reference.write=true} writes both files anew. */
class ReferenceTest {
    /** Each before its first setting. */
    private static final Map<Setting<?>, String> HEADINGS = Map.of(
            Settings.ROOT, "What is served, and where",
            Settings.CORES, "The runtime",
            Settings.MAX_CLIENTS, "Limits of clients, and overload",
            Settings.IDLE_TIMEOUT, "Times",
            Settings.MAX_REQUESTS_PER_CONNECTION, "Limits of a request",
            Settings.CACHE_BUDGET, "The cache",
            Settings.INDEX_FILES, "What clients see",
            Settings.ACCESS_LOG, "The access log",
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

    // Each field of the server's configuration has its key; "bind" has two, "stats" has no field.
    @Test
    void settings_areTheFieldsOfTheConfiguration() {
        Set<String> fields = Arrays.stream(SwsConfig.class.getRecordComponents())
                .filter(field -> !field.getName().equals("tls")
                        && !field.getName().equals("site")
                        && !field.getName().equals("gate")
                        && !field.getName().equals("limits")
                        && !field.getName().equals("proxies"))
                .map(RecordComponent::getName)
                .map(field ->
                        field.replace("Bytes", "").replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
        Arrays.stream(TlsConfig.class.getRecordComponents())
                .map(field ->
                        "tls-" + field.getName().replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT))
                .forEach(fields::add);
        Arrays.stream(SiteRules.class.getRecordComponents())
                .map(field -> field.getName().replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT))
                .filter(field -> !field.equals("withheld"))
                .forEach(fields::add);
        Stream.of(GateRules.class, ClientLimits.class)
                .flatMap(type -> Arrays.stream(type.getRecordComponents()))
                .map(field -> field.getName()
                        .replace("Bytes", "")
                        .replaceAll("([A-Z])", "-$1")
                        .toLowerCase(java.util.Locale.ROOT))
                .forEach(fields::add);
        fields.add("admin");
        fields.addAll(Set.of("trusted-proxies", "proxy-field", "proxy-protocol"));
        fields.add("port");
        fields.add("stats");
        assertThat(Settings.TABLE.all().stream().map(Setting::key)).containsExactlyInAnyOrderElementsOf(fields);
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
