// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The reference of a program's settings: its sample configuration file, and its help. */
public final class Reference {
    /** Longest line of the sample file. */
    private static final int COLUMNS = 100;

    private static final String START = """
            # Configuration of %s: every key, with its default.
            #
            # Use: java -jar %s.jar --config %s.conf
            #
            # HOCON. Every key may be left out. Unknown keys and keys that are given twice are errors. Flags win over
            # environment variables, these win over this file. Sizes: B, kB, MB, GB (thousands), KiB, MiB, GiB (1024s); a
            # bare number is bytes. Times need a unit: ms, s, m, h, d.
            """;

    private Reference() {}

    /**
     * Checks that the sample file is what the code says: every key, its unit, default and effect. With {@code -Dmely.reference.write=true} it is written before.
     *
     * @param file the sample
     * @param settings of the program
     * @param name of the program, as users write it
     * @param headings each before its first setting
     */
    public static void checkFile(Path file, SettingTable settings, String name, Map<Setting<?>, String> headings)
            throws IOException {
        String expected = file(settings, name, headings);
        if (Boolean.getBoolean("mely.reference.write")) {
            Files.writeString(file, expected);
        }
        assertThat(file).hasContent(expected);
    }

    /** Checks that the help names every flag, in eighty columns. */
    public static void checkHelp(String help, SettingTable settings) {
        assertThat(help.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        for (Setting<?> setting : settings.all()) {
            if (setting.isFlag()) {
                assertThat(help).contains(setting.flag() + " ");
            }
        }
    }

    private static String file(SettingTable settings, String name, Map<Setting<?>, String> headings) {
        String program = settings.program();
        StringBuilder file = new StringBuilder(START.formatted(name, program, program));
        for (Setting<?> setting : settings.all()) {
            String heading = headings.get(setting);
            if (heading != null) {
                file.append("\n## ").append(heading).append('\n');
            }
            file.append('\n');
            appendComment(setting.effect(), file);
            appendComment(
                    "Unit: " + setting.unit() + ". Allowed: " + setting.type().allowed() + ".", file);
            appendComment(
                    "Default: " + defaultOf(setting) + ". " + (setting.isFlag() ? "Flag: " + setting.flag() + ". " : "")
                            + "Environment: " + settings.variable(setting) + ".",
                    file);
            file.append(setting.key()).append(" = ").append(defaultOf(setting)).append('\n');
        }
        return file.toString();
    }

    private static <T> String defaultOf(Setting<T> setting) {
        return setting.type().show(setting.defaultValue());
    }

    private static void appendComment(String text, StringBuilder file) {
        StringBuilder line = new StringBuilder("#");
        for (String word : text.split(" ")) {
            if (line.length() + 1 + word.length() > COLUMNS) {
                file.append(line).append('\n');
                line.setLength(1);
            }
            line.append(' ').append(word);
        }
        file.append(line).append('\n');
    }
}
