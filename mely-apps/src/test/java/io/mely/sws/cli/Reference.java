// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import java.util.Map;

/** Writes the reference of all settings: the sample configuration file and the table of the manual. */
final class Reference {
    /** Longest line of the sample file. */
    private static final int COLUMNS = 100;

    /** Headings of the sample file, each before its first setting. */
    private static final Map<Setting<?>, String> HEADINGS = Map.of(
            Settings.ROOT, "What is served, and where",
            Settings.CORES, "The runtime",
            Settings.MAX_CLIENTS, "Limits of clients, and overload",
            Settings.IDLE_TIMEOUT, "Times",
            Settings.MAX_REQUESTS_PER_CONNECTION, "Limits of a request",
            Settings.CACHE_BUDGET, "The cache",
            Settings.INDEX_FILES, "What clients see",
            Settings.ACCESS_LOG, "The access log");

    private static final String START = """
            # Configuration of SWS: every key, with its default.
            #
            # Use: java -jar sws.jar --config sws.conf
            #
            # HOCON. Every key may be left out. Unknown keys and keys that are given twice are errors. Flags win over
            # environment variables, these win over this file. Sizes: B, kB, MB, GB (thousands), KiB, MiB, GiB (1024s); a
            # bare number is bytes. Times need a unit: ms, s, m, h, d.
            """;

    private Reference() {}

    /** The text of {@code config/sws.conf}. */
    static String file() {
        StringBuilder file = new StringBuilder(START);
        for (Setting<?> setting : Settings.ALL) {
            String heading = HEADINGS.get(setting);
            if (heading != null) {
                file.append("\n## ").append(heading).append('\n');
            }
            file.append('\n');
            appendComment(setting.effect(), file);
            appendComment(
                    "Unit: " + setting.unit() + ". Allowed: " + setting.type().allowed() + ".", file);
            appendComment(
                    "Default: " + defaultOf(setting) + ". " + (setting.isFlag() ? "Flag: " + setting.flag() + ". " : "")
                            + "Environment: " + setting.variable() + ".",
                    file);
            file.append(setting.key()).append(" = ").append(defaultOf(setting)).append('\n');
        }
        return file.toString();
    }

    /** The table of {@code docs/sws.md}. */
    static String table() {
        StringBuilder table =
                new StringBuilder("| Key | Unit; allowed | Default | Effect |\n| --- | --- | --- | --- |\n");
        for (Setting<?> setting : Settings.ALL) {
            table.append("| `").append(setting.key()).append("` | ");
            table.append(setting.unit())
                    .append("; ")
                    .append(setting.type().allowed())
                    .append(" | `");
            table.append(defaultOf(setting))
                    .append("` | ")
                    .append(setting.effect())
                    .append(" |\n");
        }
        return table.toString();
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
