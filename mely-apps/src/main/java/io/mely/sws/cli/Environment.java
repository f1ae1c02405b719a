// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.deploy.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the environment variables that begin with {@code SWS_}.
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
     * @param variables all of the process
     * @return what they say
     * @throws UsageException when a name is unknown or a value isn't allowed
     */
    static Environment parse(Map<String, String> variables) throws UsageException {
        Values values = new Values();
        List<String> problems = new ArrayList<>();
        for (Map.Entry<String, String> variable : new TreeMap<>(variables).entrySet()) {
            String name = variable.getKey();
            if (!name.startsWith(Settings.VARIABLE_PREFIX) || name.equals(Settings.CONFIG_VARIABLE)) {
                continue;
            }
            Setting<?> setting = Settings.byVariable(name);
            String problem = setting == null
                    ? explainUnknown(name)
                    : values.read(setting, variable.getValue(), Source.variable(name));
            if (problem != null) {
                problems.add(problem);
            }
        }
        if (!problems.isEmpty()) {
            throw new UsageException(problems);
        }
        return new Environment(values, variables.get(Settings.CONFIG_VARIABLE));
    }

    private static String explainUnknown(String name) {
        List<String> known = new ArrayList<>();
        Settings.ALL.forEach(setting -> known.add(setting.variable()));
        known.add(Settings.CONFIG_VARIABLE);
        return "unknown environment variable " + Text.quote(name) + "; the nearest known one is "
                + Nearest.to(name, known);
    }
}
