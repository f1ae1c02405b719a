// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * All settings of a program.
 *
 * @param program its name in lower case, as messages begin with it; in upper case its environment variables do
 * @param all in the order of the reference
 */
public record SettingTable(String program, List<Setting<?>> all) {
    /**
     * The environment variable of a setting, such as {@code SWS_MAX_CLIENTS}.
     *
     * @param setting of this table
     * @return its name
     */
    public String variable(Setting<?> setting) {
        return variablePrefix() + setting.key().toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /**
     * What the names of all environment variables begin with.
     *
     * @return such as {@code SWS_}
     */
    public String variablePrefix() {
        return program.toUpperCase(Locale.ROOT) + "_";
    }

    /**
     * The environment variable that names a configuration file, as {@code --config} does.
     *
     * @return such as {@code SWS_CONFIG}
     */
    public String configVariable() {
        return variablePrefix() + "CONFIG";
    }

    /**
     * Finds a setting by its key in a file.
     *
     * @param key any
     * @return null when there is none
     */
    public @Nullable Setting<?> byKey(String key) {
        for (Setting<?> setting : all) {
            if (setting.key().equals(key)) {
                return setting;
            }
        }
        return null;
    }

    /**
     * Finds a setting by its environment variable.
     *
     * @param name any
     * @return null when there is none
     */
    public @Nullable Setting<?> byVariable(String name) {
        for (Setting<?> setting : all) {
            if (variable(setting).equals(name)) {
                return setting;
            }
        }
        return null;
    }
}
