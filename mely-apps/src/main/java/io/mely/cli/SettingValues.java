// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A value for each of some settings, every one of them allowed.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> A look into a map: for what is asked often, keep the answer in a field. <b>Errors.</b> {@link IllegalArgumentException}
 * naming the setting that is none of these.
 */
public final class SettingValues {
    private final Map<Setting<?>, Object> values;

    private SettingValues(Map<Setting<?>, Object> values) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** The value of a setting; its default if none was given. */
    @SuppressWarnings("unchecked") // whoever puts one in has the setting's type
    public <T> T get(Setting<T> setting) {
        Object value = values.get(setting);
        if (value == null) {
            throw unknown(setting);
        }
        return (T) value;
    }

    private static IllegalArgumentException unknown(Setting<?> setting) {
        return new IllegalArgumentException("not a setting of this: setting=" + setting);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SettingValues that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }

    /**
     * Collects values; begins with all defaults.
     *
     * <p><b>Threads.</b> Not safe for use by several.
     */
    public static final class Builder {
        private final Map<Setting<?>, Object> values = new LinkedHashMap<>();

        /** Of all that may be set. */
        public Builder(List<Setting<?>> all) {
            all.forEach(each -> values.put(each, each.defaultValue()));
        }

        /** Sets one, if its value is allowed. */
        public <T> void set(Setting<T> setting, T value) {
            if (!values.containsKey(setting)) {
                throw unknown(setting);
            }
            values.put(setting, setting.checked(value));
        }

        /** Takes those that a user has given. */
        public void set(Values given) {
            for (Setting<?> each : List.copyOf(values.keySet())) {
                take(each, given);
            }
        }

        private <T> void take(Setting<T> setting, Values given) {
            if (given.isGiven(setting)) {
                set(setting, given.get(setting));
            }
        }

        /** What there is by now. */
        public SettingValues build() {
            return new SettingValues(values);
        }
    }
}
