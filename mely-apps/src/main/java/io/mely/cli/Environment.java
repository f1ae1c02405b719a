// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.deploy.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the environment variables that begin with the program's name, such as {@code SWS_}.
 *
 * <p>An unknown one is an error, as an unknown key is: a misspelt variable that is passed over looks like a setting without
 * effect.
 *
 * @param values of the variables set
 * @param configFile the file of {@code SWS_CONFIG}; null without
 */
record Environment(Values values, @Nullable String configFile) {
    /**
     * Reads the variables.
     *
     * @param settings that may be set
     * @param variables all of the process
     * @return what they say
     * @throws UsageException when a name is unknown or a value isn't allowed
     */
    static Environment parse(SettingTable settings, Map<String, String> variables) throws UsageException {
        Values values = new Values();
        List<String> problems = new ArrayList<>();
        for (Map.Entry<String, String> variable : new TreeMap<>(variables).entrySet()) {
            String name = variable.getKey();
            if (!name.startsWith(settings.variablePrefix()) || name.equals(settings.configVariable())) {
                continue;
            }
            Setting<?> setting = settings.byVariable(name);
            String problem = setting == null
                    ? explainUnknown(settings, name)
                    : values.read(setting, variable.getValue(), Source.variable(name));
            if (problem != null) {
                problems.add(problem);
            }
        }
        if (!problems.isEmpty()) {
            throw new UsageException(problems);
        }
        return new Environment(values, variables.get(settings.configVariable()));
    }

    private static String explainUnknown(SettingTable settings, String name) {
        List<String> known = new ArrayList<>();
        settings.all().forEach(setting -> known.add(settings.variable(setting)));
        known.add(settings.configVariable());
        return "unknown environment variable " + Text.quote(name) + "; the nearest known one is "
                + Nearest.to(name, known);
    }
}
