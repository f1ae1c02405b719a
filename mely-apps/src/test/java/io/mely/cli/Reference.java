// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.util.Map;

/** Writes the reference of a program's settings: the sample configuration file. */
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
     * The text of the sample file.
     *
     * @param settings of the program
     * @param name of the program, as users write it
     * @param headings each before its first setting
     */
    public static String file(SettingTable settings, String name, Map<Setting<?>, String> headings) {
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
