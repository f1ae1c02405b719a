// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.mely.cli.ConfigFile;
import io.mely.cli.KeyScan;
import io.mely.cli.Reference;
import io.mely.cli.Setting;
import io.mely.cli.Values;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsServer;
import io.mely.sfs.SfsSettings;
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

/** After a change of {@link Settings}: {@code mvn test -Dtest=ReferenceTest -Dmely.reference.write=true} writes the files anew. */
class ReferenceTest {
    /** Each before its first setting. */
    private static final Map<Setting<?>, String> HEADINGS = Map.of(
            Settings.ROOT, "What is served, where, and to whom",
            Settings.HOST_KEYS, "Keys, and the encryption",
            SfsSettings.CORES, "The runtime",
            SfsSettings.MAX_CONNECTIONS, "Limits of clients",
            SfsSettings.LOGIN_TIMEOUT, "Times, and failed logins",
            SfsSettings.SYMLINKS, "Files",
            SfsSettings.AUDIT_LOG, "The audit log");

    private static final Path FILE = Path.of("..", "config", "sfs.conf");
    private static final Path GUIDE = Path.of("..", "docs", "guides", "sfs.md");

    // The sample file is what the code says: every key, its unit, default and effect.
    @Test
    void sample_isUpToDate() throws Exception {
        Reference.checkFile(FILE, Settings.TABLE, "SFS", HEADINGS);
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

    // Read by SFS: it is accepted, and equals having no file at all.
    @Test
    void sample_holdsTheDefaults() throws Exception {
        Values values = ConfigFile.read(Settings.TABLE, FILE.toString());
        SfsConfig fromFile = Invocation.of(values);
        SfsConfig fromNothing = Invocation.of(new Values());
        assertThat(fromFile).isEqualTo(fromNothing);
        assertThat(fromFile)
                .isEqualTo(
                        SfsConfig.builder(fromFile.users(), fromFile.hostKeys()).build());
        assertThat(values.get(Settings.STATS)).isFalse();
    }

    // A key is the name of its constant, and no constant was left out of the table.
    @Test
    void settings_areTheConstants() throws Exception {
        List<String> keys = new ArrayList<>();
        for (Field field : SfsSettings.class.getFields()) {
            if (field.get(null) instanceof Setting<?> setting) {
                assertThat(setting.key())
                        .isEqualTo(field.getName().toLowerCase(Locale.ROOT).replace('_', '-'));
                keys.add(setting.key());
            }
        }
        keys.addAll(List.of("root", "port", "bind", "admin", "stats", "write"));
        keys.addAll(List.of("users", "user", "authorized-keys", "password-file", "host-keys"));
        assertThat(Settings.TABLE.all()).extracting(Setting::key).containsExactlyInAnyOrderElementsOf(keys);
    }

    // The help names every flag, and the guide no key or flag that is none.
    @Test
    void help_namesEveryFlag() {
        Reference.checkHelp(new SfsProgram(SfsServer::start).usage().help(), Settings.TABLE);
    }

    @Test
    void guide_namesOnlyWhatThereIs() throws Exception {
        Set<String> known = Settings.TABLE.all().stream().map(Setting::key).collect(Collectors.toSet());
        known.addAll(Set.of("config", "rehearse", "hash-password", "version", "help"));
        var flag =
                java.util.regex.Pattern.compile("(?<![\\w-])--([a-z][a-z-]*)").matcher(Files.readString(GUIDE));
        int found = 0;
        while (flag.find()) {
            found++;
            assertThat(known).contains(flag.group(1));
        }
        assertThat(found).isPositive();
    }
}
